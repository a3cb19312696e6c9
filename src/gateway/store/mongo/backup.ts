import { Readable } from 'node:stream';
import { Binary, type Document, MongoBulkWriteError, type ObjectId } from 'mongodb';
import { systemClock, wait } from '../../../domain/clock.js';
import { isObject, parseObject } from '../../../domain/json.js';
import { pauseAfter } from '../../../domain/retry.js';
import {
  BACKED_UP,
  type BackupCollection,
  type BackupSource,
  type Cell,
  fieldsOf,
  type RestoreTarget,
  type Row,
  textOf,
} from '../port/backup.js';
import { type Field, noneOf } from '../port/fields.js';
import { readTexts } from '../port/json.js';
import type { CommitDocument } from './backlog.js';
import type { CommitLog } from './commits.js';
import type { MongoDatabase } from './database.js';
import { fileBytes } from './file-bytes.js';
import { withFormerExport } from './sessions.js';
import type { StoredChange, StoredEntry } from './stored-changes.js';
import { DUPLICATE_KEY, fromBinary, toBinary } from './writes.js';

/** Rows of a batch. */
const BATCH = 200;
/** Readings of the keys of a session while it commits; the last one counts even if a commit came in between. */
const READINGS = 3;

/** While commits are not applied to their collections; a daemon does it within a second. */
const APPLIED_SOON = { pausesMs: [50, 100, 200, 400, 800, 1_600, 3_200], endless: false };

/** How the documents of a collection differ from the rows of a backup, beside what the fields of their records say. */
interface Shape {
  /** Along an index; the order of a room's messages matters. */
  sort?: Record<string, 1 | -1>;
  toRow?(document: Document): Document;
  toDocument?(row: Row): Document;
}

const SHAPES: { readonly [C in BackupCollection]?: Shape } = {
  sessions: { toRow: withFormerExport },
  sends: {
    toRow: (found) => ({ ...found, closed: found.open !== true }),
    toDocument: ({ closed, ...row }) => ({ ...row, ...(closed === false && { open: true }) }),
  },
  traces: {
    toDocument: (row) => ({ ...row, ...(textOf(row, 'chat').endsWith(BY_NUMBER) && { byNumber: true }) }),
  },
  // the index backwards
  messages: { sort: { chatRoomId: -1, sentAt: 1, _id: 1 } },
  rooms: {
    // without settings that no device has changed
    toDocument: (row) => {
      const set = Object.entries(row).filter(([, cell]) => cell !== null);
      return { ...Object.fromEntries(set), counted: [] };
    },
  },
  // a contact with a LID before the former half that a merge deletes
  contacts: { sort: { pn: 1, lid: -1 } },
  waiting_deliveries: { sort: { since: 1 } },
  kept_events: { sort: { at: 1, _id: 1 } },
};

const BY_NUMBER = '@s.whatsapp.net';

/**
 * Reads the database while daemons write to it. There is no snapshot of a whole database on every kind of server: each
 * session is read in the order of `BACKED_UP`, and its keys as they were after one commit.
 */
