import type { MonotonicClock } from '../../domain/clock.js';
import type { Backend } from '../store.js';
import { deleteAllOf } from './collections.js';
import { commitLog } from './commits.js';
import { mongoContacts } from './contacts.js';
import { mongoDataKeys } from './data-keys.js';
import { openMongoDatabase } from './database.js';
import { mongoExpectedFiles } from './expected-files.js';
import { mongoFailedDeliveries } from './failed-deliveries.js';
import { Fences } from './fences.js';
import { mongoFiles } from './file-store.js';
import { mongoHistory } from './history.js';
import { mongoIdempotency } from './idempotency.js';
import { applyJournal, mongoJournal } from './journal.js';
import { applyKeys, mongoKeys } from './keys.js';
import { mongoLeases } from './leases.js';
import { mongoNodes } from './nodes.js';
import { mongoPictures } from './pictures.js';
import { mongoSends } from './sends.js';
import { mongoSessions } from './sessions.js';
import { mongoTraces } from './traces.js';
import { whileHeld } from './while-held.js';

/**
 * Opens the MongoDB back end: one database, which several daemons may share as long as each session is held by one.
 * Works the same on a replica set and on a standalone server.
 *
 * @param options.url the database is its path, `switchboard` when it has none
 * @param options.clock by which the process knows that it cannot hold a session any more
 * @throws GatewayError `store_too_new`, `store_unavailable`
 */
export async function openMongoBackend(options: { url: string; clock?: MonotonicClock }): Promise<Backend> {
  const database = await openMongoDatabase(options.url);
  const fences = new Fences(options.clock);
  const log = commitLog(database, fences, async (clientId, commit) => {
    await Promise.all([applyKeys(database, clientId, commit), applyJournal(database, clientId, commit)]);
  });
  const files = mongoFiles(database);
  return {
    name: 'mongodb',
    sessions: mongoSessions(database, fences),
    keys: mongoKeys(database, log),
    journal: mongoJournal(database, fences, log),
    history: mongoHistory(database, fences),
    ...whileHeld(fences, {
      contacts: mongoContacts(database),
      sends: mongoSends(database),
      traces: mongoTraces(database),
      files,
      expectedFiles: mongoExpectedFiles(database),
      pictures: mongoPictures(database),
      idempotency: mongoIdempotency(database),
      failedDeliveries: mongoFailedDeliveries(database),
    }),
    cluster: { leases: mongoLeases(database, fences, log), nodes: mongoNodes(database) },
    dataKeys: mongoDataKeys(database),
    ping: () => database.ping(),
    forget: (clientId) =>
      log.end(clientId, async (fence) => {
        await files.removeAll(clientId);
        await deleteAllOf(database.db, clientId, fence);
      }),
    async close() {
      await log.idle();
      await database.close();
    },
  };
}
