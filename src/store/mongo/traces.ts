import type { Binary } from 'mongodb';
import type { MessageTrace, TraceStore } from '../store.js';
import { fromBinary, toBinary } from './bytes.js';
import type { MongoDatabase } from './database.js';
import { deleteInBatches } from './delete-in-batches.js';
import { insertIfAbsent } from './put-if-absent.js';

type TraceDocument = Omit<MessageTrace, 'secret'> & { clientId: string; secret: Binary | null };

/** Traces of messages in the collection `traces`. */
export function mongoTraces({ db, run }: MongoDatabase): TraceStore {
  const traces = db.collection<TraceDocument>('traces');
  return {
    async add(clientId, { secret, ...fields }) {
      await run(() =>
        insertIfAbsent(traces, { ...fields, clientId, secret: secret ? toBinary(secret) : null }),
      );
    },
    async get(clientId, messageId) {
      const found = await run(() => traces.findOne({ clientId, messageId }));
      return found ? toTrace(found) : undefined;
    },
    async prune(sentBefore) {
      return run(() => deleteInBatches(traces, { sentAt: { $lt: sentBefore } }));
    },
  };
}

function toTrace({
  messageId,
  chat,
  fromMe,
  authorLid,
  authorPn,
  secret,
  sentAt,
}: TraceDocument): MessageTrace {
  const opened = secret ? fromBinary(secret) : undefined;
  return { messageId, chat, fromMe, authorLid, authorPn, secret: opened, sentAt };
}
