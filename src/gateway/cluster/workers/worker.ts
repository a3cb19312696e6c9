import { type ChildProcess, fork } from 'node:child_process';
import { errorMessage } from '../../../domain/errors.js';
import { bareHost } from '../../../domain/host.js';
import { doubling, pauseAfter } from '../../../domain/retry.js';
import type { Logger } from '../../log.js';
import { type ParentMessage, readWorkerMessage, WORKER_VARIABLE, type WorkerMessage } from './channel.js';
import type { Address } from './router.js';

/** The first restart is immediate, because a worker that was killed is probably not broken. */
const RESTART = { pausesMs: [0, ...doubling(500, 30_000)], endless: true } as const;
/** A process that served this long resets the crash count. */
const STABLE_AFTER_MS = 60_000;

interface WorkerOptions {
  /** The setting `node-name`. */
  name: string;
  program: Program;
  log: Logger;
}

/** A worker behind the router: a process that exits is restarted. */
export class Worker {
  readonly #options: WorkerOptions;
  #process: WorkerProcess | undefined;
  #url = '';
  #address: Address | undefined;
  #crashes = 0;
  #servedSince = 0;
  #retry: NodeJS.Timeout | undefined;
  #stopping = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Where the worker listens; undefined while it does not. */
  get address(): Address | undefined {
    return this.#address;
  }

  /** The last address of its API. */
  get url(): string {
    return this.#url;
  }

  /**
   * Starts the worker; resolves once it serves.
   * @throws Error with one line for people; the worker is then not restarted
   */
  async start(): Promise<void> {
    const process = new WorkerProcess(this.#options.program);
    this.#process = process;
    this.#url = await process.ready;
    this.#address = addressOf(this.#url);
    this.#servedSince = performance.now();
    this.#options.log.info(
      { worker: this.#options.name, pid: process.pid, url: this.#url },
      'a worker serves',
    );
    void process.ended.then((how) => this.#replace(how));
  }

  /**
   * Stops the worker; resolves once its process has exited.
   * @param graceMs milliseconds until it is killed
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#retry);
    const timer = setTimeout(() => this.kill(), graceMs);
    this.#process?.askToStop();
    await this.#process?.ended;
    clearTimeout(timer);
  }

  /** Kills the process. */
  kill(): void {
    this.#stopping = true;
    clearTimeout(this.#retry);
    this.#process?.kill();
  }

  #replace(how: string): void {
    this.#address = undefined;
    if (this.#stopping) return;
    if (performance.now() - this.#servedSince > STABLE_AFTER_MS) this.#crashes = 0;
    this.#startAgain({ how }, 'a worker has exited and is restarted');
  }

  #startAgain(facts: object, message: string): void {
    this.#crashes++;
    this.#options.log.error({ worker: this.#options.name, ...facts }, message);
    this.#retry = setTimeout(() => void this.#tryAgain(), pauseAfter(RESTART, this.#crashes));
  }

  async #tryAgain(): Promise<void> {
    try {
      await this.start();
    } catch (error) {
      if (this.#stopping) return;
      this.#startAgain({ reason: errorMessage(error) }, 'a worker could not be started; it is tried again');
    }
  }
}

/** The address of a URL, for the router; a worker that listens on all addresses is reached on the loopback one. */
function addressOf(url: string): Address {
  const { hostname, port } = new URL(url);
  const host = bareHost(hostname);
  if (host === '0.0.0.0') return { host: '127.0.0.1', port: Number(port) };
  return { host: host === '::' ? '::1' : host, port: Number(port) };
}

/** Pings that may stay unanswered. */
const PINGS_MISSED = 3;

/** The program of a worker. */
export interface Program {
  path: string;
  args: readonly string[];
  /** Options of Node itself. */
  execArgv: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Milliseconds between two pings. */
  pingMs: number;
}

/** One process of a worker. */
class WorkerProcess {
  /** Resolves with the URL once the process serves; rejects with one line if it exits before. */
  readonly ready: Promise<string>;
  /** Resolves once the process has exited, with its signal or exit code. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #reason: string | undefined;
  #unanswered = 0;
  #pings: NodeJS.Timeout | undefined;

  constructor({ path, args, execArgv, env, pingMs }: Program) {
    this.#child = fork(path, [...args], {
      execArgv: [...execArgv],
      env: { ...env, [WORKER_VARIABLE]: '1' },
      // standard output belongs to the parent; log lines of all processes go to the same standard error
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.ended = new Promise((resolve) => {
      // `exit` may come before the last message
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
    // a caller that only awaits `ended` must not cause an unhandled rejection
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

  /** Pings the process, because a hanging process still accepts connections but never answers. */
  #ping(): void {
    if (++this.#unanswered > PINGS_MISSED) this.kill();
    else this.#tell('ping');
  }

  #tell(message: ParentMessage): void {
    // ignore a channel that has just closed: `ended` follows
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}
