import { setImmediate } from 'node:timers/promises';
import type { Backend } from '../store.js';
import { sqliteContacts } from './contacts.js';
import { sqliteDataKeys } from './data-keys.js';
import { type OpenDatabase, openDatabase } from './database.js';
import { sqliteExpectedFiles } from './expected-files.js';
import { sqliteFailedDeliveries } from './failed-deliveries.js';
import { sqliteFiles } from './file-store.js';
import { sqliteHistory } from './history.js';
import { sqliteIdempotency } from './idempotency.js';
import { sqliteJournal } from './journal.js';
import { sqliteKeys } from './keys.js';
import { sqlitePictures } from './pictures.js';
import { sqliteSends } from './sends.js';
import { sqliteSessions } from './sessions.js';
import { sqliteTraces } from './traces.js';

/**
 * Opens the SQLite back end: `switchboard.db` in the data directory and the folder `media` beside it, for this process
 * alone.
 *
 * @throws GatewayError `store_in_use`, `store_too_new`, `store_unavailable`
 */
export async function openSqliteBackend(options: { dataDir: string }): Promise<Backend> {
  const database = openDatabase(options.dataDir);
  const journal = sqliteJournal(database);
  const probe = prepareProbe(database);
  const files = sqliteFiles(database, options.dataDir);
  const forgetRows = prepareForget(database);
  return {
    name: 'sqlite',
    cluster: undefined,
    sessions: sqliteSessions(database),
    keys: sqliteKeys(database, journal.add),
    journal,
    contacts: sqliteContacts(database),
    sends: sqliteSends(database),
    traces: sqliteTraces(database),
    history: sqliteHistory(database),
    files,
    expectedFiles: sqliteExpectedFiles(database),
    pictures: sqlitePictures(database),
    idempotency: sqliteIdempotency(database),
    failedDeliveries: sqliteFailedDeliveries(database),
    dataKeys: sqliteDataKeys(database),
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

/** Writes, because reading is answered from memory: a full disk or a file system gone read-only shows only so. */
function prepareProbe({ sqlite, run, checkFile }: OpenDatabase): () => void {
  const write = sqlite.prepare<[number]>('REPLACE INTO probe (id, at) VALUES (1, ?)');
  return () =>
    run(() => {
      checkFile();
      write.run(Date.now());
    });
}

/** Tables that can hold a million rows of a session: they are emptied beforehand, in steps, so that nobody is held up. */
const LARGE_TABLES = ['messages', 'message_status', 'traces'];
/** Rows of a step. */
const DELETED_AT_ONCE = 500;

/** Reads the tables off the schema, so that a new one cannot be left out. */
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
    // the write-ahead log still holds what was deleted: empty it
    run(() => sqlite.pragma('wal_checkpoint(TRUNCATE)'));
  };
}
