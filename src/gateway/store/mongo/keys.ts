import type { Binary } from 'mongodb';
import type { JournalEntry, KeyChange } from '../../../domain/signal-state.js';
import { JOURNAL } from '../port/keys.js';
import type { DataKeyStore, JournalStore, KeyStore, StoredKey } from '../store.js';
import type { Operation } from './backlog.js';
import type { CommitLog } from './commits.js';
import type { MongoDatabase } from './database.js';
import { documentsOf } from './documents.js';
import type { HeldCache } from './held-cache.js';
import type { KnownEntries } from './known-entries.js';
import type { Changes, Commit, StoredChange, StoredEntry } from './stored-changes.js';
import { fromBinary, putIfAbsent, toBinary, unlessNewer } from './writes.js';

const { toRecord: toEntry } = documentsOf(JOURNAL);

interface KeyDocument {
  clientId: string;
  type: string;
  id: string;
  /** The commit that wrote it. */
  n: number;
  /** Null if deleted: the number must stay, to recognise late requests. */
  value: Binary | null;
  /** Time of the deletion, after which the document expires; null if not deleted. */
  goneAt: Date | null;
}

/** The credentials are stored as a key with an empty type, which the link never uses. */
const CREDENTIALS = { type: '', id: '' };

/**
 * Credentials and Signal keys, read from the collection `keys` and written by commits.
 * @param held the values of keys as they are stored; null if a key does not exist
 */
export function mongoKeys(
  { db }: MongoDatabase,
  log: CommitLog,
  held: HeldCache<Uint8Array | null>,
  known: KnownEntries,
): KeyStore {
  const keys = db.collection<KeyDocument>('keys');

  /** Reads the keys that this process does not know. */
  const read = (clientId: string, type: string, ids: readonly string[], found: Map<string, Uint8Array>) =>
    log.readBeside(clientId, async ({ since }, unapplied) => {
      const values = new Map<string, Binary | null>(ids.map((id) => [id, null]));
      const written = latestOf(unapplied, type, values);
      const unknown = ids.filter((id) => !written.has(id));
      const documents = keys.find(
        { clientId, type, id: { $in: unknown }, n: { $gte: since } },
        { batchSize: Math.max(unknown.length, 1), projection: { _id: 0, id: 1, value: 1 } },
      );
      if (unknown.length > 0) for await (const { id, value } of documents) values.set(id, value);
      for (const [id, value] of written) values.set(id, value);
      for (const [id, stored] of values) {
        const value = stored && fromBinary(stored);
        held.set(clientId, keyOf(type, id), value);
        if (value) found.set(id, Uint8Array.from(value));
      }
    });

  return {
    async credentials(clientId) {
      // a session is opened by reading its credentials: read commits of other nodes first
      return log.readAnew(clientId, async ({ since }) => {
        const found = await keys.findOne({ clientId, ...CREDENTIALS, n: { $gte: since } });
        return found?.value ? fromBinary(found.value) : undefined;
      });
    },
    async get(clientId, type, ids) {
      const found = new Map<string, Uint8Array>();
      const unknown: string[] = [];
      for (const id of ids) {
        const value = held.get(clientId, keyOf(type, id));
        if (value === undefined) unknown.push(id);
        else if (value) found.set(id, Uint8Array.from(value));
      }
      // without ids too: a closed store fails
      if (unknown.length > 0 || ids.length === 0) await read(clientId, type, unknown, found);
      return found;
    },
    async page(clientId, after, limit) {
      const { type = CREDENTIALS.type, id = '' } = after ?? {};
      const next = [{ type: { $gt: type } }, ...(after ? [{ type, id: { $gt: id } }] : [])];
      return log.readAnew(clientId, async ({ since }) => {
        const found = keys
          .find({ clientId, n: { $gte: since }, value: { $ne: null }, $or: next })
          .sort({ type: 1, id: 1 })
          .limit(limit);
        const page: StoredKey[] = [];
        for await (const { type, id, value } of found)
          if (value) page.push({ type, id, value: fromBinary(value) });
        return page;
      });
    },
    async commit(clientId, { credentials, keys: changes = [], journal = [] }) {
      const written = changes.map(toStored);
      if (credentials) written.push({ ...CREDENTIALS, value: toBinary(credentials) });
      const last = lastOfEach(written);
      const entries = journal.map(toStoredEntry);
      await log.write(clientId, { keys: last, journal: entries });
      known.note(clientId, entries);
      for (const { type, id, value } of last) {
        // credentials are read once
        if (type !== CREDENTIALS.type) held.set(clientId, keyOf(type, id), value && fromBinary(value));
      }
    },
    async clear(clientId) {
      await log.write(clientId, { keys: [], journal: [], clear: true });
    },
  };
}

function keyOf(type: string, id: string): string {
  return `key ${type} ${id}`;
}

/** What commits that are not applied say of keys. */
function latestOf(
  unapplied: readonly Commit[],
  type: string,
  ids: ReadonlyMap<string, unknown>,
): Map<string, Binary | null> {
  const written = new Map<string, Binary | null>();
  for (const { changes } of unapplied) {
    for (const change of changes.keys) {
      if (change.type === type && ids.has(change.id)) written.set(change.id, change.value);
    }
  }
  return written;
}

