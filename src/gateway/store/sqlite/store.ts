import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errorMessage, GatewayError } from '../../../domain/errors.js';
import type { Logger } from '../../log.js';
import type { Backend } from '../store.js';
import { sqliteRestore } from './backup.js';
import { sqliteContacts, sqlitePictures } from './contacts.js';
import { findDamage } from './damage.js';
import {
  databasePath,
  isDamage,
  lockForOpening,
  OPEN_FILE,
  type OpenDatabase,
  WRITE_AHEAD_LOG,
  wasEmptied,
} from './database.js';
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
 * @throws GatewayError `store_in_use`, `store_too_new`, `store_unavailable`, `store_damaged`
 */
export async function openSqliteBackend(options: OpenOptions): Promise<Backend> {
  const database = await openUndamaged(options);
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

/** Milliseconds by which a check delays the start after an unclean stop, at most. */
const CHECKED_MS = 5_000;

interface OpenOptions {
  dataDir: string;
  /** Is told how far the check after an unclean stop got. */
  log?: Logger | undefined;
}

/** @throws GatewayError `store_in_use`, `store_too_new`, `store_unavailable`, `store_damaged` */
async function openUndamaged(options: OpenOptions): Promise<OpenDatabase> {
  const { dataDir } = options;
  const locked = lockForOpening(dataDir);
  try {
    if (locked.wasLeftOpen) await requireUndamaged(options);
    return locked.open();
  } catch (error) {
    locked.unlock();
    const cause = error instanceof Error ? error.cause : undefined;
    throw isDamage(cause) ? damaged(dataDir, errorMessage(cause)) : error;
  }
}

/** @throws GatewayError `store_damaged` */
async function requireUndamaged({ dataDir, log }: OpenOptions): Promise<void> {
  const startedAt = performance.now();
  const damage = await findDamage(databasePath(dataDir), CHECKED_MS).catch((err: unknown) => {
    log?.warn({ err }, 'the store was not closed, and the check for damage could not run');
  });
  if (!damage) return;
  const { lines, checked, tables } = damage;
  const ms = Math.round(performance.now() - startedAt);
  const [first] = lines;
  // without a table there is nothing to start with
  if (first !== undefined) throw damaged(dataDir, first, tables > 0);
  log?.info({ checked, tables, ms }, 'the store was not closed: no damage in the tables that were checked');
}

/** @param canStart whether the rest of the database may be used */
function damaged(dataDir: string, line: string, canStart = false): GatewayError {
  const restore = `run switchboard store restore FILE --data-dir ${dataDir}, which keeps the damaged files under other names.`;
  const path = databasePath(dataDir);
  let start = '';
  if (canStart) start = ` To start with it all the same, delete ${join(dataDir, OPEN_FILE)}.`;
  else if (wasEmptied(path)) start = ` To start with an empty store, delete ${path}${WRITE_AHEAD_LOG}.`;
  return new GatewayError(
    'store_damaged',
    `The database in ${dataDir} is damaged (${line}): ${restore}${start}`,
  );
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
