import type { HistoryStore, PendingChange } from '../store.js';
import type { MongoDatabase } from './database.js';
import { insertIfAbsent } from './put-if-absent.js';

/** The change is JSON text: the server does not take every name of a field. */
type PendingDocument = Omit<PendingChange, 'change'> & { clientId: string; change: string };
type PendingChanges = Pick<
  HistoryStore,
  'addPending' | 'pending' | 'pendingTargets' | 'removePending' | 'prunePending'
>;

/** Changes that wait for their message, in the collection `pending_changes`. */
export function mongoPendingChanges({ db, run }: MongoDatabase): PendingChanges {
  const changes = db.collection<PendingDocument>('pending_changes');
  return {
    async addPending(clientId, pending) {
      const document = { ...pending, clientId, change: JSON.stringify(pending.change) };
      await run(() => insertIfAbsent(changes, document));
    },
    async pending(clientId, chatRoomId, targetId) {
      const found = changes.find({ clientId, chatRoomId, targetId });
      return (await run(() => found.sort({ at: 1, _id: 1 }).toArray())).map(toPending);
    },
    async pendingTargets(clientId, chatRoomId) {
      return run(() => changes.distinct('targetId', { clientId, chatRoomId }));
    },
    async removePending(clientId, chatRoomId, targetId) {
      await run(() => changes.deleteMany({ clientId, chatRoomId, targetId }));
    },
    async prunePending(before) {
      const { deletedCount } = await run(() => changes.deleteMany({ at: { $lt: before } }));
      return deletedCount;
    },
  };
}

function toPending({ targetId, chatRoomId, messageId, change, at }: PendingDocument): PendingChange {
  return { targetId, chatRoomId, messageId, change: JSON.parse(change), at };
}