/** The updates that apply the keys of commits, in any order. */
export function keyOperations(clientId: string, commits: readonly Commit[]): Operation[] {
  const last = new Map(
    commits.flatMap(({ n, changes }) =>
      changes.keys.map((change) => [JSON.stringify([change.type, change.id]), { n, change }] as const),
    ),
  );
  const operations = [...last.values()].map(({ n, change }): Operation => {
    const { type, id, value } = change;
    const written = { value, goneAt: value ? null : new Date() };
    return { updateOne: { filter: { clientId, type, id }, update: unlessNewer(n, written), upsert: true } };
  });
  // frees space: earlier keys are ignored anyway
  const cleared = commits.findLast(({ changes }) => changes.clear);
  if (cleared) operations.push({ deleteMany: { filter: { clientId, n: { $lt: cleared.since } } } });
  return operations;
}

function toStored({ type, id, value }: KeyChange): StoredChange {
  return { type, id, value: value && toBinary(value) };
}

function toStoredEntry({ id, messageId, plain, stanza, receivedAt, closedAt }: JournalEntry): StoredEntry {
  return {
    id,
    messageId,
    plain: toBinary(plain),
    stanza: toBinary(stanza),
    receivedAt,
    ...(closedAt !== undefined && { closedAt }),
  };
}

/** The operations of a commit run in any order, so a key may occur only once: keeps the last change of each. */
function lastOfEach(changes: readonly StoredChange[]): Changes['keys'] {
  return [...new Map(changes.map((change) => [JSON.stringify([change.type, change.id]), change])).values()];
}

interface JournalDocument extends StoredEntry {
  clientId: string;
  /** The commit that wrote it. */
  n: number;
  /** Absent once closed: the index of open entries stays small. */
  open?: true;
}

const IN_ORDER = { n: 1, _id: 1 } as const;
const NEWEST_FIRST = { receivedAt: -1, n: -1, _id: -1 } as const;

/** Entries in the collection `journal`, written by commits. */
export function mongoJournal({ db, run }: MongoDatabase, log: CommitLog, known: KnownEntries): JournalStore {
  const journal = db.collection<JournalDocument>('journal');
  return {
    async get(clientId, id) {
      return log.read(clientId, async () => {
        const found = await journal.findOne({ clientId, id });
        return found ? toEntry(found) : undefined;
      });
    },
    async ofMessage(clientId, messageId) {
      const unapplied = await known.onlyUnapplied(clientId, messageId);
      if (unapplied) return unapplied.map(toEntry);
      return log.read(clientId, async () => {
        const found = await journal.find({ clientId, messageId }).toArray();
        return found.map(toEntry);
      });
    },
    async since(clientId, receivedAt, limit) {
      return log.readAnew(clientId, async () => {
        const found = journal.find({ clientId, receivedAt: { $gte: receivedAt } });
        return (await found.sort(NEWEST_FIRST).limit(limit).toArray()).map(toEntry);
      });
    },
    async open(clientId) {
      return log.readAnew(clientId, async () => {
        const found = await journal.find({ clientId, open: true }).sort(IN_ORDER).toArray();
        return found.map(toEntry);
      });
    },
    async countOpen(clientId) {
      if (clientId !== undefined) {
        return log.read(clientId, () => journal.countDocuments({ open: true, clientId }));
      }
      await log.applyAll();
      return run(() => journal.countDocuments({ open: true }));
    },
    async close(clientId, ids, at) {
      await log.writeRows(clientId, { keys: [], journal: [], closed: [{ ids: [...ids], at }] }, 'soon');
    },
    async prune(closedBefore) {
      await log.applyAll();
      const { deletedCount } = await run(() => journal.deleteMany({ closedAt: { $lt: closedBefore } }));
      return deletedCount;
    },
  };
}

/**
 * The updates that apply the journal entries of commits, in their order. A known entry stays as it is: a closed entry must not
 * reopen.
 */
export function journalOperations(clientId: string, commits: readonly Commit[]): Operation[] {
  return commits.flatMap(({ n, changes: { journal, closed = [] } }) => [
    ...journal.map(({ id, ...entry }): Operation => {
      const inserted = { ...entry, n, ...(entry.closedAt === undefined && { open: true as const }) };
      return { updateOne: { filter: { clientId, id }, update: { $setOnInsert: inserted }, upsert: true } };
    }),
    ...closed.map(({ ids, at }): Operation => {
      const filter = { clientId, id: { $in: ids }, open: true };
      return { updateMany: { filter, update: { $set: { closedAt: at }, $unset: { open: '' } } } };
    }),
  ]);
}

interface DataKeyDocument {
  _id: string;
  wrapped: Binary;
}

/** Wrapped data keys in the collection `data_keys`, by clientId. */
export function mongoDataKeys({ db, run }: MongoDatabase): DataKeyStore {
  const dataKeys = db.collection<DataKeyDocument>('data_keys');
  return {
    async get(clientId) {
      const found = await run(() => dataKeys.findOne({ _id: clientId }));
      return found ? fromBinary(found.wrapped) : undefined;
    },
    async putIfAbsent(clientId, wrapped) {
      const fields = { wrapped: toBinary(wrapped) };
      const kept = await run(() => putIfAbsent(dataKeys, { _id: clientId }, fields));
      return fromBinary(kept.wrapped);
    },
    async list() {
      const found = await run(() => dataKeys.find().toArray());
      return new Map(found.map(({ _id, wrapped }) => [_id, fromBinary(wrapped)]));
    },
    async replace(wrapped) {
      const operations = [...wrapped].map(([clientId, value]) => ({
        updateOne: { filter: { _id: clientId }, update: { $set: { wrapped: toBinary(value) } } },
      }));
      await run(async () => {
        if (operations.length > 0) await dataKeys.bulkWrite(operations, { ordered: false });
      });
    },
  };
}
