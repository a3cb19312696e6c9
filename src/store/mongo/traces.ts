import type { Binary } from 'mongodb';
import { PN_SERVER } from '../../domain/address.js';
import type { MessageTrace, TraceStore } from '../store.js';
import { fromBinary, toBinary } from './bytes.js';
import type { MongoDatabase } from './database.js';
import { deleteInBatches } from './delete-in-batches.js';
import { insertIfAbsent } from './put-if-absent.js';

type TraceDocument = Omit<MessageTrace, 'secret'> & {
  clientId: string;
  secret: Binary | null;
  /** Set while the chat's other party is known by number only. */
  byNumber?: boolean;
};

/** Traces of messages in the collection `traces`. */
export function mongoTraces({ db, run }: MongoDatabase): TraceStore {
  const traces = db.collection<TraceDocument>('traces');
  return {
    async add(clientId, { secret, ...fields }) {
      await run(() =>
        insertIfAbsent(traces, {
          ...fields,
          clientId,
          secret: secret ? toBinary(secret) : null,
          ...(isByNumber(fields) && { byNumber: true }),
        }),
      );
    },
    async get(clientId, messageId) {
      const found = await run(() => traces.findOne({ clientId, messageId }));
      return found ? toTrace(found) : undefined;
    },
    async rekey(clientId, pn, lid) {
      const authorLid = {
        $cond: [
          { $and: [{ $eq: ['$authorPn', pn] }, { $eq: ['$authorLid', ''] }] },
          { $literal: lid },
          '$authorLid',
        ],
      };
      await run(() =>
        traces.updateMany({ clientId, chat: pn, byNumber: true }, [
          { $set: { chat: { $literal: lid }, authorLid } },
          { $unset: 'byNumber' },
        ]),
      );
    },
    async prune(sentBefore) {
      return run(() => deleteInBatches(traces, { sentAt: { $lt: sentBefore } }));
    },
  };
}

function isByNumber({ chat }: Pick<MessageTrace, 'chat'>): boolean {
  return chat.endsWith(`@${PN_SERVER}`);
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
