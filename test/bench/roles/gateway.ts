import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { loadConfig } from '../../../src/gateway/config/load.js';
import type { RawSettings } from '../../../src/gateway/config/schema.js';
import { createDaemon, type Daemon } from '../../../src/gateway/daemon/daemon.js';
import { createLog } from '../../../src/gateway/log.js';
import { serve, vitals } from '../support/role.js';

let daemon: Daemon | undefined;

/** Milliseconds between two looks; a block is told less this time. */
const RESOLUTION_MS = 10;
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();

let longestCollectionMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) longestCollectionMs = Math.max(longestCollectionMs, duration);
}).observe({ entryTypes: ['gc'] });

export interface Block {
  ms: number;
  collectionMs: number;
}

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
  /** The longest block of the event loop since the last call, and the longest pause for the collection of garbage. */
  longestBlock(_: object): Block {
    const block = { ms: Math.max(0, delays.max / 1e6 - RESOLUTION_MS), collectionMs: longestCollectionMs };
    delays.reset();
    longestCollectionMs = 0;
    return block;
  },
  residentNowMb: (_: object): number => process.memoryUsage.rss() / 1024 / 1024,
  async stop(_: object): Promise<void> {
    await daemon?.stop();
    daemon = undefined;
  },
};

export type GatewayRole = typeof commands;

serve(commands);
