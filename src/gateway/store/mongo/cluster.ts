import { randomUUID } from 'node:crypto';
import { type Document, MongoServerError } from 'mongodb';
import type { LeaseRecord, LeaseStore, NodeStore, SeenNode } from '../store.js';
import type { CommitLog } from './commits.js';
import type { MongoDatabase } from './database.js';
import type { Fences } from './fences.js';
import { upsertTwice } from './writes.js';

interface LeaseDocument {
  /** The clientId. */
  _id: string;
  nodeId: string;
  epoch: number;
  /** Random id of the claim, to recognise our own. */
  claim: string;
  /** By the server's clock, like all times here. */
  claimedAt: Date;
  expiresAt: Date;
  /** The session was deleted. */
  gone?: boolean;
}

const NOW = '$$NOW';
const NAMESPACE_EXISTS = 48;
const LONG_AGO = new Date(0);
/** The largest epoch that counts: further ones can still be told apart. */
const LAST_EPOCH = 2 ** 52;
/**
 * Rows that others have written may have values of any type, which compare with a time in an order of types, and fail in a sum. They must not
 * hold up the leases of all sessions.
 */
const IS_TIMED = isOf('date', 'expiresAt');
const IS_OURS = isOf('string', '_id', 'nodeId');
const IS_VALID = { $expr: { $and: [...IS_OURS, ...IS_TIMED, { $gt: ['$expiresAt', NOW] }] } };
const IS_FREE = { $or: [{ $not: [{ $and: IS_TIMED }] }, { $lte: ['$expiresAt', NOW] }] };
const EPOCH = {
  $cond: [
    { $and: [{ $isNumber: '$epoch' }, { $gte: ['$epoch', 0] }, { $lte: ['$epoch', LAST_EPOCH] }] },
    '$epoch',
    // later than every epoch that was counted
    { $toLong: NOW },
  ],
};
const SHOWN_LEASE = {
  _id: 0,
  clientId: '$_id',
  nodeId: 1,
  epoch: EPOCH,
  ageMs: { $cond: [{ $and: isOf('date', 'claimedAt') }, { $subtract: [NOW, '$claimedAt'] }, 0] },
  leftMs: { $subtract: ['$expiresAt', NOW] },
};

/**
 * Leases in the collection `leases`, one document for each session that was ever claimed. It outlives the session, so that
 * the epoch never starts again.
 *
 * @param fences records the sessions that this store holds
 * @param log refuses the commits of former holders
 */
export function mongoLeases(
  { db, run }: MongoDatabase,
  fences: Fences,
  log: Pick<CommitLog, 'finish' | 'stamp'>,
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
      const found = await run(() => upsertTwice(() => claimOnce(clientId, nodeId, lastsMs)));
      if (!found) return undefined;
      const { epoch, expiresAt } = found;
      // if interrupted here, the lease expires unused, and the next claim has a later epoch
      if (!(await log.stamp(clientId, epoch))) return undefined;
      fences.claimed(clientId, { epoch, expiresAt, until });
      return epoch;
    },
    async renew(nodeId, lastsMs) {
      const until = fences.now() + lastsMs;
      const held = { ...IS_VALID, nodeId };
      const found = await run(async () => {
        await leases.updateMany(held, [{ $set: { expiresAt: inFuture(lastsMs) } }]);
        return leases.find(held, { projection: { epoch: 1, expiresAt: 1 } }).toArray();
      });
      for (const { _id, epoch, expiresAt } of found) fences.renewed(_id, { epoch, expiresAt, until });
      return new Map(found.map(({ _id, epoch }) => [_id, epoch]));
    },
    async release(clientId, nodeId, epoch, gone = false) {
      // begins what waits, because the fence takes nothing more
      void log.finish(clientId);
      const lateUntil = await fences.end(clientId, epoch);
      await log.finish(clientId);
      const expiresAt = { $max: [NOW, lateUntil] };
      await run(() => leases.updateOne({ _id: clientId, nodeId, epoch }, [{ $set: { expiresAt, gone } }]));
    },
    holder: (clientId) => run(async () => (await seenNodes({ ...IS_VALID, _id: clientId }).toArray())[0]),
    list: () => run(() => seenNodes(IS_VALID).toArray()),
    free: (limit) =>
      run(async () => {
        const found = await leases
          .find(
            { gone: { $ne: true }, $expr: { $and: [...isOf('string', '_id'), IS_FREE] } },
            { projection: { _id: 1 }, limit },
          )
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
        // some servers cannot join a collection that does not exist
        await db.createCollection('leases').catch(ignoreExisting);
        await db.collection('sessions').aggregate(withoutLease()).toArray();
      }),
  };

  function seenNodes(filter: Document) {
    return leases.aggregate<LeaseRecord>([
      { $match: filter },
      { $sort: { _id: 1 } },
      { $project: SHOWN_LEASE },
    ]);
  }
}

