import { type ChildProcess, fork } from 'node:child_process';
import { type ParentMessage, readWorkerMessage, WORKER_VARIABLE, type WorkerMessage } from './messages.js';

/** Questions whether a process still answers that may stay unanswered. */
const PINGS_MISSED = 3;

/** How a worker is started and watched. */
export interface Program {
  path: string;
  args: readonly string[];
  /** Options of Node itself. */
  execArgv: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Milliseconds between two questions whether it still answers. */
  pingMs: number;
}

/** One process of a worker, from its start to its end. */
export class WorkerProcess {
  /** Resolves with its URL when it serves; rejects with one line when it ends before. */
  readonly ready: Promise<string>;
  /** Resolves when it is gone, with words for how it ended. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #reason: string | undefined;
  #unanswered = 0;
  #pings: NodeJS.Timeout | undefined;

  constructor({ path, args, execArgv, env, pingMs }: Program) {
    this.#child = fork(path, [...args], {
      execArgv: [...execArgv],
      env: { ...env, [WORKER_VARIABLE]: '1' },
      // standard output is the parent's own; logs are lines, which may come from all
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.ended = new Promise((resolve) => {
      // not `exit`, which may overtake the last message
      this.#child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
      this.#child.on('error', (error) => this.pid || resolve(error.message));
    });
    this.ready = new Promise((resolve, reject) => {
      this.#child.on('message', (message) => this.#take(readWorkerMessage(message), pingMs, resolve));
      void this.ended.then((how) => {
        clearInterval(this.#pings);
        reject(new Error(this.#reason ?? `it ended before it served (${how})`));
      });
    });
    // whoever only waits for the end need not hear of it twice
    this.ready.catch(() => undefined);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  askToStop(): void {
    this.#tell('stop');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #take(message: WorkerMessage | undefined, pingMs: number, ready: (url: string) => void): void {
    this.#unanswered = 0;
    if (message?.type === 'failed') this.#reason = message.reason;
    if (message?.type !== 'ready') return;
    this.#pings ??= setInterval(() => this.#ping(), pingMs);
    ready(message.url);
  }

  /** A process that is stuck still takes connections and never answers them. */
  #ping(): void {
    if (++this.#unanswered > PINGS_MISSED) this.kill();
    else this.#tell('ping');
  }

  #tell(message: ParentMessage): void {
    // a channel that has just closed needs no error: the end comes next
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}
