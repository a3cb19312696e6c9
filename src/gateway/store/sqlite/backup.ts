import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { GatewayError } from '../../../domain/errors.js';
import {
  BACKED_UP,
  BACKUP_COLLECTIONS,
  type BackupCollection,
  type BackupSource,
  type Cell,
  fieldsOf,
  type RestoreTarget,
  type Row,
  textOf,
} from '../port/backup.js';
import type { Field } from '../port/fields.js';
import { asUnavailable, databasePath, type OpenDatabase } from './database.js';
import { fileBytes } from './file-bytes.js';
import { FOLDER } from './files.js';
import { MIGRATIONS } from './migrations.js';
import { versionOf } from './schema.js';
import { columnsOf } from './table.js';

/** Rows of a batch. */
const BATCH = 200;
/** Milliseconds to wait for a daemon that opens or closes the database at this moment. */
const BUSY_TIMEOUT_MS = 5_000;

const ORDER: { readonly [C in BackupCollection]?: string } = {
  messages: 'ORDER BY chat_room_id, sent_at, turn',
  journal: 'ORDER BY rowid',
  sends: 'ORDER BY rowid',
  expected_files: 'ORDER BY rowid',
  pending_changes: 'ORDER BY rowid',
  contacts: 'ORDER BY rowid',
};

/**
 * Reads the database in one transaction, so as it was at one instant, while a daemon writes to it: with a write-ahead log,
 * readers and the writer do not wait for each other. Files never change once they are stored.
 *
 * @throws GatewayError `store_missing`, `store_unsupported` for another version of the schema, `store_unavailable`
 */
