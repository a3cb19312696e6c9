import { randomUUID } from 'node:crypto';
import { type Document, MongoServerError } from 'mongodb';
import type { LeaseRecord, LeaseStore } from '../store.js';
import type { CommitLog } from './commits.js';
import { isDuplicate, type MongoDatabase } from './database.js';
import type { Fences } from './fences.js';

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
const NAMESPACE_EXISTS = 48;
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
 *
 * @param fences learns which sessions are held through this store
 * @param log refuses the commits of those who held a session before
 */
export function mongoLeases(
  { db, run }: MongoDatabase,
  fences: Fences,
  log: Pick<CommitLog, 'stamp'>,
): LeaseStore {
  const leases = db.collection<LeaseDocument>('leases');

  const claimOnce = async (
    clientId: string,
    nodeId: string,
    lastsMs: number,
  ): Promise<LeaseDocument | undefined> => {
    const claim = randomUUID();
    const found = await leases.findOneAndUpdate({ _id: clientId }, claimed(nodeId, claim, lastsMs), {
      upsert: true,
      returnDocument: 'after',
    });
    return found?.claim === claim ? found : undefined;
  };

  return {
    async claim(clientId, nodeId, lastsMs) {
      const until = fences.now() + lastsMs;
      const claim = () => claimOnce(clientId, nodeId, lastsMs);
      // another one made the document at this instant
      const again = (error: unknown) => (isDuplicate(error) ? claim() : Promise.reject(error));
      const found = await run(() => claim().catch(again));
      if (!found) return undefined;
      const { epoch, expiresAt } = found;
      // who is interrupted here holds a lease that runs out unused, and the next claim has a later epoch
      if (!(await log.stamp(clientId, epoch))) return undefined;
      fences.claimed(clientId, { epoch, expiresAt, until });
      return epoch;
    },
    async renew(nodeId, lastsMs) {
      const until = fences.now() + lastsMs;
      const held = { nodeId, ...IS_VALID };
      const found = await run(async () => {
        await leases.updateMany(held, [{ $set: { expiresAt: inFuture(lastsMs) } }]);
        return leases.find(held, { projection: { epoch: 1, expiresAt: 1 } }).toArray();
      });
      for (const { _id, epoch, expiresAt } of found) fences.renewed(_id, { epoch, expiresAt, until });
      return new Map(found.map(({ _id, epoch }) => [_id, epoch]));
    },
    async release(clientId, nodeId, epoch, gone = false) {
      const lateUntil = await fences.end(clientId, epoch);
      const expiresAt = { $max: [NOW, lateUntil] };
      await run(() => leases.updateOne({ _id: clientId, nodeId, epoch }, [{ $set: { expiresAt, gone } }]));
    },
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
        // not every server joins a collection that does not exist yet
        await db.createCollection('leases').catch(unlessThere);
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

function unlessThere(error: unknown): void {
  if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_EXISTS) throw error;
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
