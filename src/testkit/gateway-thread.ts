import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage } from '../domain/errors.js';
import { isObject } from '../domain/json.js';
import { doubling } from '../domain/retry.js';
import { loadConfig } from '../gateway/config/load.js';
import { createDaemon } from '../gateway/daemon/daemon.js';
import { createLog } from '../gateway/log.js';

/**
 * The program of the thread that runs the simulated network and the gateway: see `gateway.ts`. Reports their URLs, or
 * why they did not start; ends them on the first message from the test.
 */

/** Short delays between attempts to connect, so that tests need not wait. */
const BACKOFF = { pausesMs: doubling(20, 200), endless: true };
/** Milliseconds for work in flight at the end of a test. */
const STOP_GRACE_MS = 500;

async function start(settings: unknown): Promise<() => Promise<void>> {
  if (!isObject(settings)) throw new TypeError('the settings must be an object');
  const dataDir = String(settings.dataDir);
  // run the network inside the daemon, so that both share a clock
  const flags = { ...settings, network: 'sandbox', sandboxPort: 0 };
  const config = await loadConfig({ flags, env: {}, defaultDataDir: dataDir });
  const log = createLog({ level: config.logLevel, pretty: false });
  const daemon = await createDaemon(config, { log, backoff: BACKOFF, stopGraceMs: STOP_GRACE_MS });
  parentPort?.postMessage({ url: daemon.url, sandboxUrl: daemon.sandboxUrl });
  return () => daemon.stop();
}

parentPort?.once('message', async () => {
  const stop = await started;
  await stop?.();
  parentPort?.postMessage({ stopped: true });
});

const started = start(workerData).catch((error: unknown) => {
  parentPort?.postMessage({ problem: errorMessage(error) });
});
