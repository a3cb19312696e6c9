import type { Filter } from 'mongodb';
import { WEBHOOK_ID } from '../../../domain/ids.js';
import { FAILED_DELIVERIES, WAITING_DELIVERIES, WAITING_IN_BRIEF } from '../port/deliveries.js';
import type { FailedDelivery, FailedDeliveryStore, WaitingDelivery, WaitingDeliveryStore } from '../store.js';
import type { MongoDatabase } from './database.js';
import { type DocumentById, documentsOf } from './documents.js';
import { putIfAbsent } from './writes.js';

/** Without a receiver, or after a restore with null, it is for the webhook. */
type FailedDocument = DocumentById<FailedDelivery, 'id'>;

const NEWEST_FIRST = { failedAt: -1, _id: -1 } as const;

/** Failed deliveries in the collection `failed_deliveries`, by their id. */
export function mongoFailedDeliveries({ db, run }: MongoDatabase): FailedDeliveryStore {
  const failed = db.collection<FailedDocument>(FAILED_DELIVERIES.name);
  const { toRecord } = documentsOf(FAILED_DELIVERIES);
  /** The oldest go in a step of their own: being interrupted leaves some too many until the next one is added. */
  const dropOldest = async (clientId: string, receiver: string, keep: number) => {
    const tooMany = await failed
      .find({ clientId, ...ofReceiver(receiver) }, { projection: { _id: 1 } })
      .sort(NEWEST_FIRST)
      .skip(keep)
      .toArray();
    if (tooMany.length > 0) await failed.deleteMany({ _id: { $in: tooMany.map(({ _id }) => _id) } });
  };

  return {
    async add({ id, ...fields }, keep) {
      await run(async () => {
        await failed.replaceOne({ _id: id }, fields, { upsert: true });
        await dropOldest(fields.clientId, fields.receiver ?? WEBHOOK_ID, keep);
      });
    },
    async list({ clientId, receiver, limit, before }) {
      if (limit < 1) return run(async () => []);
      const found = failed.find({
        ...(clientId !== undefined && { clientId }),
        ...(receiver !== undefined && ofReceiver(receiver)),
        ...(before && olderThan(before)),
      });
      return (await run(() => found.sort(NEWEST_FIRST).limit(limit).toArray())).map(toRecord);
    },
    async get(id) {
      const found = await run(() => failed.findOne({ _id: id }));
      return found ? toRecord(found) : undefined;
    },
    async counts(clientId) {
      const counted = failed.aggregate<{ _id: string; count: number }>([
        ...(clientId === undefined ? [] : [{ $match: { clientId } }]),
        { $group: { _id: '$clientId', count: { $sum: 1 } } },
      ]);
      return new Map((await run(() => counted.toArray())).map(({ _id, count }) => [_id, count]));
    },
    async countsOf(clientId) {
      const counted = failed.aggregate<{ _id: string; count: number }>([
        { $match: { clientId } },
        { $group: { _id: { $ifNull: ['$receiver', WEBHOOK_ID] }, count: { $sum: 1 } } },
      ]);
      return new Map((await run(() => counted.toArray())).map(({ _id, count }) => [_id, count]));
    },
    async remove(id) {
      await run(() => failed.deleteOne({ _id: id }));
    },
    async removeOf(clientId, receiver) {
      await run(() => failed.deleteMany({ clientId, ...ofReceiver(receiver) }));
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

/** The webhook has no name in a document. */
function ofReceiver(receiver: string): Pick<Filter<FailedDocument>, 'receiver'> {
  return { receiver: receiver === WEBHOOK_ID ? null : receiver };
}

/** Waiting deliveries in the collection `waiting_deliveries`, by their id. */
export function mongoWaitingDeliveries({ db, run }: MongoDatabase): WaitingDeliveryStore {
  const waiting = db.collection<DocumentById<WaitingDelivery, 'id'>>(WAITING_DELIVERIES.name);
  const { toRecord } = documentsOf(WAITING_DELIVERIES);
  const inBrief = documentsOf(WAITING_IN_BRIEF);
  return {
    async add({ id, ...fields }) {
      await run(() => putIfAbsent(waiting, { _id: id }, fields));
    },
    async list(clientId) {
      const found = waiting.find({ clientId }).sort({ since: 1, _id: 1 });
      return (await run(() => found.project({ body: 0 }).toArray())).map(inBrief.toRecord);
    },
    async get(id) {
      const found = await run(() => waiting.findOne({ _id: id }));
      return found ? toRecord(found) : undefined;
    },
    async noteAttempts(clientId, id, attempts) {
      await run(() => waiting.updateOne({ _id: id, clientId }, { $set: { attempts } }));
    },
    async remove(id) {
      await run(() => waiting.deleteOne({ _id: id }));
    },
  };
}
