import type { AnyBulkWriteOperation, Binary } from 'mongodb';
import type { JournalEntry, KeyChange } from '../../domain/signal-state.js';
import type { KeyStore } from '../store.js';
import { fromBinary, toBinary } from './bytes.js';
import type { Changes, Commit, CommitLog, StoredChange, StoredEntry } from './commits.js';
import type { MongoDatabase } from './database.js';

interface KeyDocument {
  clientId: string;
  type: string;
  id: string;
  /** The commit that wrote it. */
  n: number;
  /** Null when the key was deleted: its number must still tell late requests from new ones. */
  value: Binary | null;
  /** When it was deleted; such a document expires. Null for a key that is there. */
  goneAt: Date | null;
}

/** The credentials are one more key, of a type that the link has no name for. */
const CREDENTIALS = { type: '', id: '' };

/** Credentials and Signal keys, read from the collection `keys` and written by commits. */
export function mongoKeys({ db }: MongoDatabase, log: CommitLog): KeyStore {
  const keys = db.collection<KeyDocument>('keys');
  return {
    async credentials(clientId) {
      // the first thing that is read of a session when it comes up here
      return log.readAnew(clientId, async ({ since }) => {
        const found = await keys.findOne({ clientId, ...CREDENTIALS, n: { $gte: since } });
        return found?.value ? fromBinary(found.value) : undefined;
      });
    },
    async get(clientId, type, ids) {
      return log.read(clientId, async ({ since }) => {
        const found = new Map<string, Uint8Array>();
        const documents = keys.find(
          { clientId, type, id: { $in: [...ids] }, n: { $gte: since } },
          { batchSize: Math.max(ids.length, 1), projection: { _id: 0, id: 1, value: 1 } },
        );
        for await (const { id, value } of documents) if (value) found.set(id, fromBinary(value));
        return found;
      });
    },
    async commit(clientId, { credentials, keys: changes = [], journal = [] }) {
      const written = changes.map(toStored);
      if (credentials) written.push({ ...CREDENTIALS, value: toBinary(credentials) });
      await log.write(clientId, { keys: lastOfEach(written), journal: journal.map(toStoredEntry) });
    },
    async clear(clientId) {
      await log.write(clientId, { keys: [], journal: [], clear: true });
    },
  };
}

/** Writes the keys of a commit to their collection. */
export async function applyKeys({ db }: MongoDatabase, clientId: string, commit: Commit): Promise<void> {
  const operations = commit.changes.keys.map((change) => unlessNewer(clientId, commit.n, change));
  // what went before does not count any more: this only makes room
  const leftovers = { deleteMany: { filter: { clientId, n: { $lt: commit.since } } } };
  if (commit.n === commit.since) operations.push(leftovers);
  if (operations.length === 0) return;
  await db.collection<KeyDocument>('keys').bulkWrite(operations, { ordered: false });
}

function unlessNewer(
  clientId: string,
  n: number,
  { type, id, value }: StoredChange,
): AnyBulkWriteOperation<KeyDocument> {
  const written = { n, value, goneAt: value ? null : new Date() };
  const replaced = { $mergeObjects: ['$$ROOT', { $literal: written }] };
  return {
    updateOne: {
      filter: { clientId, type, id },
      update: [{ $replaceWith: { $cond: [{ $gt: ['$n', n] }, '$$ROOT', replaced] } }],
      upsert: true,
    },
  };
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

/** The operations of one commit run in any order: of several changes of one key only the last may be among them. */
function lastOfEach(changes: readonly StoredChange[]): Changes['keys'] {
  return [...new Map(changes.map((change) => [JSON.stringify([change.type, change.id]), change])).values()];
}
