import type { Db, IndexDescription } from 'mongodb';
import { GatewayError } from '../../../domain/errors.js';

/** Seconds that the document of a deleted key is kept; much longer than any write can take. */
const GONE_KEYS_TTL_S = 86_400;

interface CollectionPlan {
  name: string;
  /** The field with the clientId, by which `forget` finds a session's documents. */
  owner: string;
  indexes: readonly IndexDescription[];
}

/**
 * Every collection with data of sessions, in the order in which `forget` empties them: first the data, then the session,
 * last its data key, without which the session could not be read. No collection needs transactions, see `commits.ts`.
 */
export const COLLECTIONS: readonly CollectionPlan[] = [
  {
    name: 'keys',
    owner: 'clientId',
    indexes: [
      // read and written for every message
      { key: { clientId: 1, type: 1, id: 1 }, unique: true },
      { key: { goneAt: 1 }, expireAfterSeconds: GONE_KEYS_TTL_S },
    ],
  },
  {
    name: 'journal',
    owner: 'clientId',
    indexes: [
      { key: { clientId: 1, id: 1 }, unique: true },
      // the copies of one message
      { key: { clientId: 1, messageId: 1 } },
      // what is unfinished, oldest first; stays small however much is kept closed
      { key: { open: 1, clientId: 1, receivedAt: 1, n: 1 }, partialFilterExpression: { open: true } },
      // pruning
      { key: { closedAt: 1 }, sparse: true },
    ],
  },
  {
    name: 'contacts',
    owner: 'clientId',
    indexes: [
      { key: { clientId: 1, lid: 1 }, unique: true, partialFilterExpression: { lid: { $gt: '' } } },
      // not unique: while two contacts become one, both have the number for a moment
      { key: { clientId: 1, pn: 1, lid: -1 } },
    ],
  },
  {
    name: 'sends',
    owner: 'clientId',
    indexes: [
      { key: { clientId: 1, messageId: 1 }, unique: true },
      // what is unfinished, oldest first
      { key: { open: 1, clientId: 1, sentAt: 1, _id: 1 }, partialFilterExpression: { open: true } },
      // those of one session in the last day
      { key: { clientId: 1, sentAt: 1 } },
      // what a policy holds back, oldest first
      { key: { clientId: 1, sentAt: 1, messageId: 1 }, partialFilterExpression: { held: { $gt: '' } } },
      // pruning
      { key: { sentAt: 1 } },
    ],
  },
  {
    name: 'traces',
    owner: 'clientId',
    indexes: [
      { key: { clientId: 1, messageId: 1 }, unique: true },
      // those that are moved to their LID
      { key: { clientId: 1, chat: 1 }, partialFilterExpression: { byNumber: true } },
      // whether a chat has begun, and whether the other side wrote
      { key: { clientId: 1, chat: 1, fromMe: 1, sentAt: 1 } },
      // pruning
      { key: { sentAt: 1 } },
    ],
  },
  {
    name: 'messages',
    owner: 'clientId',
    indexes: [
      { key: { clientId: 1, chatRoomId: 1, messageId: 1 }, unique: true },
      // a page of a room: one short range, however many messages there are; pruning takes them from its beginning
      { key: { clientId: 1, chatRoomId: 1, sentAt: -1, _id: -1 } },
    ],
  },
  {
    name: 'rooms',
    owner: 'clientId',
    indexes: [
      { key: { clientId: 1, chatRoomId: 1 }, unique: true },
      // the list of a session, newest activity first
      { key: { clientId: 1, lastMessageAt: -1, chatRoomId: 1 } },
    ],
  },
  {
    name: 'files',
    owner: 'clientId',
    indexes: [
      { key: { id: 1 }, unique: true },
      // the library of a session, newest first; counted without reading its documents
      { key: { clientId: 1, createdAt: -1, id: -1, messageId: 1 } },
      // the one file of a message
      {
        key: { clientId: 1, chatRoomId: 1, messageId: 1 },
        unique: true,
        partialFilterExpression: { messageId: { $gt: '' } },
      },
      // what bytes belong to
      { key: { bytesId: 1 } },
      // pruning, without a look at the pictures of rooms
      { key: { createdAt: 1, messageId: 1 } },
    ],
  },
  {
    name: 'message_status',
    owner: 'clientId',
    indexes: [
      { key: { clientId: 1, messageId: 1 }, unique: true },
      // pruning
      { key: { at: 1 } },
      { key: { clientId: 1, at: 1 } },
    ],
  },
  {
    name: 'expected_files',
    owner: 'clientId',
    indexes: [
      { key: { id: 1 }, unique: true },
      // what a session left undone, oldest first
      { key: { clientId: 1, since: 1, _id: 1 } },
    ],
  },
  {
    name: 'pictures',
    owner: 'clientId',
    indexes: [{ key: { clientId: 1, jid: 1, preview: 1 }, unique: true }],
  },
  {
    name: 'pending_changes',
    owner: 'clientId',
    indexes: [
      { key: { clientId: 1, chatRoomId: 1, targetId: 1, messageId: 1 }, unique: true },
      // pruning
      { key: { at: 1 } },
    ],
  },
  {
    name: 'idempotency',
    owner: 'clientId',
    indexes: [
      { key: { clientId: 1, key: 1 }, unique: true },
      // pruning
      { key: { createdAt: 1 } },
    ],
  },
  {
    name: 'waiting_deliveries',
    owner: 'clientId',
    // what a session has to deliver, oldest first
    indexes: [{ key: { clientId: 1, since: 1, _id: 1 } }],
  },
  {
    name: 'kept_events',
    owner: 'clientId',
    indexes: [
      // those of a session in the order of time, and their bytes without a look at the documents
      { key: { clientId: 1, at: 1, _id: 1, size: 1 } },
      // pruning over all sessions
      { key: { at: 1 } },
    ],
  },
  {
    name: 'failed_deliveries',
    owner: 'clientId',
    indexes: [
      // the newest of a session, and the bound that is kept for each
      { key: { clientId: 1, failedAt: -1, _id: -1 } },
      // the newest over all sessions, and pruning
      { key: { failedAt: -1, _id: -1 } },
    ],
  },
  { name: 'commits', owner: '_id', indexes: [] },
  { name: 'sessions', owner: '_id', indexes: [] },
  { name: 'data_keys', owner: '_id', indexes: [] },
];

