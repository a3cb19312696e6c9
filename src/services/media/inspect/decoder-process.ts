import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../domain/clock.js';
import type { Question, Tasks } from './decoder.js';

/** Megabytes of a decoder's JavaScript heap. */
const HEAP_MB = 256;
/** What a decoder may know of its surroundings: where programs and libraries are. */
const ENVIRONMENT = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot'];
const EXTENSION = extname(import.meta.url);
const PROGRAM = fileURLToPath(new URL(`./decoder${EXTENSION}`, import.meta.url));

/** A process that takes files apart, one at a time. It ends with the process that started it. */
export class DecoderProcess {
  readonly #child: ChildProcess;
  readonly #gone = new AbortController();

  constructor() {
    this.#child = fork(PROGRAM, {
      env: Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]])),
      execArgv: [`--max-old-space-size=${HEAP_MB}`, ...loaders()],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const end = (why: string) => this.#gone.abort(new Error(why));
    this.#child.on('exit', (code, signal) => end(`the decoder ended (${signal ?? code})`));
    this.#child.on('error', (error) => end(`there is no decoder: ${error.message}`));
  }

  /** False when it has ended. */
  get isAlive(): boolean {
    return !this.#gone.signal.aborted;
  }

  /**
   * Has a task done. One that takes too long is ended, and the process with it.
   * @throws Error with what the task failed with
   */
  async run<Name extends keyof Tasks & string>(
    name: Name,
    order: Parameters<Tasks[Name]>[0],
    timeoutMs: number,
    clock: Clock,
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    const { signal } = this.#gone;
    signal.throwIfAborted();
    const cancel = clock.after(timeoutMs, () => this.end(`${name} took longer than ${timeoutMs} ms`));
    try {
      const question: Question = { name, order };
      const answered = once(this.#child, 'message', { signal });
      this.#child.send(question, (error) => error && this.end(error.message));
      const [reply] = await answered.catch(() => Promise.reject(signal.reason));
      if (reply.error !== undefined) throw new Error(reply.error);
      return reply.result;
    } finally {
      cancel();
    }
  }

  /** Ends it at once, whatever it does. */
  end(why = 'stopped'): void {
    this.#gone.abort(new Error(why));
    this.#child.kill('SIGKILL');
  }
}

/** The sources run by a loader that a process inherits only from its command line. */
function loaders(): string[] {
  return EXTENSION === '.ts' ? ['--import', import.meta.resolve('tsx')] : [];
}
