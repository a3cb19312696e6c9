import { loadConfig } from '../../../src/config/index.js';
import { createDaemon, type Daemon } from '../../../src/daemon.js';
import { createLog } from '../../../src/log.js';
import { serve } from '../support/serve.js';
import { vitals } from '../support/vitals.js';

let daemon: Daemon | undefined;

const commands = {
  ...vitals,
  /** @returns the API's address */
  async start({ wsUrl, dataDir, token }: { wsUrl: string; dataDir: string; token: string }): Promise<string> {
    const config = await loadConfig({
      flags: { port: 0, network: `sandbox+${wsUrl}`, token, nodeName: 'bench', dataDir },
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
