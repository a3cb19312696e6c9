import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { endsWithin, systemClock, wait } from '../../domain/clock.js';
import { parseObject } from '../../domain/json.js';
import { CliError } from '../../terminal/cli/errors.js';
import type { Reaper } from './reaper.js';

const run = promisify(execFile);

export interface ProgramOptions {
  /** Name for messages and the log file. */
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Folder of the log, in the folder of the drill; a restart appends to the log. */
  logs: string;
  /** Kills the program if the drill does not. */
  reaper: Reaper;
  /** Matches the output line that shows that the program is ready. */
  ready: RegExp;
}

/** Milliseconds for the start of a program, on a busy machine. */
const START_MS = 60_000;

/** A program that the drill has started, and can kill, freeze, or keep from writing files. */
export class Program {
  /** The match of `ready`. */
  readonly said: RegExpMatchArray;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess, ended: Promise<unknown>, said: RegExpMatchArray) {
    this.#child = child;
    this.#ended = ended;
    this.said = said;
  }

  /** Starts a program; resolves when it is ready. @throws CliError if it ends or is not ready within `START_MS` */
  static async start({ name, command, args, env, logs, reaper, ready }: ProgramOptions): Promise<Program> {
    // temporary files go into the drill's folder, because a killed program leaves them behind
    const own = { ...env, TMPDIR: dirname(logs) };
    const child = spawn(command, args, { env: own, stdio: ['ignore', 'pipe', 'pipe'] });
    reaper.adopt(child);
    const log = createWriteStream(join(logs, `${name}.log`), { flags: 'a' });
    let last = '';
    const said = new Promise<RegExpMatchArray>((resolve) => {
      for (const output of [child.stdout, child.stderr]) {
        createInterface({ input: output }).on('line', (line) => {
          last = line;
          log.write(`${line}\n`);
          const match = ready.exec(line);
          if (match) resolve(match);
        });
      }
    });
    const ended = new Promise<void>((resolve) => {
      child.once('error', (error) => {
        last = error.message;
        resolve();
      });
      // `close` instead of `exit`, because the last lines may arrive after `exit`
      child.once('close', () => resolve());
    }).finally(() => log.end());
    const started = new AbortController();
    const answer = await Promise.race([
      said,
      ended.then(() => undefined),
      wait(systemClock, START_MS, started.signal).then(() => undefined),
    ]);
    started.abort();
    if (answer) return new Program(child, ended, answer);
    child.kill('SIGKILL');
    throw new CliError('failure', `${name} did not start: ${wordsOf(last) || 'it says nothing'}`);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get runs(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Exit code or signal of the program, once it has ended. */
  get end(): string {
    return this.#child.signalCode ?? String(this.#child.exitCode ?? '');
  }

  /** Resolves when the program has ended. */
  ended(): Promise<unknown> {
    return this.#ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Kills the program with SIGKILL, even a frozen one; resolves when it has ended. */
  async kill(): Promise<void> {
    if (!this.runs) return;
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Stops the program with SIGTERM, and with SIGKILL after `withinMs`. @returns false if it had to be killed */
  async stop(withinMs: number): Promise<boolean> {
    if (!this.runs) return true;
    this.#child.kill('SIGTERM');
    const hasEnded = await endsWithin(systemClock, withinMs, this.#ended);
    if (!hasEnded) await this.kill();
    return hasEnded;
  }

  /**
   * Limits the size of files that the program can write (soft RLIMIT_FSIZE), so that writes fail. Needs `prlimit`.
   * @param bytes `unlimited`, or a number: writes beyond it fail with "File too large"
   */
  async limitFiles(bytes: number | 'unlimited'): Promise<void> {
    await run('prlimit', ['--pid', String(this.pid), `--fsize=${bytes}:`]);
  }
}

/** A line of output for people; a daemon prints its errors as JSON. */
function wordsOf(line: string): string {
  const { error } = parseObject(line) ?? {};
  return typeof error === 'string' ? error : line;
}

/** True if a program is on the path, or exists under its full name. */
export async function isInstalled(program: string): Promise<boolean> {
  const folders = program.startsWith('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  for (const folder of folders) {
    const path = folder === '' ? program : join(folder, program);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}

/** The environment of this process without variables that could direct a program to the operator's daemon, store or network. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(SWITCHBOARD_|NODE_|OTEL_|FORCE_COLOR|DEBUG)/.test(name),
    ),
  );
}
