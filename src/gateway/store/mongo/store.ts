import type { Db } from 'mongodb';
import type { MonotonicClock } from '../../../domain/clock.js';
import type { Logger } from '../../log.js';
import type { BackupSource } from '../port/backup.js';
import type { Backend } from '../store.js';
import { Backlog } from './backlog.js';
import { mongoBackup, mongoRestore } from './backup.js';
import { mongoLeases, mongoNodes } from './cluster.js';
import { type CommitLog, commitLog } from './commits.js';
import { mongoContacts, mongoPictures } from './contacts.js';
import { type MongoDatabase, openMongoDatabase } from './database.js';
import { mongoFailedDeliveries, mongoWaitingDeliveries } from './deliveries.js';
import { type Fence, Fences, fenced } from './fences.js';
import { mongoExpectedFiles, mongoFiles } from './files.js';
import { HeldCache } from './held-cache.js';
import { mongoHistory } from './history.js';
import { mongoKeptEvents } from './kept-events.js';
import { journalOperations, keyOperations, mongoDataKeys, mongoJournal, mongoKeys } from './keys.js';
import { KnownEntries } from './known-entries.js';
import { type HeldTrace, mongoTraces, traceKey } from './messages.js';
import { rowOperations } from './row-operations.js';
import { COLLECTIONS, requireNewestSchema } from './schema.js';
import { type CachedSend, mongoIdempotency, mongoSends } from './sends.js';
import { mongoSessions } from './sessions.js';
import { mongoVersions } from './versions.js';
import { deleteInBatches } from './writes.js';

/** Bytes of the Signal keys of all sessions that are kept in memory, of own messages and of traces. */
const KEY_BYTES = 64 * 1024 * 1024;
const SEND_BYTES = 16 * 1024 * 1024;
const TRACE_BYTES = 8 * 1024 * 1024;
const NEW_BYTES = 1024 * 1024;

/**
 * Opens the MongoDB back end: one database, which several daemons may share. Works on replica sets and standalone servers.
 *
 * @param options.url the database is its path, `switchboard` if it has none
 * @param options.clock measures the expiry of leases
 * @param options.log is told of a client that was replaced
 * @throws GatewayError `store_too_new`, `store_unavailable`
 */
export async function openMongoBackend(options: {
  url: string;
  clock?: MonotonicClock;
  log?: Logger | undefined;
}): Promise<Backend> {
  const database = await openMongoDatabase(options.url, { log: options.log });
  const fences = new Fences(options.clock);
  const log = openLog(database, fences);
  const known = new KnownEntries(database.db.collection('journal'), log);
  const heldKeys = new HeldCache<Uint8Array | null>(log, KEY_BYTES, (value) => value?.length ?? 0);
  const heldSends = new HeldCache<CachedSend>(log, SEND_BYTES, (send) =>
    send ? send.content.length + (send.held?.length ?? 0) : 0,
  );
  const newSends = new HeldCache<true>(log, NEW_BYTES, () => 0);
  const heldTraces = new HeldCache<HeldTrace>(log, TRACE_BYTES, (trace) => trace?.secret?.length ?? 0);
  const files = mongoFiles(database);
  return {
    name: 'mongodb',
    sessions: mongoSessions(database, fences),
    keys: mongoKeys(database, log, heldKeys, known),
    journal: mongoJournal(database, log, known),
    history: mongoHistory(database, fences, log, (clientId, messageId) => newSends.take(clientId, messageId)),
    ...fenced(fences, {
      contacts: mongoContacts(database),
      sends: mongoSends(database, log, heldSends, (clientId, messageId) => {
        heldTraces.set(clientId, traceKey(messageId), null);
        newSends.set(clientId, messageId, true);
      }),
      traces: mongoTraces(database, log, heldTraces),
      files,
      expectedFiles: mongoExpectedFiles(database),
      pictures: mongoPictures(database),
      idempotency: mongoIdempotency(database),
      failedDeliveries: mongoFailedDeliveries(database),
      waitingDeliveries: mongoWaitingDeliveries(database),
      keptEvents: mongoKeptEvents(database),
    }),
    cluster: { leases: mongoLeases(database, fences, log), nodes: mongoNodes(database) },
    versions: mongoVersions(database),
    dataKeys: mongoDataKeys(database),
    restore: mongoRestore(database, log),
    ping: () => database.ping(),
    forget: (clientId) =>
      log.end(clientId, async (fence) => {
        await files.removeAll(clientId);
        await deleteAllOf(database.db, clientId, fence);
      }),
    async close() {
      await log.close();
      await database.close();
    },
  };
}

/**
 * Opens the MongoDB database for a backup, beside daemons that use it.
 *
 * @throws GatewayError `store_missing`, `store_unsupported` for an older schema, `store_too_new`, `store_unavailable`
 */
export async function openMongoBackup({ url }: { url: string }): Promise<BackupSource> {
  const database = await openMongoDatabase(url, { prepare: requireNewestSchema });
  return mongoBackup(database, openLog(database, new Fences()));
}

function openLog(database: MongoDatabase, fences: Fences): CommitLog {
  const targets = [
    { name: 'keys', ordered: false, operations: keyOperations },
    // in order, so that entries with the same time keep their order
    { name: 'journal', ordered: true, operations: journalOperations },
    { name: 'sends', ordered: true, operations: rowOperations('sends') },
    { name: 'traces', ordered: false, operations: rowOperations('traces') },
  ];
  const backlog = new Backlog(database, targets, (clientId) => fences.unexpiredLeaseOf(clientId));
  return commitLog(database, fences, backlog);
}

/**
 * Deletes all data of a session, one collection after the other; if interrupted, the session can be forgotten again. The
 * commit document of a claimed session stays, with numbers only: a former holder must not create another one.
 *
 * @throws GatewayError `session_elsewhere` if the lease expires meanwhile
 */
async function deleteAllOf(db: Db, clientId: string, fence: Fence): Promise<void> {
  const wasClaimed = fence.epoch !== undefined;
  for (const { name, owner } of COLLECTIONS) {
    if (wasClaimed && name === 'commits') continue;
    await deleteInBatches(db.collection(name), { [owner]: clientId }, () => fence.condition());
  }
}
