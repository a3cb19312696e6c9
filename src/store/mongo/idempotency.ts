import type { IdempotencyRecord, IdempotencyStore } from '../store.js';
import type { MongoDatabase } from './database.js';
import { putIfAbsent } from './put-if-absent.js';

type IdempotencyDocument = IdempotencyRecord & { clientId: string };

/** Idempotency keys in the collection `idempotency`. */
export function mongoIdempotency({ db, run }: MongoDatabase): IdempotencyStore {
  const idempotency = db.collection<IdempotencyDocument>('idempotency');
  return {
    async claim(clientId, { key, ...fields }) {
      return toRecord(await run(() => putIfAbsent(idempotency, { clientId, key }, fields)));
    },
    async answer(clientId, key, answer) {
      await run(() => idempotency.updateOne({ clientId, key }, { $set: { answer } }));
    },
    async prune(createdBefore) {
      const { deletedCount } = await run(() => idempotency.deleteMany({ createdAt: { $lt: createdBefore } }));
      return deletedCount;
    },
  };
}

function toRecord({
  key,
  fingerprint,
  messageId,
  answer,
  createdAt,
}: IdempotencyDocument): IdempotencyRecord {
  return { key, fingerprint, messageId, answer, createdAt };
}
