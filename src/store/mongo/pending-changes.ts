import type { HistoryStore, PendingChange } from '../store.js';
import type { MongoDatabase } from './database.js';
import type { Fences } from './fences.js';
import { insertUnder } from './put-if-absent.js';
import { unlessRefused } from './under-fence.js';

/** The change is JSON text: the server does not take every name of a field. */
type PendingDocument = Omit<PendingChange, 'change'> & { clientId: string; change: string };
type PendingChanges = Pick<
  HistoryStore,
  'addPending' | 'pending' | 'pendingTargets' | 'removePending' | 'prunePending'
>;

/** Changes that wait for their message, in the collection `pending_changes`. */
export function mongoPendingChanges(database: MongoDatabase, fences: Fences): PendingChanges {
  const { db, run } = database;
  const changes = db.collection<PendingDocument>('pending_changes');
  return {
    async addPending(clientId, pending) {
      const { chatRoomId, targetId, messageId, at } = pending;
      const key = { clientId, chatRoomId, targetId, messageId };
      const fields = { change: JSON.stringify(pending.change), at };
      await fences.run(clientId, (fence) => run(() => insertUnder(fence, changes, key, fields, 'at')));
    },
    async pending(clientId, chatRoomId, targetId) {
      const found = changes.find({ clientId, chatRoomId, targetId });
      return (await run(() => found.sort({ at: 1, _id: 1 }).toArray())).map(toPending);
    },
    async pendingTargets(clientId, chatRoomId) {
      return run(() => changes.distinct('targetId', { clientId, chatRoomId }));
    },
    async removePending(clientId, chatRoomId, targetId) {
      const key = { clientId, chatRoomId, targetId };
      await fences.run(clientId, (fence) =>
        run(async () => {
          const { deletedCount } = await changes.deleteMany({ ...key, ...fence.condition() });
          await unlessRefused(database, clientId, fence, deletedCount > 0);
        }),
      );
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
