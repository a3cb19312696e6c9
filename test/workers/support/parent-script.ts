import { createLog } from '../../../src/log.js';
import { startWorkers } from '../../../src/workers/workers.js';
import { workersConfig } from './workers-config.js';

/** Two workers and their parent, as a program of its own, to be killed: it says on its channel where they listen. */
const [, , dataDir = '', path = ''] = process.argv;
const workers = await startWorkers(await workersConfig(dataDir), {
  log: createLog({ level: 'silent', pretty: false }),
  signal: new AbortController().signal,
  program: { path, args: [], execArgv: [] },
});
process.send?.(workers?.workerUrls);
