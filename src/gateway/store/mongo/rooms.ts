import type { Document, WithId } from 'mongodb';
import { type LastMessage, lastMessageBy, lastMessageOf, ROOMS } from '../port/history.js';
import type { BackendRoom, HistoryMessage, HistoryStore, Place, RoomUpdate } from '../store.js';
import type { MongoDatabase } from './database.js';
import { type DocumentOf, documentsOf } from './documents.js';
import type { Fence } from './fences.js';
import { setTo, upsertTwice } from './writes.js';

type RoomDocument = DocumentOf<BackendRoom> & {
  /**
   * The last messages that were counted as unread. A message whose recording was interrupted is recorded again soon: it is
   * still in the list and is not counted twice.
   */
  counted: string[];
  /** Document ids of the rooms that were merged into it last. */
  takenIn?: string[];
};

const { toRecord } = documentsOf(ROOMS);

/** Length of `counted`; short, because the server reads it with every list of rooms. */
const COUNTED = 32;
/** Length of `takenIn`; rooms are merged one at a time. */
const TAKEN_IN = 8;
const SHOWN = { projection: { _id: 0, clientId: 0, counted: 0, takenIn: 0 } } as const;

/** Rooms in the collection `rooms`. Call the methods inside `run`. */
export function mongoRooms({ db }: MongoDatabase) {
  const rooms = db.collection<RoomDocument>('rooms');
  return {
    /** Updates a room for a message that is about to be recorded; creates the room if needed. Idempotent. */
    async applyMessage(
      fence: Fence,
      clientId: string,
      room: RoomUpdate,
      message: HistoryMessage,
      place: Place,
    ) {
      const key = { clientId, chatRoomId: room.chatRoomId };
      const pipeline = [...fence.guard(), { $set: afterMessage(room, message, place) }];
      await upsertTwice(() => rooms.updateOne(key, pipeline, { upsert: true }));
    },
    async get(clientId: string, chatRoomId: string): Promise<BackendRoom | undefined> {
      const found = await rooms.findOne({ clientId, chatRoomId }, SHOWN);
      return found ? toRecord(found) : undefined;
    },
    /** Without a room that is being merged into another: its content is counted there already. */
    async list(clientId: string): Promise<BackendRoom[]> {
      const found = rooms
        .find({ clientId })
        .project<Omit<WithId<RoomDocument>, 'clientId' | 'counted'>>({ clientId: 0, counted: 0 })
        .sort({ lastMessageAt: -1, chatRoomId: 1 });
      const stored = await found.toArray();
      const merged = new Set(stored.flatMap(({ takenIn = [] }) => takenIn));
      return stored.filter(({ _id }) => !merged.has(_id.toHexString())).map(toRecord);
    },
    byNumber: (clientId: string) =>
      rooms
        .find({ clientId, remoteJid: /@s\.whatsapp\.net$/ })
        .project<{ chatRoomId: string; remoteJid: string }>({ _id: 0, chatRoomId: 1, remoteJid: 1 })
        .toArray(),
    /** Changes the given fields if that message is the room's last one. */
    async changeLast(
      fence: Fence,
      clientId: string,
      { chatRoomId, messageId }: { chatRoomId: string; messageId: string },
      last: Partial<LastMessage>,
    ) {
      const shown = { clientId, chatRoomId, lastMessageId: messageId, ...fence.condition() };
      await rooms.updateOne(shown, setTo(last));
    },
    /** Corrects a room, unless it has changed since it was read. */
    async repair(clientId: string, seen: BackendRoom, correct: LastMessage & { unreadCount: number }) {
      const { chatRoomId, lastMessageId, unreadCount } = seen;
      await rooms.updateOne({ clientId, chatRoomId, lastMessageId, unreadCount }, { $set: correct });
    },
    /**
     * Changes the given fields; false if there is no such room. Not fenced: a room can be marked as read on any node, and
     * the value is right whoever writes it.
     */
    async change(
      clientId: string,
      chatRoomId: string,
      changes: Parameters<HistoryStore['updateRoom']>[2],
    ): Promise<boolean> {
      const named = Object.entries(changes).filter(([, value]) => value !== undefined);
      const key = { clientId, chatRoomId };
      if (named.length === 0) return (await rooms.findOne(key, SHOWN)) !== null;
      return (await rooms.updateOne(key, { $set: Object.fromEntries(named) })).matchedCount > 0;
    },
    /**
     * Creates the target of a move, or merges the moved room into it. Idempotent.
     * @param from the moved room
     * @param room its content under the new id
     */
    async takeIn(fence: Fence, clientId: string, from: string, room: BackendRoom) {
      const taken = await rooms.findOne({ clientId, chatRoomId: from });
      if (!taken) return;
      const key = { clientId, chatRoomId: room.chatRoomId };
      await rooms.updateOne(key, [...fence.guard(), { $set: mergedWith(room, taken) }], { upsert: true });
    },
    async remove(fence: Fence, clientId: string, chatRoomId: string) {
      await rooms.deleteOne({ clientId, chatRoomId, ...fence.condition() });
    },
    /** Empties a room whose messages are all older than that time. */
    async emptyBefore(clientId: string, chatRoomId: string, sentBefore: number) {
      const older = { clientId, chatRoomId, lastMessageAt: { $lt: sentBefore } };
      await rooms.updateOne(older, { $set: { ...lastMessageOf(undefined), unreadCount: 0 } });
    },
    /** The rooms of one session or of all. */
    all: (clientId?: string) =>
      rooms
        .find(clientId === undefined ? {} : { clientId })
        .project<{ clientId: string; chatRoomId: string }>({ _id: 0, clientId: 1, chatRoomId: 1 })
        .toArray(),
  };
}

