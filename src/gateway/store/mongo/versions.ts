import type { VersionStore } from '../store.js';
import type { MongoDatabase } from './database.js';

const ID = 'client';

/** The newest client version, in the one document of the collection `versions`. */
export function mongoVersions({ db, run }: MongoDatabase): VersionStore {
  const versions = db.collection<{ _id: string; version: string }>('versions');
  return {
    async get() {
      return (await run(() => versions.findOne({ _id: ID })))?.version ?? '';
    },
    async put(version) {
      await run(() => versions.updateOne({ _id: ID }, { $set: { version } }, { upsert: true }));
    },
  };
}
