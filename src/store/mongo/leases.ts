import { randomUUID } from 'node:crypto';
import type { Document } from 'mongodb';
import type { LeaseRecord, LeaseStore } from '../store.js';
import { isDuplicate, type MongoDatabase } from './database.js';

interface LeaseDocument {
  /** The clientId. */
  _id: string;
  nodeId: string;
  epoch: number;
  /** Of the claim that made the lease, to know it again. */
  claim: string;
  /** By the server's clock, like all times here. */
  claimedAt: Date;
  expiresAt: Date;
  /** The session was deleted: nobody needs to claim it. */
  gone?: boolean;
}

const NOW = '$$NOW';
const IS_VALID = { $expr: { $gt: ['$expiresAt', NOW] } };
const HAS_RUN_OUT = { $expr: { $lte: ['$expiresAt', NOW] } };
const LONG_AGO = new Date(0);
const SHOWN = {
  _id: 0,
  clientId: '$_id',
  nodeId: 1,
  epoch: 1,
  ageMs: { $subtract: [NOW, '$claimedAt'] },
  leftMs: { $subtract: ['$expiresAt', NOW] },
};

/**
 * Leases in the collection `leases`, one document for each session that was ever claimed: it outlives the session, so that
 * its epoch never begins again.
 */
export function mongoLeases({ db, run }: MongoDatabase): LeaseStore {
  const leases = db.collection<LeaseDocument>('leases');

  const claimOnce = async (
    clientId: string,
    nodeId: string,
    lastsMs: number,
  ): Promise<number | undefined> => {
    const claim = randomUUID();
    const found = await leases.findOneAndUpdate({ _id: clientId }, claimed(nodeId, claim, lastsMs), {
      upsert: true,
      returnDocument: 'after',
    });
    return found?.claim === claim ? found.epoch : undefined;
  };

  return {
    claim: (clientId, nodeId, lastsMs) =>
      run(() =>
        claimOnce(clientId, nodeId, lastsMs).catch((error: unknown) => {
          // another one made the document at this instant
          if (isDuplicate(error)) return claimOnce(clientId, nodeId, lastsMs);
          throw error;
        }),
      ),
    renew: (nodeId, lastsMs) =>
      run(async () => {
        const held = { nodeId, ...IS_VALID };
        await leases.updateMany(held, [{ $set: { expiresAt: inFuture(lastsMs) } }]);
        const found = await leases.find(held, { projection: { epoch: 1 } }).toArray();
        return new Map(found.map(({ _id, epoch }) => [_id, epoch]));
      }),
    release: (clientId, nodeId, epoch, gone = false) =>
      run(async () => {
        await leases.updateOne({ _id: clientId, nodeId, epoch }, [{ $set: { expiresAt: NOW, gone } }]);
      }),
    holder: (clientId) => run(async () => (await shown({ _id: clientId, ...IS_VALID }).toArray())[0]),
    list: () => run(() => shown(IS_VALID).toArray()),
    free: (limit) =>
      run(async () => {
        const found = await leases
          .find({ gone: { $ne: true }, ...HAS_RUN_OUT }, { projection: { _id: 1 }, limit })
          .toArray();
        return found.map(({ _id }) => _id);
      }),
    counts: () =>
      run(async () => {
        const count = { _id: '$nodeId', sessions: { $sum: 1 } };
        const found = await leases
          .aggregate<{ _id: string; sessions: number }>([{ $match: IS_VALID }, { $group: count }])
          .toArray();
        return new Map(found.map(({ _id, sessions }) => [_id, sessions]));
      }),
    seed: () =>
      run(async () => {
        await db.collection('sessions').aggregate(withoutLease()).toArray();
      }),
  };

  function shown(filter: Document) {
    return leases.aggregate<LeaseRecord>([{ $match: filter }, { $sort: { _id: 1 } }, { $project: SHOWN }]);
  }
}

/** Changes a document whose lease has run out, and leaves any other as it is: one step, whoever else claims. */
function claimed(nodeId: string, claim: string, lastsMs: number): Document[] {
  const ifFree = (value: unknown, otherwise: unknown) => ({ $cond: ['$isFree', value, otherwise] });
  return [
    { $set: { isFree: { $lte: [{ $ifNull: ['$expiresAt', LONG_AGO] }, NOW] } } },
    {
      $set: {
        nodeId: ifFree({ $literal: nodeId }, '$nodeId'),
        claim: ifFree(claim, '$claim'),
        epoch: ifFree({ $add: [{ $ifNull: ['$epoch', 0] }, 1] }, '$epoch'),
        claimedAt: ifFree(NOW, '$claimedAt'),
        expiresAt: ifFree(inFuture(lastsMs), '$expiresAt'),
        gone: ifFree(false, '$gone'),
      },
    },
    { $unset: 'isFree' },
  ];
}

/** Sessions without a lease get one that has run out; a lease that comes at this instant stays as it is. */
function withoutLease(): Document[] {
  return [
    { $lookup: { from: 'leases', localField: '_id', foreignField: '_id', as: 'lease' } },
    { $match: { lease: { $size: 0 } } },
    { $project: { nodeId: '', claim: '', epoch: { $literal: 0 }, claimedAt: LONG_AGO, expiresAt: LONG_AGO } },
    { $merge: { into: 'leases', whenMatched: 'keepExisting' } },
  ];
}

function inFuture(ms: number): Document {
  return { $add: [NOW, ms] };
}
