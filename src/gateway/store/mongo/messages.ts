import { ObjectId } from 'mongodb';
import { PN_SERVER } from '../../../domain/address.js';
import { MESSAGE_STATUSES, type MessageStatus, VOTE_TYPE } from '../../../domain/room.js';
import { conversationOf, MESSAGES, TRACES } from '../port/history.js';
import type { HistoryMessage, MessageProgress, MessageTrace, Place, TraceStore } from '../store.js';
import type { CommitLog } from './commits.js';
import type { MongoDatabase } from './database.js';
import { type DocumentOf, documentsOf } from './documents.js';
import { assertLease, type Fence, type Fences, insertFenced } from './fences.js';
import type { HeldCache } from './held-cache.js';
import { inRow } from './stored-changes.js';
import { deleteInBatches, setTo, upsertTwice } from './writes.js';

/** Messages with the same time are ordered by `_id`, which grows as they are recorded; see `firstId` for others. */
type MessageDocument = DocumentOf<HistoryMessage>;

const ofMessages = documentsOf(MESSAGES);
const ofTraces = documentsOf(TRACES);

const NEWEST_FIRST = { sentAt: -1, _id: -1 } as const;
const OLDEST_FIRST = { sentAt: 1, _id: 1 } as const;
const SECOND_MS = 1_000;