export async function openSqliteBackup({ dataDir }: { dataDir: string }): Promise<BackupSource> {
  const path = databasePath(dataDir);
  if (!existsSync(path)) throw new GatewayError('store_missing', `There is no database in ${dataDir}.`);
  const run = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw asUnavailable(`Cannot read the database in ${dataDir}`, error);
    }
  };
  const sqlite = run(() => new SqliteDatabase(path, { readonly: true, timeout: BUSY_TIMEOUT_MS }));
  try {
    return run(() => sourceOf(sqlite, dataDir, run));
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function sourceOf(sqlite: Database, dataDir: string, run: <T>(work: () => T) => T): BackupSource {
  sqlite.exec('BEGIN');
  // the first read fixes the instant
  requireSchema(versionOf(sqlite));
  const bytes = fileBytes(join(dataDir, FOLDER));
  const sessions = sqlite.prepare<[], string>('SELECT client_id FROM sessions ORDER BY client_id').pluck();
  const dataKey = sqlite
    .prepare<[string], Uint8Array>('SELECT wrapped FROM data_keys WHERE client_id = ?')
    .pluck();
  const size = sqlite.prepare<[string], number>('SELECT file_size FROM files WHERE id = ?').pluck();
  return {
    name: 'sqlite',
    sessions: async () => run(() => sessions.all()),
    dataKey: async (clientId) => run(() => dataKey.get(clientId)),
    async *rows(clientId, collection) {
      const fields = fieldsOf(collection);
      const select = sqlite.prepare<{ clientId: string }, Record<string, unknown>>(selectOf(collection));
      const found = run(() => select.iterate({ clientId }));
      try {
        for (;;) {
          const batch: Row[] = [];
          let next = run(() => found.next());
          while (!next.done) {
            batch.push(toRow(fields, next.value));
            if (batch.length === BATCH) break;
            next = run(() => found.next());
          }
          if (batch.length > 0) yield batch;
          if (batch.length < BATCH) return;
        }
      } finally {
        found.return?.();
      }
    },
    async openFile(id) {
      const length = run(() => size.get(id)) ?? 0;
      if (length > 0) return bytes.open(id, { start: 0, end: length - 1 });
      return (await bytes.size(id)) === undefined ? undefined : Readable.from([]);
    },
    async close() {
      sqlite.close();
    },
  };
}

/** A daemon migrates the schema at its start. */
function requireSchema(version: number): void {
  if (version === MIGRATIONS.length) return;
  throw new GatewayError(
    'store_unsupported',
    `The database has schema version ${version}, this program backs up version ${MIGRATIONS.length}: ` +
      'use the release of the daemon.',
  );
}

const CREDENTIALS = `SELECT '' AS type, '' AS id, value FROM credentials WHERE client_id = @clientId UNION ALL`;

function selectOf(collection: BackupCollection): string {
  const columns = columnsOf(BACKED_UP[collection]).map(({ name, column }) => `${column} AS "${name}"`);
  const select = `SELECT ${columns} FROM ${collection} WHERE client_id = @clientId`;
  return `${collection === 'keys' ? CREDENTIALS : ''} ${select} ${ORDER[collection] ?? ''}`;
}

function toRow(fields: readonly (readonly [string, Field])[], found: Record<string, unknown>): Row {
  return Object.fromEntries(fields.map(([name, field]) => [name, toCell(field, found[name])]));
}

function toCell({ is }: Field, value: unknown): Cell {
  if (typeof value === 'number') return is === 'flag' ? value === 1 : value;
  return typeof value === 'string' || value instanceof Uint8Array ? value : null;
}

/** Writes the rows of a backup; the table `restoring` has a row until the restore is complete. */
export function sqliteRestore(database: OpenDatabase, dataDir: string): RestoreTarget {
  const { sqlite, run, inTransaction } = database;
  const bytes = fileBytes(join(dataDir, FOLDER));
  const unfinished = sqlite.prepare<[], number>('SELECT count(*) FROM restoring').pluck();
  const inserts = new Map(
    BACKUP_COLLECTIONS.map((collection) => [
      collection,
      sqlite.prepare<Cells>(insertInto(collection, defaultsOf(sqlite, collection))),
    ]),
  );
  const putCredentials = sqlite.prepare<Cells>(
    'REPLACE INTO credentials (client_id, value) VALUES (@clientId, @value)',
  );
  const insertRows = (clientId: string, collection: BackupCollection, rows: readonly Row[]) =>
    inTransaction(() => {
      for (const row of rows) {
        const isCredentials = collection === 'keys' && row.type === '';
        (isCredentials ? putCredentials : inserts.get(collection))?.run(toCells(clientId, row));
      }
    });

  return {
    isUnfinished: async () => run(() => unfinished.get()) !== 0,
    async begin() {
      run(() => sqlite.exec('REPLACE INTO restoring (id) VALUES (1)'));
    },
    insert: async (clientId, collection, rows) => insertRows(clientId, collection, rows),
    async insertFile(clientId, file, source) {
      await bytes.write(textOf(file, 'id'), source);
      insertRows(clientId, 'files', [file]);
    },
    async end() {
      run(() => sqlite.exec('DELETE FROM restoring'));
    },
  };
}

type Cells = Record<string, string | number | Uint8Array | null>;

function toCells(clientId: string, row: Row): Cells {
  const cells = Object.entries(row).map(([field, cell]) => [
    field,
    typeof cell === 'boolean' ? Number(cell) : cell,
  ]);
  return { ...Object.fromEntries(cells), clientId };
}

const OF_ROOM_THEN = 'client_id = @clientId AND chat_room_id = @chatRoomId AND sent_at = @sentAt';

/** The columns that take no null, and their defaults: an older backup has null for a field that it does not know. */
function defaultsOf(sqlite: Database, collection: BackupCollection): ReadonlyMap<string, string> {
  const columns = sqlite.prepare<[string], { name: string; value: string }>(
    `SELECT name, dflt_value AS value FROM pragma_table_info(?) WHERE "notnull" = 1 AND dflt_value IS NOT NULL`,
  );
  return new Map(columns.all(collection).map(({ name, value }) => [name, value]));
}

/** Without a snapshot, a backup may hold a row twice: the first one counts. */
function insertInto(collection: BackupCollection, defaults: ReadonlyMap<string, string>): string {
  const own = columnsOf(BACKED_UP[collection]);
  const columns = ['client_id', ...own.map(({ column }) => column)];
  const ownValues = own.map(({ name, column }) => {
    const value = defaults.get(column);
    return value === undefined ? `@${name}` : `coalesce(@${name}, ${value})`;
  });
  const values = ['@clientId', ...ownValues];
  if (collection !== 'messages') {
    return `INSERT OR IGNORE INTO ${collection} (${columns}) VALUES (${values})`;
  }
  return `INSERT OR IGNORE INTO messages (${columns}, turn)
    SELECT ${values}, coalesce(max(turn), 0) + 1 FROM messages WHERE ${OF_ROOM_THEN}`;
}
