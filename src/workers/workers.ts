import type { Config } from '../config/index.js';
import { networkChoice } from '../config/network.js';
import type { Logger } from '../log.js';
import { type Network, openNetwork } from '../network.js';
import { Router } from './router.js';
import { workerConfig, workerEnvironment } from './settings.js';
import { Worker } from './worker.js';
import type { Program } from './worker-process.js';

/**
 * Milliseconds that workers have to stop. Each gives its sessions to other nodes, a few at a time: supervisors lose patience
 * earlier, and a worker that is stuck is found out by then.
 */
const STOP_MS = 5 * 60_000;
const PING_MS = 10_000;

export interface WorkersOptions {
  log: Logger;
  /** Gives the start up. */
  signal: AbortSignal;
  /** What each worker runs; this process's own program unless said otherwise. */
  program?: Omit<Program, 'env' | 'pingMs'>;
  /** Milliseconds between two questions whether a worker still answers. */
  pingMs?: number;
}

/**
 * Starts the node processes of this machine and a router in front of them; resolves when all of them serve.
 * @returns undefined when the signal came before that
 * @throws ConfigError, a system error (port taken) or an Error with the line of the worker that failed; nothing is left
 * running
 */
export async function startWorkers(config: Config, options: WorkersOptions): Promise<Workers | undefined> {
  const workers = new Workers(config, options);
  const giveUp = () => workers.kill();
  options.signal.addEventListener('abort', giveUp);
  try {
    await workers.start();
    options.signal.throwIfAborted();
    return workers;
  } catch (error) {
    await workers.stop();
    if (options.signal.aborted) return undefined;
    throw error;
  } finally {
    options.signal.removeEventListener('abort', giveUp);
  }
}

/** The workers of this machine, behind one address. */
export class Workers {
  readonly #config: Config;
  readonly #program: Omit<Program, 'env'>;
  readonly #log: Logger;
  readonly #router: Router;
  #workers: Worker[] = [];
  #sandbox: Network['sandbox'];
  #url = '';

  constructor(config: Config, { log, program = ownProgram(), pingMs = PING_MS }: WorkersOptions) {
    this.#config = config;
    this.#program = { ...program, pingMs };
    this.#log = log.child({ area: 'workers' });
    this.#router = new Router(() => this.#workers.flatMap(({ address }) => address ?? []), this.#log);
  }

  /** Address of the API. */
  get url(): string {
    return this.#url;
  }

  /** Control API of the sandbox network inside this process; undefined without one. */
  get sandboxUrl(): string | undefined {
    return this.#sandbox?.url;
  }

  /** The workers' own addresses of the API. */
  get workerUrls(): readonly string[] {
    return this.#workers.map(({ url }) => url);
  }

  /** Resolves when all of them serve. What fails leaves the rest running: `stop` is for that. */
  async start(): Promise<void> {
    const { host, port, nodeUrl } = this.#config;
    // first: a port that is taken is the likeliest failure, and workers take a second to start
    this.#url = await this.#router.listen(host, port);
    if (networkChoice(this.#config).kind === 'embedded-sandbox') {
      this.#sandbox = (await openNetwork(this.#config)).sandbox;
    }
    this.#workers = this.#makeWorkers();
    await Promise.all(this.#workers.map((worker) => worker.start()));
    this.#log.info({ url: this.#url, workers: this.#workers.length }, 'ready');
    if (!nodeUrl) this.#log.info('nodes of other machines do not reach these workers: that needs --node-url');
  }

  /** Asks all workers at the same time to stop, and frees everything when they are gone. */
  async stop(): Promise<void> {
    this.#router.refuse();
    await Promise.all(this.#workers.map((worker) => worker.stop(STOP_MS)));
    this.#router.close();
    await this.#sandbox?.stop();
  }

  /** Ends all workers at once; a `stop` under way is over then. */
  kill(): void {
    for (const worker of this.#workers) worker.kill();
  }

  #makeWorkers(): Worker[] {
    const shared = { url: this.#url, networkUrl: this.#sandbox?.wsUrl };
    const configs = Array.from({ length: this.#config.workers }, (_, index) =>
      workerConfig(this.#config, index + 1, shared),
    );
    return configs.map((own) => {
      const program = { ...this.#program, env: workerEnvironment(own) };
      return new Worker({ name: own.nodeName, program, log: this.#log });
    });
  }
}

function ownProgram(): Omit<Program, 'env' | 'pingMs'> {
  return { path: process.argv[1] ?? '', args: ['start'], execArgv: process.execArgv };
}
