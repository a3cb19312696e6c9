import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../../domain/clock.js';
import { confinement, killGroup, lowerPriority, OWN_GROUP } from './confined.js';
import type { Task, Tasks } from './decoder.js';

/** Milliseconds without a task after which the decoders are ended. */
const IDLE_MS = 30_000;

/** Megabytes of a decoder's JavaScript heap. */
const HEAP_MB = 256;
/** Environment variables that a decoder gets: where programs and libraries are; no secrets. */
const ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot'];
const EXTENSION = extname(import.meta.url);
const PROGRAM = fileURLToPath(new URL(`./decoder${EXTENSION}`, import.meta.url));

/** A pool of decoder processes, started when they are needed and ended when they are idle. */
export class Decoders {
  readonly #clock: Clock;
  readonly #all = new Set<DecoderProcess>();
  readonly #idle: DecoderProcess[] = [];
  #cancelEnd: () => void = () => undefined;
  #working = 0;
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Runs a task in a decoder, which is killed when the signal aborts.
   * @throws Error with the task's failure; the signal's reason
   */
  async run<Name extends keyof Tasks & string>(
    name: Name,
    order: Parameters<Tasks[Name]>[0],
    signal: AbortSignal,
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    if (this.#stopped) throw new Error('stopped');
    signal.throwIfAborted();
    this.#cancelEnd();
    this.#working += 1;
    let decoder: DecoderProcess | undefined;
    try {
      decoder = this.#idle.pop() ?? this.#start(await confinement());
      signal.throwIfAborted();
      return await decoder.run(name, order, signal);
    } finally {
      this.#working -= 1;
      if (decoder?.isAlive) this.#idle.push(decoder);
      else if (decoder) this.#all.delete(decoder);
      if (!this.#stopped && this.#working === 0) this.#endLater();
    }
  }

  /** Kills all decoders; tasks in flight fail. */
  stop(): void {
    this.#stopped = true;
    this.#endAll();
  }

  #start(limiters: readonly string[]): DecoderProcess {
    if (this.#stopped) throw new Error('stopped');
    const decoder = new DecoderProcess(limiters);
    this.#all.add(decoder);
    return decoder;
  }

  #endLater(): void {
    this.#cancelEnd();
    this.#cancelEnd = this.#clock.after(IDLE_MS, () => this.#endAll());
  }

  #endAll(): void {
    this.#cancelEnd();
    for (const decoder of this.#all) decoder.end();
    this.#all.clear();
    this.#idle.length = 0;
  }
}

/** A process with the fewest rights that runs one task at a time. It ends with the process that started it. */
class DecoderProcess {
  readonly #child: ChildProcess;
  readonly #gone = new AbortController();

  /** @param limiters words before a command, which take rights from it */
  constructor(limiters: readonly string[]) {
    const [execPath, ...execArgv] = [
      ...limiters,
      process.execPath,
      `--max-old-space-size=${HEAP_MB}`,
      ...loaders(),
    ];
    this.#child = fork(PROGRAM, {
      ...OWN_GROUP,
      execPath,
      execArgv,
      env: Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]])),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    lowerPriority(this.#child);
    const end = (why: string) => this.#gone.abort(new Error(why));
    this.#child.on('exit', (code, signal) => end(`the decoder ended (${signal ?? code})`));
    this.#child.on('error', (error) => end(`the decoder did not start: ${error.message}`));
  }

  /** False when it has ended. */
  get isAlive(): boolean {
    return !this.#gone.signal.aborted;
  }

  /**
   * Runs a task; kills the process when `late` aborts.
   * @throws Error with the task's failure; the reason of `late`
   */
  async run<Name extends keyof Tasks & string>(
    name: Name,
    order: Parameters<Tasks[Name]>[0],
    late: AbortSignal,
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    const { signal } = this.#gone;
    signal.throwIfAborted();
    const kill = () => this.end(late.reason);
    late.addEventListener('abort', kill, { once: true });
    try {
      const task: Task = { name, order };
      const answered = once(this.#child, 'message', { signal });
      this.#child.send(task, (error) => error && this.end(error));
      const [reply] = await answered.catch(() => Promise.reject(signal.reason));
      if (reply.error !== undefined) throw new Error(reply.error);
      return reply.result;
    } finally {
      late.removeEventListener('abort', kill);
    }
  }

  /** Kills the process; the task in flight fails. */
  end(why: unknown = new Error('stopped')): void {
    this.#gone.abort(why);
    killGroup(this.#child);
  }
}

/** TypeScript sources need a loader, which a child process takes only from its command line. */
function loaders(): string[] {
  return EXTENSION === '.ts' ? ['--import', import.meta.resolve('tsx')] : [];
}
