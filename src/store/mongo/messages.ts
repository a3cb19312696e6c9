import type { Binary, ObjectId } from 'mongodb';
import type { HistoryMessage } from '../store.js';
import { fromBinary, toBinary } from './bytes.js';
import { isDuplicate, type MongoDatabase } from './database.js';
import type { Fence } from './fences.js';
import { insertUnder } from './put-if-absent.js';
import { setTo, unlessRefused } from './under-fence.js';

/** Messages in the collection `messages`. Call the methods inside `run`. */
export interface MongoMessages {
  has(clientId: string, chatRoomId: string, messageId: string): Promise<boolean>;
  /** False when there is a message of that id. */
  insert(fence: Fence, clientId: string, message: HistoryMessage): Promise<boolean>;
  find(clientId: string, chatRoomId: string, messageId: string): Promise<HistoryMessage | undefined>;
  /** Replaces all but what places it in its room; false when there is none. */
  replace(fence: Fence, clientId: string, message: HistoryMessage): Promise<boolean>;
  remove(fence: Fence, clientId: string, chatRoomId: string, messageId: string): Promise<boolean>;
  /** The newest one of a room, of all but the given one. */
  newestBut(clientId: string, chatRoomId: string, messageId: string): Promise<HistoryMessage | undefined>;
  /** Messages of others in a room, counted up to `limit`. */
  countOthers(clientId: string, chatRoomId: string, limit: number): Promise<number>;
  /** Oldest first. */
  page(
    clientId: string,
    chatRoomId: string,
    page: { limit: number; before?: string },
  ): Promise<HistoryMessage[]>;
  /** Up to `limit` messages of a room that were sent before that time, oldest first. */
  before(clientId: string, chatRoomId: string, sentBefore: number, limit: number): Promise<ObjectId[]>;
  removeThese(ids: readonly ObjectId[]): Promise<number>;
  /** Some messages of a room, with what they are moved by. */
  some(
    clientId: string,
    chatRoomId: string,
    limit: number,
  ): Promise<{ id: ObjectId; message: HistoryMessage }[]>;
  /** Puts a message into the room that it names; deletes it where that one has a message of its id. */
  move(fence: Fence, id: ObjectId, clientId: string, message: HistoryMessage): Promise<void>;
}

/**
 * Messages of the same instant are in the order of their `_id`, which counts up as they are recorded. The extras are JSON
 * text: the server does not take every name of a field.
 */
export interface MessageDocument extends Omit<HistoryMessage, 'media' | 'extras' | 'content'> {
  clientId: string;
  media: HistoryMessage['media'] | null;
  extras: string;
  content: Binary;
}

const NEWEST_FIRST = { sentAt: -1, _id: -1 } as const;

export function mongoMessages(database: MongoDatabase): MongoMessages {
  const messages = database.db.collection<MessageDocument>('messages');
  /** What makes a message older than the given one; undefined when that one is not there. */
  const olderThan = async (clientId: string, chatRoomId: string, messageId: string) => {
    const place = { projection: { sentAt: 1 } };
    const found = await messages.findOne({ clientId, chatRoomId, messageId }, place);
    if (!found) return undefined;
    const { sentAt, _id } = found;
    // the first condition bounds the range of the index that is read, the second one cuts it at the message
    return { sentAt: { $lte: sentAt }, $or: [{ sentAt: { $lt: sentAt } }, { _id: { $lt: _id } }] };
  };

  return {
    async has(clientId, chatRoomId, messageId) {
      const key = { clientId, chatRoomId, messageId };
      return (await messages.findOne(key, { projection: { _id: 1 } })) !== null;
    },
    insert(fence, clientId, message) {
      const { chatRoomId, messageId, ...fields } = toDocument(clientId, message);
      return insertUnder(fence, messages, { clientId, chatRoomId, messageId }, fields, 'sentAt');
    },
    async find(clientId, chatRoomId, messageId) {
      const found = await messages.findOne({ clientId, chatRoomId, messageId });
      return found ? toMessage(found) : undefined;
    },
    async replace(fence, clientId, message) {
      const { chatRoomId, messageId, sentAt: _, ...fields } = toDocument(clientId, message);
      const key = { clientId, chatRoomId, messageId, ...fence.condition() };
      const { matchedCount } = await messages.updateOne(key, setTo(fields));
      return unlessRefused(database, clientId, fence, matchedCount > 0);
    },
    async remove(fence, clientId, chatRoomId, messageId) {
      const key = { clientId, chatRoomId, messageId, ...fence.condition() };
      const { deletedCount } = await messages.deleteOne(key);
      return unlessRefused(database, clientId, fence, deletedCount > 0);
    },
    async newestBut(clientId, chatRoomId, messageId) {
      const others = { clientId, chatRoomId, messageId: { $ne: messageId } };
      const found = await messages.findOne(others, { sort: NEWEST_FIRST });
      return found ? toMessage(found) : undefined;
    },
    // without a limit the server would count all
    countOthers: async (clientId, chatRoomId, limit) =>
      limit > 0 ? messages.countDocuments({ clientId, chatRoomId, fromMe: false }, { limit }) : 0,
    async page(clientId, chatRoomId, { limit, before }) {
      if (limit < 1) return [];
      const older = before === undefined ? {} : await olderThan(clientId, chatRoomId, before);
      if (!older) return [];
      const found = messages.find({ clientId, chatRoomId, ...older }, { batchSize: limit });
      return (await found.sort(NEWEST_FIRST).limit(limit).toArray()).reverse().map(toMessage);
    },
    async before(clientId, chatRoomId, sentBefore, limit) {
      const older = { clientId, chatRoomId, sentAt: { $lt: sentBefore } };
      const found = messages.find(older, { projection: { _id: 1 } });
      return (await found.sort({ sentAt: 1, _id: 1 }).limit(limit).toArray()).map(({ _id }) => _id);
    },
    async removeThese(ids) {
      return (await messages.deleteMany({ _id: { $in: [...ids] } })).deletedCount;
    },
    async some(clientId, chatRoomId, limit) {
      const found = await messages.find({ clientId, chatRoomId }).limit(limit).toArray();
      return found.map((document) => ({ id: document._id, message: toMessage(document) }));
    },
    async move(fence, _id, clientId, message) {
      try {
        await messages.updateOne({ _id, ...fence.condition() }, setTo(toDocument(clientId, message)));
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        await messages.deleteOne({ _id, ...fence.condition() });
      }
    },
  };
}

/** A message as it is kept. */
export function toDocument(clientId: string, message: HistoryMessage): MessageDocument {
  return {
    ...message,
    clientId,
    media: message.media ?? null,
    extras: JSON.stringify(message.extras),
    content: toBinary(message.content),
  };
}

function toMessage({ messageId, chatRoomId, body, messageType, ...rest }: MessageDocument): HistoryMessage {
  const { fromMe, author, pushname, sentAt, deleted, fromAi, media, fileId, extras, content } = rest;
  return {
    ...{
      messageId,
      chatRoomId,
      body,
      messageType,
      fromMe,
      author,
      pushname,
      sentAt,
      deleted,
      fromAi,
      fileId,
    },
    media: media ?? undefined,
    extras: JSON.parse(extras),
    content: fromBinary(content),
  };
}
