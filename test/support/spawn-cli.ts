import { type ChildProcess, spawn } from 'node:child_process';
import { compiledCommand } from './compiled.js';

export interface SpawnOptions {
  env?: Readonly<Record<string, string>>;
  /** What it reads on standard input; nothing by default. */
  stdin?: string;
  cwd?: string;
}

export interface CliEnd {
  stdout: string;
  stderr: string;
  /** Undefined when a signal ended it. */
  exitCode: number | undefined;
}

/** The command line as a process of its own, as it ships. */
export class CliProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<CliEnd>;
  readonly #waiters: { text: string; resolve: () => void }[] = [];
  #stdout = '';
  #stderr = '';

  constructor(argv: readonly string[], { env, stdin, cwd }: SpawnOptions = {}) {
    const clean = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(SWITCHBOARD_|NODE_|FORCE_COLOR|DEBUG)/.test(name)),
    );
    this.#child = spawn(process.execPath, [compiledCommand(), ...argv], { env: { ...clean, ...env }, cwd });
    this.#child.stdin?.end(stdin ?? '');
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#collect('stdout', text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#collect('stderr', text));
    this.#ended = new Promise((resolve) => {
      this.#child.once('close', (code) => {
        resolve({ stdout: this.#stdout, stderr: this.#stderr, exitCode: code ?? undefined });
      });
    });
  }

  /** Resolves when that text was printed, wherever. */
  printed(text: string): Promise<void> {
    if (this.#all().includes(text)) return Promise.resolve();
    const seen = new Promise<void>((resolve) => this.#waiters.push({ text, resolve }));
    const ended = this.#ended.then(({ exitCode }) => {
      if (this.#all().includes(text)) return;
      throw new Error(`it ended with ${exitCode} and never printed "${text}":\n${this.#all()}`);
    });
    return Promise.race([seen, ended]);
  }

  /** What it has printed so far, wherever. */
  get output(): string {
    return this.#all();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Closes our end of its standard output, as `head` does. */
  closeStdout(): void {
    this.#child.stdout?.destroy();
  }

  /** Resolves when it has ended. */
  end(): Promise<CliEnd> {
    return this.#ended;
  }

  #all(): string {
    return this.#stdout + this.#stderr;
  }

  #collect(stream: 'stdout' | 'stderr', text: string): void {
    if (stream === 'stdout') this.#stdout += text;
    else this.#stderr += text;
    for (const waiter of this.#waiters) if (this.#all().includes(waiter.text)) waiter.resolve();
  }
}

/** Runs a command to its end in a process of its own. */
export function runCli(argv: readonly string[], options?: SpawnOptions): Promise<CliEnd> {
  return new CliProcess(argv, options).end();
}
