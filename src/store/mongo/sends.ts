import type { Binary } from 'mongodb';
import type { SendStore, SentRecord } from '../store.js';
import { fromBinary, toBinary } from './bytes.js';
import type { MongoDatabase } from './database.js';

type SentDocument = Omit<SentRecord, 'content'> & { clientId: string; content: Binary };

/** Own messages in the collection `sends`. */
export function mongoSends({ db, run }: MongoDatabase): SendStore {
  const sends = db.collection<SentDocument>('sends');
  return {
    async put(clientId, record) {
      const document = { ...record, clientId, content: toBinary(record.content) };
      const key = { clientId, messageId: record.messageId };
      await run(() => sends.replaceOne(key, document, { upsert: true }));
    },
    async get(clientId, messageId) {
      const found = await run(() => sends.findOne({ clientId, messageId }));
      return found ? toRecord(found) : undefined;
    },
    async acknowledge(clientId, messageId) {
      await run(() => sends.updateOne({ clientId, messageId }, { $set: { acknowledged: true } }));
    },
    async prune(sentBefore) {
      const { deletedCount } = await run(() => sends.deleteMany({ sentAt: { $lt: sentBefore } }));
      return deletedCount;
    },
  };
}

function toRecord({ messageId, to, content, metaData, sentAt, acknowledged }: SentDocument): SentRecord {
  return { messageId, to, content: fromBinary(content), metaData, sentAt, acknowledged };
}
