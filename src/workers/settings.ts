import { join } from 'node:path';
import { type Config, ConfigError, SETTING_NAMES, SETTINGS } from '../config/index.js';

const LAST_PORT = 65_535;

/** What all workers of a machine share. */
export interface Shared {
  /** Where the router listens. */
  url: string;
  /** Of the sandbox network that runs in the parent. */
  networkUrl: string | undefined;
}

/**
 * The settings of a worker.
 * @param number 1 for the first
 * @throws ConfigError when there is no port for it
 */
export function workerConfig(config: Config, number: number, { url, networkUrl }: Shared): Config {
  return {
    ...config,
    ...listening(config, number),
    workers: 1,
    nodeName: `${config.nodeName}-${number}`,
    dataDir: join(config.dataDir, `worker-${number}`),
    publicUrl: config.port === 0 && config.publicUrl.endsWith(':0') ? url : config.publicUrl,
    network: networkUrl ? `sandbox+${networkUrl}` : config.network,
  };
}

/** Every setting by its variable, on top of this process's own: secrets do not belong into arguments, which all can see. */
export function workerEnvironment(config: Config): NodeJS.ProcessEnv {
  const settings = SETTING_NAMES.map((name) => [SETTINGS[name].env, String(config[name])]);
  return { ...process.env, ...Object.fromEntries(settings) };
}

/**
 * Other machines reach a worker at the machine's address, on a port of its own after that one's. Without such an address
 * only this machine can, and any free port will do.
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
