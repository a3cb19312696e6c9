import { loadConfig } from '../../../src/config/index.js';
import type { RawSettings } from '../../../src/config/schema.js';
import { createDaemon, type Daemon } from '../../../src/daemon.js';
import { createLog } from '../../../src/log.js';
import { serve } from '../support/serve.js';
import { vitals } from '../support/vitals.js';

let daemon: Daemon | undefined;

const commands = {
  ...vitals,
  /** @returns the API's address */
  async start({ wsUrl, ...settings }: RawSettings & { wsUrl: string; dataDir: string }): Promise<string> {
    const { dataDir } = settings;
    const config = await loadConfig({
      flags: { port: 0, network: `sandbox+${wsUrl}`, nodeName: 'bench', ...settings },
      env: {},
      defaultDataDir: dataDir,
    });
    daemon = await createDaemon(config, { log: createLog({ level: 'silent', pretty: false }) });
    return daemon.url;
  },
  async stop(_: object): Promise<void> {
    await daemon?.stop();
    daemon = undefined;
  },
};

export type GatewayRole = typeof commands;

serve(commands);