/** Messages in the collection `messages`. Call the methods inside `run`. */
export function mongoMessages(database: MongoDatabase) {
  const messages = database.db.collection<MessageDocument>('messages');
  /** Filter for the messages before the given one; undefined if that one does not exist. */
  const olderThan = async (clientId: string, chatRoomId: string, messageId: string) => {
    const place = { projection: { sentAt: 1 } };
    const found = await messages.findOne({ clientId, chatRoomId, messageId }, place);
    if (!found) return undefined;
    const { sentAt, _id } = found;
    // the first condition limits the index range, the second one ends it exactly at the message
    return { sentAt: { $lte: sentAt }, $or: [{ sentAt: { $lt: sentAt } }, { _id: { $lt: _id } }] };
  };

  /**
   * An `_id` before those of all messages with the same time: its first part is a time in seconds, here one second before
   * the first of them, and the rest is unique.
   */
  const firstId = async (clientId: string, { chatRoomId, sentAt }: HistoryMessage): Promise<ObjectId> => {
    const place = { projection: { _id: 1 }, sort: OLDEST_FIRST };
    const first = await messages.findOne({ clientId, chatRoomId, sentAt }, place);
    return first
      ? new ObjectId(ObjectId.generate(first._id.getTimestamp().getTime() / SECOND_MS - 1))
      : new ObjectId();
  };

  return {
    async has(clientId: string, chatRoomId: string, messageId: string): Promise<boolean> {
      const key = { clientId, chatRoomId, messageId };
      return (await messages.findOne(key, { projection: { _id: 1 } })) !== null;
    },
    /** False if there is a message with that id. */
    async insert(fence: Fence, clientId: string, message: HistoryMessage, place: Place): Promise<boolean> {
      const { chatRoomId, messageId, ...others } = message;
      const key = { clientId, chatRoomId, messageId };
      const fields = ofMessages.toFields(others);
      const placed = place === 'first' ? { ...fields, _id: await firstId(clientId, message) } : fields;
      return insertFenced(fence, messages, key, placed, 'sentAt');
    },
    async find(clientId: string, chatRoomId: string, messageId: string) {
      const found = await messages.findOne({ clientId, chatRoomId, messageId });
      return found ? ofMessages.toRecord(found) : undefined;
    },
    /** Replaces a message but not its position in the room; false if there is none. */
    async replace(fence: Fence, clientId: string, message: HistoryMessage): Promise<boolean> {
      const { chatRoomId, messageId, sentAt: _, ...others } = message;
      const key = { clientId, chatRoomId, messageId, ...fence.condition() };
      const { matchedCount } = await messages.updateOne(key, setTo(ofMessages.toFields(others)));
      return assertLease(database, clientId, fence, matchedCount > 0);
    },
    async remove(fence: Fence, clientId: string, chatRoomId: string, messageId: string): Promise<boolean> {
      const key = { clientId, chatRoomId, messageId, ...fence.condition() };
      const { deletedCount } = await messages.deleteOne(key);
      return assertLease(database, clientId, fence, deletedCount > 0);
    },
    /** The newest message of a room except the given one. */
    async newestBut(clientId: string, chatRoomId: string, messageId: string) {
      const others = { clientId, chatRoomId, messageId: { $ne: messageId }, messageType: { $ne: VOTE_TYPE } };
      const found = await messages.findOne(others, { sort: NEWEST_FIRST });
      return found ? ofMessages.toRecord(found) : undefined;
    },
    /** Messages from others in a room, without votes, counted up to `limit`. */
    async countOthers(clientId: string, chatRoomId: string, limit: number): Promise<number> {
      const others = { clientId, chatRoomId, fromMe: false, messageType: { $ne: VOTE_TYPE } };
      // for the server, limit 0 means no limit
      return limit > 0 ? messages.countDocuments(others, { limit }) : 0;
    },
    /** Oldest first. */
    async page(
      clientId: string,
      chatRoomId: string,
      { limit, before }: { limit: number; before?: string },
    ): Promise<HistoryMessage[]> {
      if (limit < 1) return [];
      const older = before === undefined ? {} : await olderThan(clientId, chatRoomId, before);
      if (!older) return [];
      const found = messages.find({ clientId, chatRoomId, ...older }, { batchSize: limit });
      return (await found.sort(NEWEST_FIRST).limit(limit).toArray()).reverse().map(ofMessages.toRecord);
    },
    /** The oldest messages of a room, oldest first. */
    async oldest(clientId: string, chatRoomId: string, limit: number): Promise<HistoryMessage[]> {
      if (limit < 1) return [];
      const found = messages.find({ clientId, chatRoomId }, { batchSize: limit });
      return (await found.sort(OLDEST_FIRST).limit(limit).toArray()).map(ofMessages.toRecord);
    },
    /** Up to `limit` messages of a room that were sent before that time, oldest first. */
    async before(clientId: string, chatRoomId: string, sentBefore: number, limit: number) {
      const older = { clientId, chatRoomId, sentAt: { $lt: sentBefore } };
      const found = messages.find(older, { projection: { _id: 1 } });
      return (await found.sort(OLDEST_FIRST).limit(limit).toArray()).map(({ _id }) => _id);
    },
    async removeThese(ids: readonly ObjectId[]): Promise<number> {
      return (await messages.deleteMany({ _id: { $in: [...ids] } })).deletedCount;
    },
    /** Up to `limit` messages of a room, to `move` them. */
    async some(clientId: string, chatRoomId: string, limit: number) {
      const found = await messages.find({ clientId, chatRoomId }).limit(limit).toArray();
      return found.map((document) => ({ id: document._id, message: ofMessages.toRecord(document) }));
    },
    /** Puts a message into its new room; deletes it if that room has a message with the same id. */
    async move(fence: Fence, _id: ObjectId, message: HistoryMessage): Promise<void> {
      await upsertTwice<unknown>(
        () => messages.updateOne({ _id, ...fence.condition() }, setTo(ofMessages.toFields(message))),
        () => messages.deleteOne({ _id, ...fence.condition() }),
      );
    },
  };
}

interface StatusDocument {
  clientId: string;
  messageId: string;
  /** Index in `MESSAGE_STATUSES`. */
  rank: number;
  at: number;
}

