import type { Document } from 'mongodb';
import type { NodeStore, SeenNode } from '../store.js';
import type { MongoDatabase } from './database.js';

interface NodeDocument {
  /** The nodeId. */
  _id: string;
  name: string;
  url: string;
  version: string;
  draining: boolean;
  /** By the server's clock, like `seenAt`. */
  startedAt: Date;
  seenAt: Date;
}

const NOW = '$$NOW';
const LONG_AGO = new Date(0);
/** Milliseconds after which a node that has fallen silent is taken off the list for good. */
const FORGOTTEN_MS = 24 * 60 * 60_000;
const SHOWN = {
  _id: 0,
  nodeId: '$_id',
  name: 1,
  url: 1,
  version: 1,
  draining: 1,
  ageMs: { $subtract: [NOW, '$startedAt'] },
  silentMs: { $subtract: [NOW, '$seenAt'] },
};

/** Nodes in the collection `nodes`. */
export function mongoNodes({ db, run }: MongoDatabase): NodeStore {
  const nodes = db.collection<NodeDocument>('nodes');
  return {
    announce: ({ nodeId, name, url, version }, lapseMs) =>
      run(async () => {
        const fields = {
          name: { $literal: name },
          url: { $literal: url },
          version: { $literal: version },
          draining: { $ifNull: ['$draining', false] },
          startedAt: { $cond: [isSilentFor(lapseMs), NOW, '$startedAt'] },
          seenAt: NOW,
        };
        const found = await nodes.findOneAndUpdate({ _id: nodeId }, [{ $set: fields }], {
          upsert: true,
          returnDocument: 'after',
        });
        // each node that begins tidies up, which is often enough: they all speak every second
        if (found && found.startedAt.getTime() === found.seenAt.getTime()) {
          await nodes.deleteMany({ $expr: { $lt: ['$seenAt', { $subtract: [NOW, FORGOTTEN_MS] }] } });
        }
        return { draining: found?.draining ?? false };
      }),
    list: (withinMs) =>
      run(() =>
        nodes
          .aggregate<SeenNode>([
            { $match: { $expr: { $gt: ['$seenAt', { $subtract: [NOW, withinMs] }] } } },
            { $sort: { name: 1, _id: 1 } },
            { $project: SHOWN },
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

/** True of a node that was never seen, too. */
function isSilentFor(ms: number): Document {
  return { $lt: [{ $ifNull: ['$seenAt', LONG_AGO] }, { $subtract: [NOW, ms] }] };
}