/** The fields that a message sets, as expressions over the stored room: one atomic step. */
function afterMessage(room: RoomUpdate, message: HistoryMessage, place: Place): Document {
  const last = lastMessageBy(room, message);
  return {
    name: room.name === '' ? kept('name', '') : text(room.name),
    myLid: text(room.myLid),
    clientLid: text(room.clientLid),
    isGroup: room.isGroup,
    remoteJid: text(room.remoteJid),
    avatarId: kept('avatarId', ''),
    ...(place === 'first' ? lastIfNewer(last) : lastUnlessOlder(last)),
    ...(room.unread ? countedOnce(message.messageId) : notCounted()),
  };
}

/** The fields of a room after another one was merged into it, as expressions over the stored room. */
function mergedWith(room: BackendRoom, { _id, counted = [] }: WithId<RoomDocument>): Document {
  const token = _id.toHexString();
  const isTaken = { $in: [token, kept('takenIn', [])] };
  const { lastMessageId, lastMessage, lastMessageFromMe, lastMessageAt } = room;
  const last = { lastMessageId, lastMessage, lastMessageFromMe, lastMessageAt };
  return {
    name: { $cond: [{ $eq: [kept('name', ''), ''] }, text(room.name), '$name'] },
    myLid: text(room.myLid),
    clientLid: text(room.clientLid),
    isGroup: room.isGroup,
    remoteJid: text(room.remoteJid),
    avatarId: { $cond: [{ $eq: [kept('avatarId', ''), ''] }, text(room.avatarId), '$avatarId'] },
    ...(room.archived !== undefined && { archived: kept('archived', room.archived) }),
    ...(room.mutedUntil !== undefined && { mutedUntil: kept('mutedUntil', room.mutedUntil) }),
    ...(room.pinned !== undefined && { pinned: kept('pinned', room.pinned) }),
    ...lastIfNewer(last),
    unreadCount: { $add: [kept('unreadCount', 0), { $cond: [isTaken, 0, room.unreadCount] }] },
    counted: {
      $cond: [
        isTaken,
        '$counted',
        { $slice: [{ $concatArrays: [kept('counted', []), counted.map(text)] }, -COUNTED] },
      ],
    },
    takenIn: {
      $cond: [
        isTaken,
        '$takenIn',
        { $slice: [{ $concatArrays: [kept('takenIn', []), [token]] }, -TAKEN_IN] },
      ],
    },
  };
}

function lastIfNewer(last: LastMessage): Document {
  const isNewer = { $gt: [last.lastMessageAt, kept('lastMessageAt', 0)] };
  const fields = Object.entries(last).map(([field, value]) => [
    field,
    { $cond: [isNewer, { $literal: value }, { $ifNull: [`$${field}`, { $literal: value }] }] },
  ]);
  return Object.fromEntries(fields);
}

function lastUnlessOlder(last: LastMessage): Document {
  const fields = Object.entries(last).map(([field, value]) => [
    field,
    { $cond: [{ $gte: [last.lastMessageAt, kept('lastMessageAt', 0)] }, { $literal: value }, `$${field}`] },
  ]);
  return Object.fromEntries(fields);
}

function countedOnce(messageId: string): Document {
  const isCounted = { $in: [text(messageId), kept('counted', [])] };
  const withIt = { $concatArrays: [kept('counted', []), [text(messageId)]] };
  return {
    unreadCount: { $add: [kept('unreadCount', 0), { $cond: [isCounted, 0, 1] }] },
    counted: { $cond: [isCounted, '$counted', { $slice: [withIt, -COUNTED] }] },
  };
}

function notCounted(): Document {
  return { unreadCount: kept('unreadCount', 0), counted: kept('counted', []) };
}

/** A stored field, or its initial value. */
function kept(field: keyof RoomDocument, initial: unknown): Document {
  return { $ifNull: [`$${field}`, initial] };
}

/** A literal text, even if it begins with `$`. */
function text(value: string): Document {
  return { $literal: value };
}
