import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SOURCE = fileURLToPath(new URL('whatsmeow/', import.meta.url));
const WAIT_MS = 30_000;

/** A line that the program prints. */
export interface WitnessEvent {
  event: string;
  [field: string]: unknown;
}

/** A Go program that drives whatsmeow, compiled for the tests. */
export class WitnessProgram {
  readonly path: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'witness');
  }

  /** Compiles the program; Go fetches the published library when it is not on the machine. */
  static async build(): Promise<WitnessProgram> {
    const program = new WitnessProgram(await mkdtemp(join(tmpdir(), 'witness-')));
    try {
      await promisify(execFile)('go', ['build', '-o', program.path, '.'], {
        cwd: SOURCE,
        env: { ...process.env, CGO_ENABLED: '0' },
      });
    } catch (error) {
      await program.remove();
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      throw isMissing
        ? new Error('this machine has no Go, which the witness needs: https://go.dev/dl')
        : error;
    }
    return program;
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A running program, with one client of whatsmeow. */
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

  /** The warnings and errors of whatsmeow so far. */
  get complaints(): string[] {
    return this.events
      .filter(({ event }) => event === 'log')
      .map(({ level, module, text }) => `${level} ${module}: ${text}`);
  }

  /** Takes a step. @returns its result @throws Error when whatsmeow answers with an error */
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
