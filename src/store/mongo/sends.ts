import type { Binary } from 'mongodb';
import type { SendStore, SentRecord } from '../store.js';
import { fromBinary, toBinary } from './bytes.js';
import type { MongoDatabase } from './database.js';

type SentDocument = Omit<SentRecord, 'content' | 'closed'> & {
  clientId: string;
  content: Binary;
  /** True until it is closed, then missing: the index of what is open holds nothing else. */
  open?: true;
};

/** Own messages in the collection `sends`. */
export function mongoSends({ db, run }: MongoDatabase): SendStore {
  const sends = db.collection<SentDocument>('sends');
  return {
    async put(clientId, { closed, ...record }) {
      const content = toBinary(record.content);
      const document = { ...record, clientId, content, ...(!closed && { open: true as const }) };
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
    async open(clientId) {
      const found = await run(() =>
        sends.find({ open: true, clientId }).sort({ sentAt: 1, _id: 1 }).toArray(),
      );
      return found.map(toRecord);
    },
    async close(clientId, messageId) {
      await run(() => sends.updateOne({ clientId, messageId }, { $unset: { open: true } }));
    },
    async prune(sentBefore) {
      const { deletedCount } = await run(() => sends.deleteMany({ sentAt: { $lt: sentBefore } }));
      return deletedCount;
    },
  };
}

function toRecord({
  messageId,
  to,
  content,
  metaData,
  sentAt,
  acknowledged,
  open,
}: SentDocument): SentRecord {
  return { messageId, to, content: fromBinary(content), metaData, sentAt, acknowledged, closed: !open };
}