/** Creates missing indexes, without blocking readers and writers of the collection. */
async function createIndexes(db: Db): Promise<void> {
  await Promise.all(
    COLLECTIONS.filter(({ indexes }) => indexes.length > 0).map(({ name, indexes }) =>
      db.collection(name).createIndexes([...indexes]),
    ),
  );
}

/** One step of the schema's history. */
export interface Migration {
  /** The oldest version whose programs may still use the database after this step. */
  compatibleWith: number;
  /**
   * Changes documents. It may run again after an interruption, or on two daemons at once: it must be idempotent. No request
   * may take longer than the driver's timeout: use batches.
   */
  apply(db: Db): Promise<void>;
}

/** The schema's history, oldest first. A released migration is never edited. */
export const MIGRATIONS: readonly Migration[] = [
  // only indexes
  { compatibleWith: 1, apply: async () => {} },
  // commits that wait in their documents, which earlier programs do not apply
  { compatibleWith: 2, apply: async () => {} },
];

interface SchemaDocument {
  _id: string;
  version: number;
  /** The oldest version whose programs may use the database. */
  oldest: number;
}

const ID = 'schema';

/**
 * Migrates a database to the newest schema. The version is written after each step, so that the next start repeats an
 * interrupted step.
 *
 * @throws GatewayError `store_too_new` if a newer program wrote the database in an incompatible version; nothing is changed
 */
export async function prepareSchema(db: Db, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const schema = db.collection<SchemaDocument>('schema');
  const { version: current, oldest } = await readVersion(db);
  if (current > migrations.length) return refuseUnlessCompatible(current, oldest, migrations.length);
  await createIndexes(db);
  for (const [index, { compatibleWith, apply }] of migrations.entries()) {
    const version = index + 1;
    if (version <= current) continue;
    await apply(db);
    // $max: another daemon may have migrated further
    await schema.updateOne({ _id: ID }, { $max: { version, oldest: compatibleWith } }, { upsert: true });
  }
}

/**
 * Changes nothing: the release of the daemon could not use the database after a migration.
 *
 * @throws GatewayError `store_missing` for a database that no daemon has used, `store_unsupported` for an older schema,
 * `store_too_new`
 */
export async function requireNewestSchema(db: Db): Promise<void> {
  const { version, oldest } = await readVersion(db);
  if (version === 0)
    throw new GatewayError('store_missing', 'The store is empty: no daemon has used it yet.');
  if (version < MIGRATIONS.length) {
    throw new GatewayError(
      'store_unsupported',
      `The database has schema version ${version}, this program backs up version ${MIGRATIONS.length}: ` +
        'use the release of the daemon.',
    );
  }
  refuseUnlessCompatible(version, oldest, MIGRATIONS.length);
}

async function readVersion(db: Db): Promise<Pick<SchemaDocument, 'version' | 'oldest'>> {
  const found = await db.collection<SchemaDocument>('schema').findOne({ _id: ID });
  return found ?? { version: 0, oldest: 0 };
}

function refuseUnlessCompatible(current: number, oldest: number, known: number): void {
  if (oldest <= known) return;
  throw new GatewayError(
    'store_too_new',
    `The database has schema version ${current}, this program knows versions up to ${known}: ` +
      'use the newer Switchboard again, or restore a backup.',
  );
}
