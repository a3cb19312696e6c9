import type { Binary } from 'mongodb';
import type { DataKeyStore } from '../store.js';
import { fromBinary, toBinary } from './bytes.js';
import type { MongoDatabase } from './database.js';
import { putIfAbsent } from './put-if-absent.js';

interface DataKeyDocument {
  _id: string;
  wrapped: Binary;
}

/** Wrapped data keys in the collection `data_keys`, by clientId. */
export function mongoDataKeys({ db, run }: MongoDatabase): DataKeyStore {
  const dataKeys = db.collection<DataKeyDocument>('data_keys');
  return {
    async get(clientId) {
      const found = await run(() => dataKeys.findOne({ _id: clientId }));
      return found ? fromBinary(found.wrapped) : undefined;
    },
    async putIfAbsent(clientId, wrapped) {
      const fields = { wrapped: toBinary(wrapped) };
      const kept = await run(() => putIfAbsent(dataKeys, { _id: clientId }, fields));
      return fromBinary(kept.wrapped);
    },
    async list() {
      const found = await run(() => dataKeys.find().toArray());
      return new Map(found.map(({ _id, wrapped }) => [_id, fromBinary(wrapped)]));
    },
    async replace(wrapped) {
      const operations = [...wrapped].map(([clientId, value]) => ({
        updateOne: { filter: { _id: clientId }, update: { $set: { wrapped: toBinary(value) } } },
      }));
      await run(async () => {
        if (operations.length > 0) await dataKeys.bulkWrite(operations, { ordered: false });
      });
    },
  };
}
