import { loadConfig } from '../../../../../src/gateway/config/load.js';
import type { Config, RawSettings } from '../../../../../src/gateway/config/schema.js';

/** Settings for two workers that reach no store and no network. */
export function workersConfig(dataDir: string, settings: RawSettings = {}): Promise<Config> {
  const flags = {
    dataDir,
    workers: 2,
    port: 0,
    nodeName: 'node',
    store: 'mongodb://none.invalid/none',
    network: 'sandbox+ws://none.invalid/ws/chat',
    ...settings,
  };
  return loadConfig({ flags, env: {}, defaultDataDir: dataDir });
}