/** Takes an expired lease and leaves a valid one unchanged, in one atomic step. */
function claimed(nodeId: string, claim: string, lastsMs: number): Document[] {
  const ifFree = (value: unknown, otherwise: unknown) => ({ $cond: ['$isFree', value, otherwise] });
  return [
    { $set: { isFree: IS_FREE } },
    {
      $set: {
        nodeId: ifFree({ $literal: nodeId }, '$nodeId'),
        claim: ifFree(claim, '$claim'),
        epoch: ifFree(
          { $add: [{ $cond: [{ $eq: [{ $type: '$epoch' }, 'missing'] }, 0, EPOCH] }, 1] },
          '$epoch',
        ),
        claimedAt: ifFree(NOW, '$claimedAt'),
        expiresAt: ifFree(inFuture(lastsMs), '$expiresAt'),
        gone: ifFree(false, '$gone'),
      },
    },
    { $unset: 'isFree' },
  ];
}

/** Clauses that hold for fields of a type. Filters beside `$expr` would take a list of such values too. */
function isOf(type: 'string' | 'date', ...fields: string[]): Document[] {
  return fields.map((field) => ({ $eq: [{ $type: `$${field}` }, type] }));
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_EXISTS) throw error;
}

/** Gives sessions without a lease an expired one; a lease that is created at the same time stays. */
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

interface NodeDocument {
  /** The nodeId. */
  _id: string;
  name: string;
  url: string;
  version: string;
  proof: string;
  draining: boolean;
  /** By the server's clock, like `seenAt`. */
  startedAt: Date;
  seenAt: Date;
}

/** Milliseconds of silence after which a node is deleted from the list. */
const FORGOTTEN_MS = 24 * 60 * 60_000;
const SHOWN_NODE = {
  _id: 0,
  nodeId: '$_id',
  name: 1,
  url: 1,
  version: 1,
  proof: 1,
  draining: { $eq: ['$draining', true] },
  ageMs: { $subtract: [NOW, '$startedAt'] },
  silentMs: { $subtract: [NOW, '$seenAt'] },
};
/** As for leases: a row of other types is no node, and must not hide the others. */
const IS_NODE = [
  ...isOf('string', '_id', 'name', 'url', 'version', 'proof'),
  ...isOf('date', 'startedAt', 'seenAt'),
];
const HAS_STARTED = { $and: [...isOf('date', 'startedAt'), { $lte: ['$startedAt', NOW] }] };

/** Nodes in the collection `nodes`. */
export function mongoNodes({ db, run }: MongoDatabase): NodeStore {
  const nodes = db.collection<NodeDocument>('nodes');
  return {
    announce: ({ nodeId, name, url, version, proof }, lapseMs) =>
      run(async () => {
        const fields = {
          name: { $literal: name },
          url: { $literal: url },
          version: { $literal: version },
          proof: { $literal: proof ?? '' },
          draining: { $eq: ['$draining', true] },
          startedAt: { $cond: [{ $or: [isSilentFor(lapseMs), { $not: [HAS_STARTED] }] }, NOW, '$startedAt'] },
          seenAt: NOW,
        };
        const found = await nodes.findOneAndUpdate({ _id: nodeId }, [{ $set: fields }], {
          upsert: true,
          returnDocument: 'after',
        });
        // only a starting node tidies up: that is often enough
        if (found && found.startedAt.getTime() === found.seenAt.getTime()) {
          await nodes.deleteMany({ $expr: { $lt: ['$seenAt', { $subtract: [NOW, FORGOTTEN_MS] }] } });
        }
        return { draining: found?.draining ?? false };
      }),
    list: (withinMs) =>
      run(() =>
        nodes
          .aggregate<SeenNode>([
            {
              $match: { $expr: { $and: [...IS_NODE, { $gt: ['$seenAt', { $subtract: [NOW, withinMs] }] }] } },
            },
            { $sort: { name: 1, _id: 1 } },
            { $project: SHOWN_NODE },
          ])
          .toArray(),
      ),
    drain: (nodeId, draining) =>
      run(async () => (await nodes.updateOne({ _id: nodeId }, { $set: { draining } })).matchedCount === 1),
    leave: (nodeId) =>
      run(async () => {
        await nodes.deleteOne({ _id: nodeId });
      }),
  };
}

/** True also for a node that was never seen. */
function isSilentFor(ms: number): Document {
  return { $lt: [{ $ifNull: ['$seenAt', LONG_AGO] }, { $subtract: [NOW, ms] }] };
}
