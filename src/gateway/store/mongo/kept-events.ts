import type { Filter } from 'mongodb';
import { KEPT_EVENTS, KEPT_IN_BRIEF } from '../port/deliveries.js';
import type { KeptEvent, KeptEventStore, KeptFilter } from '../store.js';
import type { MongoDatabase } from './database.js';
import { type DocumentById, documentsOf } from './documents.js';
import { insertIfAbsent } from './writes.js';

type KeptDocument = DocumentById<KeptEvent, 'id'>;

/** Documents that one step removes. */
const REMOVED_AT_ONCE = 500;
const OLDEST_FIRST = { at: 1, _id: 1 } as const;
const NEWEST_FIRST = { at: -1, _id: -1 } as const;

/** Kept events in the collection `kept_events`, by their id. */
export function mongoKeptEvents({ db, run }: MongoDatabase): KeptEventStore {
  const kept = db.collection<KeptDocument>(KEPT_EVENTS.name);
  const { toRecord } = documentsOf(KEPT_EVENTS);
  const inBrief = documentsOf(KEPT_IN_BRIEF);
  return {
    async add({ id, ...fields }) {
      return run(() => insertIfAbsent(kept, { _id: id, ...fields }));
    },
    async list(filter) {
      if (filter.limit < 1) return run(async () => []);
      const order = filter.order === 'oldest first' ? OLDEST_FIRST : NEWEST_FIRST;
      const found = kept.find(matches(filter)).sort(order).limit(filter.limit);
      return (await run(() => found.project({ body: 0 }).toArray())).map(inBrief.toRecord);
    },
    async get(clientId, id) {
      const found = await run(() => kept.findOne({ _id: id, clientId }));
      return found ? toRecord(found) : undefined;
    },
    async bytes(clientId) {
      const summed = kept.aggregate<{ bytes: number }>([
        { $match: { clientId } },
        { $group: { _id: null, bytes: { $sum: '$size' } } },
      ]);
      const [found] = await run(() => summed.toArray());
      return found?.bytes ?? 0;
    },
    async removeOldest(clientId, bytes) {
      return run(async () => {
        const found = kept.find({ clientId }).sort(OLDEST_FIRST).limit(REMOVED_AT_ONCE);
        const oldest = await found.project<Pick<KeptDocument, '_id' | 'size'>>({ size: 1 }).toArray();
        const removed: string[] = [];
        let sum = 0;
        for (const { _id, size } of oldest) {
          if (sum >= bytes) break;
          sum += size;
          removed.push(_id);
        }
        if (removed.length > 0) await kept.deleteMany({ _id: { $in: removed } });
        return sum;
      });
    },
    async prune(before, clientId) {
      const named = { at: { $lt: before }, ...(clientId !== undefined && { clientId }) };
      const { deletedCount } = await run(() => kept.deleteMany(named));
      return deletedCount;
    },
  };
}

function matches({ clientId, from, to, types, ids, order, after }: KeptFilter): Filter<KeptDocument> {
  const beyond = order === 'oldest first' ? '$gt' : '$lt';
  return {
    clientId,
    at: { $gte: from ?? 0, $lte: to ?? Number.MAX_SAFE_INTEGER },
    ...(types && { type: { $in: [...types] } }),
    ...(ids && { _id: { $in: [...ids] } }),
    ...(after && {
      $or: [{ at: { [beyond]: after.at } }, { at: after.at, _id: { [beyond]: after.id } }],
    }),
  };
}
