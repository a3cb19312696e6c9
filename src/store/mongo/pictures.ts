import type { PictureRecord, PictureStore } from '../store.js';
import { isDuplicate, type MongoDatabase } from './database.js';

type PictureDocument = PictureRecord & { clientId: string };

/** Profile pictures in the collection `pictures`. */
export function mongoPictures({ db, run }: MongoDatabase): PictureStore {
  const pictures = db.collection<PictureDocument>('pictures');
  return {
    async get(clientId, jid, preview) {
      const shown = { projection: { _id: 0, clientId: 0 } };
      return (
        (await run(() => pictures.findOne<PictureRecord>({ clientId, jid, preview }, shown))) ?? undefined
      );
    },
    async put(clientId, picture) {
      const { jid, preview } = picture;
      const key = { clientId, jid, preview };
      const put = () => pictures.updateOne(key, { $set: { ...picture } }, { upsert: true });
      // another one put it there at this instant
      await run(() => put().catch((error: unknown) => (isDuplicate(error) ? put() : Promise.reject(error))));
    },
  };
}
