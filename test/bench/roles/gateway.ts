import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig } from '../../../src/config/load.js';
import type { RawSettings } from '../../../src/config/schema.js';
import { createDaemon, type Daemon } from '../../../src/daemon/daemon.js';
import { createLog } from '../../../src/log.js';
import { serve, vitals } from '../support/role.js';

let daemon: Daemon | undefined;

/** Milliseconds between two looks; a block is told less this time. */
const RESOLUTION_MS = 10;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

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
  /** The longest block of the event loop since the last call. */
  longestBlockMs(_: object): number {
    const longest = delays.max / 1e6;
    delays.reset();
    return Math.max(0, longest - RESOLUTION_MS);
  },
  residentNowMb: (_: object): number => process.memoryUsage.rss() / 1024 / 1024,
  async stop(_: object): Promise<void> {
    await daemon?.stop();
    daemon = undefined;
  },
};

export type GatewayRole = typeof commands;

serve(commands);
