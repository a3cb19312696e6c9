import { loadConfig } from '../../../src/gateway/config/load.js';
import { createDaemon } from '../../../src/gateway/daemon/daemon.js';
import { createLog } from '../../../src/gateway/log.js';
import { TailReader } from '../../support/tail-reader.js';

/** Open handles and memory after a daemon has stopped. */
export interface Leftovers {
  /** Open handles and timers by their kind. */
  handles: [kind: string, count: number][];
  /** Bytes after a full collection. */
  heapUsed: number;
}

/**
 * Starts a daemon and stops it, several times in one process; says on its channel what is left after each round.
 * In its arguments: the settings as JSON, the number of sessions that must be connected before the stop, the rounds.
 */
const [settings = '{}', sessions, rounds] = process.argv.slice(2);
const flags: { dataDir: string; token: string } = JSON.parse(settings);

for (let round = 0; round < Number(rounds); round++) {
  await startAndStop();
  const left = await leftovers();
  await new Promise((resolve) => process.send?.(left, resolve));
}
// a timer of the protocol library would keep the process for up to half a minute
process.exit();

async function startAndStop(): Promise<void> {
  const config = await loadConfig({ flags, env: {}, defaultDataDir: flags.dataDir });
  const log = createLog({ level: 'silent', pretty: false });
  const daemon = await createDaemon(config, { log });
  const tail = await new TailReader().open(daemon.url, flags.token);
  await tail.until(
    ({ kind }) => kind === 'event',
    async () => {
      const answer = await fetch(new URL('/health/ready', daemon.url));
      const ready: { sessions: { connected: number } } = JSON.parse(await answer.text());
      return ready.sessions.connected === Number(sessions);
    },
  );
  await tail.close();
  await daemon.stop();
}

async function leftovers(): Promise<Leftovers> {
  // what has been let go of is closed in the turns that follow
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
  const handles = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) handles.set(kind, (handles.get(kind) ?? 0) + 1);
  return { handles: [...handles], heapUsed: process.memoryUsage().heapUsed };
}
