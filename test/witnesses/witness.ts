import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const WAIT_MS = 30_000;

/** How the program of a library is compiled; the library comes from its registry when it is not on the machine. */
interface Toolchain {
  command: string;
  /** Where people get the compiler. */
  from: string;
  arguments: (folder: string) => string[];
  environment?: Record<string, string>;
  /** Path of the program in the folder. */
  program: string;
  /** Where the compiler keeps its work between runs, if it has no cache of its own. */
  cache?: string;
}

const TOOLCHAINS = {
  whatsmeow: {
    command: 'go',
    from: 'https://go.dev/dl',
    arguments: (folder) => ['build', '-o', join(folder, 'witness'), '.'],
    environment: { CGO_ENABLED: '0' },
    program: 'witness',
  },
  'whatsapp-rust': {
    command: 'cargo',
    from: 'https://rustup.rs',
    arguments: (folder) => ['build', '--locked', '--quiet', '--target-dir', folder],
    program: 'debug/witness',
    cache: process.env.CARGO_TARGET_DIR ?? join(tmpdir(), 'switchboard-witness-whatsapp-rust'),
  },
} satisfies Record<string, Toolchain>;

/** A library that a program of ours drives. */
export type WitnessLibrary = keyof typeof TOOLCHAINS;

/** All of them; the one that takes longest is first. */
export const WITNESS_LIBRARIES: readonly WitnessLibrary[] = ['whatsapp-rust', 'whatsmeow'];

/** A line that the program prints. */
export interface WitnessEvent {
  event: string;
  [field: string]: unknown;
}

/** A program that drives a library, compiled for the tests. */
export class WitnessProgram {
  readonly path: string;
  readonly #temporary?: string;

  private constructor(path: string, temporary?: string) {
    this.path = path;
    this.#temporary = temporary;
  }

  /** Compiles the program of a library. @throws Error when the machine has no compiler for it, or it does not compile */
  static async build(library: WitnessLibrary): Promise<WitnessProgram> {
    const { command, from, ...toolchain }: Toolchain = TOOLCHAINS[library];
    const temporary = toolchain.cache ? undefined : await mkdtemp(join(tmpdir(), 'witness-'));
    const folder = toolchain.cache ?? temporary ?? '';
    const program = new WitnessProgram(join(folder, toolchain.program), temporary);
    try {
      await promisify(execFile)(command, toolchain.arguments(folder), {
        cwd: fileURLToPath(new URL(`${library}/`, import.meta.url)),
        env: { ...process.env, ...toolchain.environment },
      });
    } catch (error) {
      await program.remove();
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      throw isMissing
        ? new Error(`this machine has no ${command}, which the witness needs: ${from}`, { cause: error })
        : error;
    }
    return program;
  }

  async remove(): Promise<void> {
    if (this.#temporary) await rm(this.#temporary, { recursive: true, force: true });
  }
}

/** A running program, with one client of its library. */
export class Witness {
  readonly events: WitnessEvent[] = [];
  readonly #child: ChildProcess;
  #waiting: (() => void)[] = [];

  /** @param keys a folder, with which another program can go on as the same device */
  constructor(program: { path: string }, sandbox: { url: string; rootKey: Uint8Array }, keys = '') {
    const rootKey = Buffer.from(sandbox.rootKey).toString('hex');
    this.#child = spawn(program.path, [sandbox.url, rootKey, ...(keys ? [keys] : [])], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (!this.#child.stdout) throw new Error('unreachable: the output is a pipe');
    createInterface(this.#child.stdout).on('line', (line) => {
      this.events.push(JSON.parse(line));
      for (const look of this.#waiting.splice(0)) look();
    });
  }

  /** The warnings and errors of the library so far. */
  get complaints(): string[] {
    return this.events
      .filter(({ event }) => event === 'log')
      .map(({ level, module, text }) => `${level} ${module}: ${text}`);
  }

  /** Takes a step. @returns its result @throws Error when the library answers with an error */
  async take(step: string, fields: Record<string, unknown> = {}): Promise<unknown> {
    const from = this.events.length;
    this.#child.stdin?.write(`${JSON.stringify({ step, ...fields })}\n`);
    const isEnd = ({ event, step: ended }: WitnessEvent) =>
      (event === 'done' || event === 'failed') && ended === step;
    const end = await this.until(isEnd, from, step);
    if (end.event === 'failed') throw new Error(`${step}: ${end.error}`);
    return end.result;
  }

  /** Waits for an event that matches; one that has come already counts, from that position on. */
  async until(matches: (event: WitnessEvent) => boolean, from = 0, what = ''): Promise<WitnessEvent> {
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      const found = this.events.slice(from).find(matches);
      if (found) return found;
      const isLate = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), deadline - Date.now());
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve(false);
        });
      });
      if (isLate)
        throw new Error(`no ${what || 'such'} event within ${WAIT_MS} ms; ${this.complaints.join('; ')}`);
    }
  }

  /** Waits for an event by its name. */
  named(name: string, from = 0): Promise<WitnessEvent> {
    return this.until(({ event }) => event === name, from, name);
  }

  async stop(): Promise<void> {
    await this.#ended(() => this.#child.stdin?.end());
  }

  /** Ends the program as a crash does. */
  async kill(): Promise<void> {
    await this.#ended(() => this.#child.kill('SIGKILL'));
  }

  async #ended(end: () => void): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    end();
    await exit;
  }
}