/** Statuses of own messages in the collection `message_status`. Receipts name only the message id, and may come before it. */
export function mongoMessageStatus({ db, run }: MongoDatabase, fences: Fences) {
  const statuses = db.collection<StatusDocument>('message_status');
  return {
    async advance(clientId: string, { messageId, status, at }: MessageProgress): Promise<boolean> {
      const rank = MESSAGE_STATUSES.indexOf(status);
      const behind = { clientId, messageId, rank: { $lt: rank } };
      return fences.run(clientId, async (fence) => {
        const put = (upsert: boolean) =>
          statuses.updateOne(behind, [...fence.guard(), { $set: { rank, at } }], { upsert });
        // a duplicate is as far already, or was inserted right now
        const { modifiedCount, upsertedCount } = await run(() =>
          upsertTwice(
            () => put(true),
            () => put(false),
          ),
        );
        return modifiedCount + upsertedCount > 0;
      });
    },
    async statuses(clientId: string, messageIds: readonly string[]): Promise<Map<string, MessageStatus>> {
      const named = statuses.find({ clientId, messageId: { $in: [...messageIds] } });
      const found = await run(() => named.project<StatusDocument>({ messageId: 1, rank: 1 }).toArray());
      return new Map(
        found.flatMap(({ messageId, rank }) => {
          const status = MESSAGE_STATUSES[rank];
          return status ? [[messageId, status]] : [];
        }),
      );
    },
    /** Deletes statuses from before that time, of one session or of all. */
    async pruneStatuses(before: number, clientId?: string): Promise<void> {
      const named = clientId === undefined ? {} : { clientId };
      await run(() => deleteInBatches(statuses, { ...named, at: { $lt: before } }));
    },
  };
}

type TraceDocument = DocumentOf<MessageTrace> & {
  /** Set while the other party is known by phone number only. */
  byNumber?: boolean;
};

/** A trace as it is kept in memory; null if there is none. */
export type HeldTrace = MessageTrace | null;

/** The key of a trace in memory. */
export function traceKey(messageId: string): string {
  return `trace ${messageId}`;
}

/** Traces of messages in the collection `traces`. */
export function mongoTraces(
  { db, run }: MongoDatabase,
  log: CommitLog,
  held: HeldCache<HeldTrace>,
): TraceStore {
  const traces = db.collection<TraceDocument>('traces');
  return {
    async add(clientId, { messageId, ...trace }) {
      const fields = { ...ofTraces.toFields(trace), ...(isByNumber(trace) && { byNumber: true }) };
      // after a crash its message is processed again: the entry in the journal, or the send, is not closed before
      const row = inRow({ to: 'traces', messageId, fields, how: 'add' });
      const written = log.writeRows(clientId, row, 'next');
      // another one of that id may be stored, unless it is known that there is none
      const isFirst = held.get(clientId, traceKey(messageId)) === null;
      if (isFirst) held.set(clientId, traceKey(messageId), ofTraces.toRecord({ ...fields, messageId }));
      await written;
    },
    async get(clientId, messageId) {
      const known = held.get(clientId, traceKey(messageId));
      if (known === null) return undefined;
      if (known) return { ...known, secret: known.secret && Uint8Array.from(known.secret) };
      const found = await log.read(clientId, () => traces.findOne({ clientId, messageId }));
      return found ? ofTraces.toRecord(found) : undefined;
    },
    async conversation(clientId, chat) {
      const first = async (fromMe: boolean) => {
        const oldest = { sort: { sentAt: 1 }, projection: { sentAt: 1 } } as const;
        return (await traces.findOne({ clientId, chat, fromMe }, oldest))?.sentAt;
      };
      return log.read(clientId, async () => conversationOf(await first(true), await first(false)));
    },
    async rekey(clientId, pn, lid) {
      held.forget(clientId);
      const authorLid = {
        $cond: [
          { $and: [{ $eq: ['$authorPn', pn] }, { $eq: ['$authorLid', ''] }] },
          { $literal: lid },
          '$authorLid',
        ],
      };
      await log.read(clientId, () =>
        traces.updateMany({ clientId, chat: pn, byNumber: true }, [
          { $set: { chat: { $literal: lid }, authorLid } },
          { $unset: 'byNumber' },
        ]),
      );
      held.forget(clientId);
    },
    async prune(sentBefore) {
      await log.applyAll();
      held.clear();
      return run(() => deleteInBatches(traces, { sentAt: { $lt: sentBefore } }));
    },
  };
}

function isByNumber({ chat }: Pick<MessageTrace, 'chat'>): boolean {
  return chat.endsWith(`@${PN_SERVER}`);
}
