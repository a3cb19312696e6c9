import { loadConfig } from '../../src/config/load.js';
import { createDaemon } from '../../src/daemon/daemon.js';
import { createLog } from '../../src/log.js';
import type { ProcessOverrides } from './daemon-process.js';
import { QUICK_BACKOFF } from './world.js';

/**
 * A daemon as a process of its own, to be killed: settings come as JSON in the first argument, overrides in
 * the second. It says on its channel where it listens, stops when it is asked to, and ends when whoever started it is gone.
 */
const flags: { dataDir: string } = JSON.parse(process.argv[2] ?? '{}');
const overrides: ProcessOverrides = JSON.parse(process.argv[3] ?? '{}');
process.on('disconnect', () => process.exit());
const config = await loadConfig({ flags, env: {}, defaultDataDir: flags.dataDir });
const log = createLog({ level: process.env.TEST_LOG ?? 'silent', pretty: false });
const daemon = await createDaemon(config, { log, backoff: QUICK_BACKOFF, ...overrides });
process.once('message', async () => {
  await daemon.stop();
  process.exit();
});
process.send?.(daemon.url);
