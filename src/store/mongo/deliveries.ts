import type { Filter } from 'mongodb';
import type { FailedDelivery, FailedDeliveryStore, WaitingDelivery, WaitingDeliveryStore } from '../store.js';
import type { MongoDatabase } from './database.js';
import { putIfAbsent } from './writes.js';

type FailedDocument = Omit<FailedDelivery, 'id'> & { _id: string };

const NEWEST_FIRST = { failedAt: -1, _id: -1 } as const;

/** Failed deliveries in the collection `failed_deliveries`, by their id. */
export function mongoFailedDeliveries({ db, run }: MongoDatabase): FailedDeliveryStore {
  const failed = db.collection<FailedDocument>('failed_deliveries');
  /** The oldest go in a step of their own: being interrupted leaves some too many until the next one is added. */
  const dropOldest = async (clientId: string, keep: number) => {
    const tooMany = await failed
      .find({ clientId }, { projection: { _id: 1 } })
      .sort(NEWEST_FIRST)
      .skip(keep)
      .toArray();
    if (tooMany.length > 0) await failed.deleteMany({ _id: { $in: tooMany.map(({ _id }) => _id) } });
  };

  return {
    async add({ id, ...fields }, keep) {
      await run(async () => {
        await failed.replaceOne({ _id: id }, fields, { upsert: true });
        await dropOldest(fields.clientId, keep);
      });
    },
    async list({ clientId, limit, before }) {
      if (limit < 1) return run(async () => []);
      const found = failed.find({
        ...(clientId !== undefined && { clientId }),
        ...(before && olderThan(before)),
      });
      return (await run(() => found.sort(NEWEST_FIRST).limit(limit).toArray())).map(toDelivery);
    },
    async get(id) {
      const found = await run(() => failed.findOne({ _id: id }));
      return found ? toDelivery(found) : undefined;
    },
    async counts(clientId) {
      const counted = failed.aggregate<{ _id: string; count: number }>([
        ...(clientId === undefined ? [] : [{ $match: { clientId } }]),
        { $group: { _id: '$clientId', count: { $sum: 1 } } },
      ]);
      return new Map((await run(() => counted.toArray())).map(({ _id, count }) => [_id, count]));
    },
    async remove(id) {
      await run(() => failed.deleteOne({ _id: id }));
    },
    async prune(failedBefore) {
      const { deletedCount } = await run(() => failed.deleteMany({ failedAt: { $lt: failedBefore } }));
      return deletedCount;
    },
  };
}

function olderThan({ failedAt, id }: Pick<FailedDelivery, 'failedAt' | 'id'>): Filter<FailedDocument> {
  return { $or: [{ failedAt: { $lt: failedAt } }, { failedAt, _id: { $lt: id } }] };
}

function toDelivery({ _id, ...fields }: FailedDocument): FailedDelivery {
  return { id: _id, ...fields };
}

type WaitingDocument = Omit<WaitingDelivery, 'id'> & { _id: string };

/** Waiting deliveries in the collection `waiting_deliveries`, by their id. */
export function mongoWaitingDeliveries({ db, run }: MongoDatabase): WaitingDeliveryStore {
  const waiting = db.collection<WaitingDocument>('waiting_deliveries');
  return {
    async add({ id, ...fields }) {
      await run(() => putIfAbsent(waiting, { _id: id }, fields));
    },
    async list(clientId) {
      const found = waiting.find({ clientId }).sort({ since: 1, _id: 1 });
      const documents = await run(() => found.project<Omit<WaitingDocument, 'body'>>({ body: 0 }).toArray());
      return documents.map(({ _id, ...fields }) => ({ id: _id, ...fields }));
    },
    async get(id) {
      const found = await run(() => waiting.findOne({ _id: id }));
      if (!found) return undefined;
      const { _id, ...fields } = found;
      return { id: _id, ...fields };
    },
    async noteAttempts(clientId, id, attempts) {
      await run(() => waiting.updateOne({ _id: id, clientId }, { $set: { attempts } }));
    },
    async remove(id) {
      await run(() => waiting.deleteOne({ _id: id }));
    },
  };
}
