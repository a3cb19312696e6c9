import type { Db, IndexDescription } from 'mongodb';
import { deleteInBatches } from './delete-in-batches.js';
import type { Fence } from './fences.js';

/** Seconds that the trace of a deleted key is kept; far longer than a write can be under way. */
const GONE_KEYS_TTL_S = 86_400;

interface CollectionPlan {
  name: string;
  /** The field that holds the clientId: `forget` finds by it what is of a session. */
  owner: string;
  indexes: readonly IndexDescription[];
}

/**
 * Every collection that belongs to sessions, in the order in which `forget` empties them: the traffic first, so that
 * nothing of it is left without its session; then the session; its data key last, because a session whose data key is
 * gone could no longer be read. A new collection is one more row.
 *
 * No collection relies on several documents changing at once, see `commits.ts`.
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

/**
 * Makes the indexes that are not there yet; the server answers at once for those that are. They are built without
 * holding up readers and writers of the collection.
 */
export async function makeIndexes(db: Db): Promise<void> {
  await Promise.all(
    COLLECTIONS.filter(({ indexes }) => indexes.length > 0).map(({ name, indexes }) =>
      db.collection(name).createIndexes([...indexes]),
    ),
  );
}

/**
 * Deletes everything of a session, collection by collection. When it is interrupted, what is left is a session that
 * can be forgotten again. Where the session was claimed, its commit document stays with nothing but numbers: who held the
 * session before must not make another one.
 *
 * @throws GatewayError `session_elsewhere` when the lease runs out meanwhile
 */
export async function deleteAllOf(db: Db, clientId: string, fence: Fence): Promise<void> {
  const wasClaimed = fence.epoch !== undefined;
  for (const { name, owner } of COLLECTIONS) {
    if (wasClaimed && name === 'commits') continue;
    await deleteInBatches(db.collection(name), { [owner]: clientId }, () => fence.condition());
  }
}
