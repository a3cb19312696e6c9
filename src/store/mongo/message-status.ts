import { MESSAGE_STATUSES } from '../../domain/message-status.js';
import type { HistoryStore } from '../store.js';
import { isDuplicate, type MongoDatabase } from './database.js';
import { deleteInBatches } from './delete-in-batches.js';
import type { Fences } from './fences.js';

interface StatusDocument {
  clientId: string;
  messageId: string;
  /** Place among the statuses that a message can have. */
  rank: number;
  at: number;
}

/** How far own messages have come. */
export interface MongoMessageStatus extends Pick<HistoryStore, 'advance' | 'statuses'> {
  /** Deletes what was noted before that time. */
  pruneStatuses(before: number): Promise<void>;
}

/**
 * How far own messages have come, in the collection `message_status`: by the message's id alone, because the network tells
 * no more than that, and may tell it before the message is there.
 */
export function mongoMessageStatus({ db, run }: MongoDatabase, fences: Fences): MongoMessageStatus {
  const statuses = db.collection<StatusDocument>('message_status');
  return {
    async advance(clientId, { messageId, status, at }) {
      const rank = MESSAGE_STATUSES.indexOf(status);
      const behind = { clientId, messageId, rank: { $lt: rank } };
      return fences.run(clientId, async (fence) => {
        const put = (upsert: boolean) =>
          statuses.updateOne(behind, [...fence.guard(), { $set: { rank, at } }], { upsert });
        const { modifiedCount, upsertedCount } = await run(() =>
          // there is one: it has come as far, or was put there at this instant
          put(true).catch((error: unknown) => (isDuplicate(error) ? put(false) : Promise.reject(error))),
        );
        return modifiedCount + upsertedCount > 0;
      });
    },
    async statuses(clientId, messageIds) {
      const named = statuses.find({ clientId, messageId: { $in: [...messageIds] } });
      const found = await run(() => named.project<StatusDocument>({ messageId: 1, rank: 1 }).toArray());
      return new Map(
        found.flatMap(({ messageId, rank }) => {
          const status = MESSAGE_STATUSES[rank];
          return status ? [[messageId, status]] : [];
        }),
      );
    },
    async pruneStatuses(before) {
      await run(() => deleteInBatches(statuses, { at: { $lt: before } }));
    },
  };
}
