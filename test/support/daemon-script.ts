import { loadConfig } from '../../src/gateway/config/load.js';
import { createDaemon } from '../../src/gateway/daemon/daemon.js';
import { createLog } from '../../src/gateway/log.js';
import type { SealedStore } from '../../src/gateway/store/sealing/sealed-store.js';
import type { SentRecord } from '../../src/gateway/store/store.js';
import type { DeathPoint, ProcessOverrides } from './daemon-process.js';
import { QUICK_BACKOFF } from './world.js';

/** Where it kills itself. */
let death: DeathPoint | undefined;

/** Does a write, unless the process dies before it, or after it. */
async function mortal<T>(write: DeathPoint['write'], work: () => Promise<T>): Promise<T> {
  if (death?.write === write && death.when === 'before') await die();
  const result = await work();
  if (death?.write === write && death.when === 'after') await die();
  return result;
}

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

function stateIn({ held, closed }: SentRecord): DeathPoint['write'] {
  if (held !== undefined) return closed ? 'waiting' : 'leaving';
  return closed ? 'ended' : 'open';
}

function aroundStore(store: SealedStore): SealedStore {
  const { sends, idempotency, journal } = store;
  return {
    ...store,
    sends: {
      ...sends,
      put: (clientId, record) => mortal(stateIn(record), () => sends.put(clientId, record)),
      close: (clientId, messageId) => mortal('close', () => sends.close(clientId, messageId)),
      acknowledge: (clientId, messageId) =>
        mortal('acknowledge', () => sends.acknowledge(clientId, messageId)),
      finish: (clientId, messageId) => mortal('finish', () => sends.finish(clientId, messageId)),
    },
    journal: {
      ...journal,
      close: (...entries) => mortal('journal', () => journal.close(...entries)),
    },
    idempotency: {
      ...idempotency,
      answer: (clientId, key, answer) => mortal('answer', () => idempotency.answer(clientId, key, answer)),
    },
  };
}

/**
 * A daemon as a process of its own, to be killed: settings come as JSON in the first argument, overrides in
 * the second. It says on its channel where it listens, stops when it is asked to, and ends when whoever started it is gone.
 */
const flags: { dataDir: string } = JSON.parse(process.argv[2] ?? '{}');
const overrides: ProcessOverrides = JSON.parse(process.argv[3] ?? '{}');
process.on('disconnect', () => process.exit());
const config = await loadConfig({ flags, env: {}, defaultDataDir: flags.dataDir });
const log = createLog({ level: process.env.TEST_LOG ?? 'silent', pretty: false });
const daemon = await createDaemon(config, { log, backoff: QUICK_BACKOFF, aroundStore, ...overrides });
process.on('message', async (asked: 'stop' | DeathPoint) => {
  if (asked === 'stop') {
    await daemon.stop();
    process.exit();
  }
  death = asked;
  process.send?.('armed');
});
process.send?.(daemon.url);
