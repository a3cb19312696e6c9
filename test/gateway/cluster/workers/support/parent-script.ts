import { startWorkers } from '../../../../../src/gateway/cluster/workers/workers.js';
import { createLog } from '../../../../../src/gateway/log.js';
import { workersConfig } from './workers-config.js';

/** Two workers and their parent as a separate process that a test can kill; reports their ports over IPC. */
const [, , dataDir = '', path = ''] = process.argv;
const workers = await startWorkers(await workersConfig(dataDir), {
  log: createLog({ level: 'silent', pretty: false }),
  signal: new AbortController().signal,
  program: { path, args: [], execArgv: [] },
});
process.send?.(workers?.workerUrls);