export function mongoBackup(database: MongoDatabase, log: CommitLog): BackupSource {
  const { db, run, pinned } = database;
  const bytes = fileBytes(database);
  const commits = db.collection<CommitDocument>('commits');
  const files = db.collection<{ id: string; bytesId: ObjectId; fileSize: number }>('files');

  const headOf = (clientId: string) => run(() => commits.findOne({ _id: clientId }));
  /**
   * Waits until a daemon has applied the commits so far, with their journal entries, sends and traces; applies them if none
   * does, so as the next owner would.
   */
  const settle = async (clientId: string): Promise<void> => {
    const last = (await headOf(clientId))?.n ?? 0;
    for (let looks = 1; ; looks++) {
      const { log: pending = [], changes } = (await headOf(clientId)) ?? {};
      if (!changes && pending.every(({ n }) => n > last)) return;
      const pauseMs = pauseAfter(APPLIED_SOON, looks);
      if (pauseMs === undefined) return log.readAnew(clientId, async () => undefined);
      await wait(systemClock, pauseMs);
    }
  };
  const keysOf = async (clientId: string): Promise<Row[]> => {
    for (let reading = 1; ; reading++) {
      await settle(clientId);
      const { n = 0, since = 0, log: pending = [] } = (await headOf(clientId)) ?? {};
      const named = { clientId, n: { $gte: since }, value: { $ne: null } };
      const found = await run(() => db.collection('keys').find(named).toArray());
      // a daemon may apply what waits during the reading
      const isSame = pending.length === 0 && ((await headOf(clientId))?.n ?? 0) === n;
      if (isSame || reading === READINGS) return found.map((key) => rowOf('keys', key));
    }
  };

  return {
    name: 'mongodb',
    sessions: () =>
      run(async () => {
        const found = db.collection<{ _id: string }>('sessions').find({}, { projection: { _id: 1 } });
        return (await found.sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
      }),
    async dataKey(clientId) {
      const found = await run(() =>
        db.collection<{ _id: string; wrapped: Binary }>('data_keys').findOne({ _id: clientId }),
      );
      return found ? fromBinary(found.wrapped) : undefined;
    },
    async *rows(clientId, collection) {
      if (collection === 'keys') return yield* inBatches(await keysOf(clientId));
      const { sort } = SHAPES[collection] ?? {};
      const owner = idOf(collection) === 'clientId' ? '_id' : 'clientId';
      const next = pinned();
      const cursor = db.collection(collection).find({ [owner]: clientId }, { batchSize: BATCH });
      if (sort) cursor.sort(sort);
      try {
        for (;;) {
          const batch: Row[] = [];
          for (let left = BATCH; left > 0; left--) {
            const found = await next(() => cursor.next());
            if (!found) break;
            batch.push(rowOf(collection, found));
          }
          if (batch.length > 0) yield batch;
          if (batch.length < BATCH) return;
        }
      } finally {
        await cursor.close();
      }
    },
    async openFile(id) {
      const found = await run(() => files.findOne({ id }));
      if (!found) return undefined;
      if (found.fileSize === 0) return Readable.from([]);
      return bytes.open(found.bytesId, { start: 0, end: found.fileSize - 1 });
    },
    async close() {
      await log.close();
      await database.close();
    },
  };
}

function* inBatches(rows: readonly Row[]): Generator<Row[]> {
  for (let from = 0; from < rows.length; from += BATCH) yield rows.slice(from, from + BATCH);
}

function rowOf(collection: BackupCollection, document: Document): Row {
  const { toRow } = SHAPES[collection] ?? {};
  const found = toRow ? toRow(document) : document;
  const cells = fieldsOf(collection).map(([name, field]) => {
    return [name, toCell(found[field.documentId ? '_id' : name] ?? noneOf(field))];
  });
  return Object.fromEntries(cells);
}

/** The field that is the `_id` of documents. */
function idOf(collection: BackupCollection): string | undefined {
  return Object.entries<Field>(BACKED_UP[collection].fields).find(([, { documentId }]) => documentId)?.[0];
}

function toCell(value: unknown): Cell {
  if (value instanceof Binary) return fromBinary(value);
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : null;
}

const MARK = 'restoring';

/** Writes the rows of a backup; a document in `schema` says so until the restore is complete. */
export function mongoRestore(database: MongoDatabase, log: CommitLog): RestoreTarget {
  const { db, run } = database;
  const marks = db.collection<{ _id: string }>('schema');
  const bytes = fileBytes(database);
  const put = (clientId: string, collection: BackupCollection, rows: readonly Row[]) =>
    run(async () => {
      const documents = rows.map((row) => documentOf(clientId, collection, row));
      if (documents.length === 0) return;
      try {
        await db.collection(collection).insertMany(documents, { ordered: false });
      } catch (error) {
        if (!isDuplicatesOnly(error)) throw error;
      }
    });

  return {
    isUnfinished: async () => (await run(() => marks.findOne({ _id: MARK }))) !== null,
    begin: () =>
      run(async () => void (await marks.updateOne({ _id: MARK }, { $set: { _id: MARK } }, { upsert: true }))),
    async insert(clientId, collection, rows) {
      if (collection === 'keys') return log.write(clientId, { keys: rows.map(toKey), journal: [] });
      if (collection === 'journal') return log.write(clientId, { keys: [], journal: rows.map(toEntry) });
      await put(clientId, collection, rows);
    },
    async insertFile(clientId, file, source) {
      const { bytesId } = await bytes.write(source);
      await run(async () => {
        await db.collection('files').insertOne({ ...documentOf(clientId, 'files', file), bytesId });
      });
    },
    end: () => run(async () => void (await marks.deleteOne({ _id: MARK }))),
  };
}

function documentOf(clientId: string, collection: BackupCollection, row: Row): Document {
  const { toDocument } = SHAPES[collection] ?? {};
  const stored: Document = { ...(toDocument ? toDocument(row) : row) };
  for (const [name, field] of fieldsOf(collection)) {
    if (name in stored) stored[name] = toStored(field, stored[name]);
  }
  const id = idOf(collection);
  if (id === 'clientId') return { _id: clientId, ...stored };
  if (id === undefined) return { ...stored, clientId };
  const { [id]: _id, ...rest } = stored;
  return { _id, ...rest, clientId };
}

/** The value of a cell in a document. */
function toStored({ is }: Field, cell: unknown): unknown {
  if (cell instanceof Uint8Array) return toBinary(cell);
  if (typeof cell !== 'string') return cell;
  if (is === 'texts') return readTexts(cell);
  return is === 'media' ? (parseObject(cell) ?? null) : cell;
}

function toKey(row: Row): StoredChange {
  return { type: textOf(row, 'type'), id: textOf(row, 'id'), value: binaryOf(row, 'value') };
}

function toEntry(row: Row): StoredEntry {
  const { receivedAt, closedAt } = row;
  return {
    ...{ id: textOf(row, 'id'), messageId: textOf(row, 'messageId') },
    ...{ plain: binaryOf(row, 'plain'), stanza: binaryOf(row, 'stanza') },
    receivedAt: Number(receivedAt),
    ...(typeof closedAt === 'number' && { closedAt }),
  };
}

function binaryOf(row: Row, field: string): Binary {
  const cell = row[field];
  if (!(cell instanceof Uint8Array)) throw new TypeError(`the row has no bytes ${field}`);
  return toBinary(cell);
}

function isDuplicatesOnly(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return false;
  const failures = [error.writeErrors].flat();
  return failures.length > 0 && failures.every(({ code }) => code === DUPLICATE_KEY);
}
