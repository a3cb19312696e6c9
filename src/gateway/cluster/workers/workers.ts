import { join } from 'node:path';
import { ConfigError } from '../../config/load.js';
import { type Config, networkChoice, SETTING_NAMES, SETTINGS } from '../../config/schema.js';
import { type Network, openNetwork } from '../../daemon/network.js';
import type { Logger } from '../../log.js';
import { Router } from './router.js';
import { type Program, Worker } from './worker.js';

/**
 * Milliseconds for workers to stop. Each hands its sessions over to other nodes, a few at a time. Supervisors usually kill
 * earlier.
 */
const STOP_MS = 5 * 60_000;
const PING_MS = 10_000;

export interface WorkersOptions {
  log: Logger;
  /** Aborts the start. */
  signal: AbortSignal;
  /** The program of each worker; by default this process's own. */
  program?: Omit<Program, 'env' | 'pingMs'>;
  /** Milliseconds between two pings of a worker. */
  pingMs?: number;
}

/**
 * Starts the node processes of this machine and a router in front of them; resolves once all serve.
 * @returns undefined if the signal aborted before
 * @throws ConfigError, a system error (port taken) or an Error with the line of the worker that failed; nothing keeps
 * running
 */
export async function startWorkers(config: Config, options: WorkersOptions): Promise<Workers | undefined> {
  const workers = new Workers(config, options);
  const abort = () => workers.kill();
  options.signal.addEventListener('abort', abort);
  try {
    await workers.start();
    options.signal.throwIfAborted();
    return workers;
  } catch (error) {
    await workers.stop();
    if (options.signal.aborted) return undefined;
    throw error;
  } finally {
    options.signal.removeEventListener('abort', abort);
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
    const living = () => this.#workers.flatMap(({ address }) => address ?? []);
    this.#router = new Router(living, this.#log, config.connectionsPerAddress);
  }

  /** Address of the API. */
  get url(): string {
    return this.#url;
  }

  /** Control API of the sandbox network inside this process; undefined without one. */
  get sandboxUrl(): string | undefined {
    return this.#sandbox?.url;
  }

  /** The API address of each worker. */
  get workerUrls(): readonly string[] {
    return this.#workers.map(({ url }) => url);
  }

  /** Resolves once all serve. After a failure the rest keeps running: call `stop`. */
  async start(): Promise<void> {
    const { host, port, nodeUrl } = this.#config;
    // listen first: a taken port is the likeliest failure, and workers take a second to start
    this.#url = await this.#router.listen(host, port);
    if (networkChoice(this.#config).kind === 'embedded-sandbox') {
      this.#sandbox = (await openNetwork(this.#config)).sandbox;
    }
    this.#workers = this.#makeWorkers();
    await Promise.all(this.#workers.map((worker) => worker.start()));
    this.#log.info({ url: this.#url, workers: this.#workers.length }, 'ready');
    if (!nodeUrl) this.#log.info('nodes of other machines do not reach these workers: that needs --node-url');
  }

  /** Stops all workers at the same time, then frees everything. */
  async stop(): Promise<void> {
    this.#router.refuse();
    await Promise.all(this.#workers.map((worker) => worker.stop(STOP_MS)));
    this.#router.close();
    await this.#sandbox?.stop();
  }

  /** Kills all workers; a running `stop` then ends. */
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

const LAST_PORT = 65_535;

export interface Shared {
  /** Where the router listens. */
  url: string;
  /** The sandbox network in the parent process. */
  networkUrl: string | undefined;
}

/**
 * The settings of a worker.
 * @param number 1 for the first
 * @throws ConfigError if no port is left for it
 */
export function workerConfig(config: Config, number: number, { url, networkUrl }: Shared): Config {
  return {
    ...config,
    ...listening(config, number),
    workers: 1,
    // no limit: connections come from the router, which bounds them, and from other nodes
    connectionsPerAddress: 0,
    nodeName: `${config.nodeName}-${number}`,
    dataDir: join(config.dataDir, `worker-${number}`),
    publicUrl: config.port === 0 && config.publicUrl.endsWith(':0') ? url : config.publicUrl,
    network: networkUrl ? `sandbox+${networkUrl}` : config.network,
  };
}

/** All settings as environment variables, because every user of the machine can see arguments, which must not contain secrets. */
export function workerEnvironment(config: Config): NodeJS.ProcessEnv {
  const settings = SETTING_NAMES.map((name) => [SETTINGS[name].env, String(config[name])]);
  return { ...process.env, ...Object.fromEntries(settings) };
}

/**
 * With `--node-url`, worker N listens on the port of that URL plus N, reachable from other machines. Without it, a
 * worker listens on any free port of the loopback address.
 */
function listening({ host, nodeUrl }: Config, number: number): Pick<Config, 'host' | 'port' | 'nodeUrl'> {
  if (!nodeUrl) return { host: '127.0.0.1', port: 0, nodeUrl: '' };
  const own = new URL(nodeUrl);
  const port = Number(own.port || (own.protocol === 'https:' ? 443 : 80)) + number;
  if (port > LAST_PORT) {
    const { flag, env } = SETTINGS.nodeUrl;
    throw new ConfigError(
      `--${flag} / ${env}: worker ${number} would listen on port ${port}, and there is none above ${LAST_PORT}`,
    );
  }
  own.port = String(port);
  return { host, port, nodeUrl: own.href.replace(/\/+$/, '') };
}
