import { errorMessage } from '../domain/error-message.js';
import type { Logger } from '../log.js';
import type { Address } from './router.js';
import { type Program, WorkerProcess } from './worker-process.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A process that served this long ends a row of crashes. */
const STABLE_AFTER_MS = 60_000;

export interface WorkerOptions {
  /** The setting `node-name`. */
  name: string;
  program: Program;
  log: Logger;
}

/** A place behind the router that always has a process: one that ends is followed by the next. */
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

  /** Where it listens; undefined while it does not. */
  get address(): Address | undefined {
    return this.#address;
  }

  /** Its own address of the API, of the last time that it served. */
  get url(): string {
    return this.#url;
  }

  /**
   * Starts it for the first time; resolves when it serves.
   * @throws Error with one line for people; it is not started again then
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
   * Asks it to stop; resolves when it is gone.
   * @param graceMs milliseconds after which it is killed
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#retry);
    const timer = setTimeout(() => this.kill(), graceMs);
    this.#process?.askToStop();
    await this.#process?.ended;
    clearTimeout(timer);
  }

  /** Ends it at once. */
  kill(): void {
    this.#stopping = true;
    clearTimeout(this.#retry);
    this.#process?.kill();
  }

  #replace(how: string): void {
    this.#address = undefined;
    if (this.#stopping) return;
    if (performance.now() - this.#servedSince > STABLE_AFTER_MS) this.#crashes = 0;
    this.#startAgain({ how }, 'a worker has ended and is started again');
  }

  #startAgain(facts: object, message: string): void {
    // the first time at once: a worker that was killed need not be broken
    const pauseMs = this.#crashes === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (this.#crashes - 1);
    this.#crashes++;
    this.#options.log.error({ worker: this.#options.name, ...facts }, message);
    this.#retry = setTimeout(() => void this.#tryAgain(), Math.min(pauseMs, LONGEST_PAUSE_MS));
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

/** Where the router finds what a URL names; a worker that listens on all addresses listens on the loopback one too. */
function addressOf(url: string): Address {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (host === '0.0.0.0') return { host: '127.0.0.1', port: Number(port) };
  return { host: host === '::' ? '::1' : host, port: Number(port) };
}
