import { setImmediate } from 'node:timers/promises';
import type { Backend } from '../store.js';
import { sqliteRestore } from './backup.js';
import { sqliteContacts, sqlitePictures } from './contacts.js';
import { type OpenDatabase, openDatabase } from './database.js';
import { sqliteFailedDeliveries, sqliteWaitingDeliveries } from './deliveries.js';
import { sqliteExpectedFiles, sqliteFiles } from './files.js';
import { sqliteHistory } from './history.js';
import { sqliteKeptEvents } from './kept-events.js';
import { sqliteDataKeys, sqliteKeys } from './keys.js';
import { sqliteTraces } from './messages.js';
import { sqliteIdempotency, sqliteSends } from './sends.js';
import { sqliteSessions } from './sessions.js';
import { sqliteVersions } from './versions.js';

/**
 * Opens the SQLite back end: `switchboard.db` and the folder `media` in the data directory, locked for this process.
 *
 * @throws GatewayError `store_in_use`, `store_too_new`, `store_unavailable`
 */
export async function openSqliteBackend(options: { dataDir: string }): Promise<Backend> {
  const database = openDatabase(options.dataDir);
  const probe = prepareProbe(database);
  const files = sqliteFiles(database, options.dataDir);
  const forgetRows = prepareForget(database);
  return {
    name: 'sqlite',
    cluster: undefined,
    sessions: sqliteSessions(database),
    ...sqliteKeys(database),
    contacts: sqliteContacts(database),
    sends: sqliteSends(database),
    traces: sqliteTraces(database),
    history: sqliteHistory(database),
    files,
    expectedFiles: sqliteExpectedFiles(database),
    pictures: sqlitePictures(database),
    idempotency: sqliteIdempotency(database),
    failedDeliveries: sqliteFailedDeliveries(database),
    waitingDeliveries: sqliteWaitingDeliveries(database),
    keptEvents: sqliteKeptEvents(database),
    versions: sqliteVersions(database),
    dataKeys: sqliteDataKeys(database),
    restore: sqliteRestore(database, options.dataDir),
    async ping() {
      probe();
    },
    async forget(clientId) {
      await files.removeAll(clientId);
      await forgetRows(clientId);
    },
    async close() {
      database.close();
    },
  };
}

/** Writes, because reads come from memory: only a write detects a full disk or a read-only file system. */
function prepareProbe({ sqlite, run, checkFile }: OpenDatabase): () => void {
  const write = sqlite.prepare<[number]>('REPLACE INTO probe (id, at) VALUES (1, ?)');
  return () =>
    run(() => {
      checkFile();
      write.run(Date.now());
    });
}

/** Tables that can hold a million rows of a session. They are emptied first, in small steps, to keep the process responsive. */
const LARGE_TABLES = ['messages', 'message_status', 'traces', 'kept_events'];
/** Rows of a step. */
const DELETED_AT_ONCE = 500;

/** Takes the tables from the schema, so that no new table can be left out. */
function prepareForget({ sqlite, run, inTransaction }: OpenDatabase): (clientId: string) => Promise<void> {
  const reductions = LARGE_TABLES.map((table) =>
    sqlite.prepare<[string]>(`DELETE FROM ${table} WHERE client_id = ? LIMIT ${DELETED_AT_ONCE}`),
  );
  const deletions = sqlite
    .prepare<[], string>(
      `SELECT t.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c ON c.name = 'client_id'
       WHERE t.type = 'table'`,
    )
    .pluck()
    .all()
    .map((table) => sqlite.prepare<[string]>(`DELETE FROM "${table}" WHERE client_id = ?`));
  return async (clientId) => {
    for (const reduction of reductions) {
      while (run(() => reduction.run(clientId).changes) === DELETED_AT_ONCE) await setImmediate();
    }
    inTransaction(() => {
      for (const deletion of deletions) deletion.run(clientId);
    });
    // the write-ahead log still holds the deleted rows: empty it
    run(() => sqlite.pragma('wal_checkpoint(TRUNCATE)'));
  };
}
