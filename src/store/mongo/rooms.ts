import type { Document, WithId } from 'mongodb';
import type { BackendRoom, HistoryMessage, RoomUpdate } from '../store.js';
import { isDuplicate, type MongoDatabase } from './database.js';
import type { Fence } from './fences.js';
import { setTo } from './under-fence.js';

/** Rooms in the collection `rooms`. Call the methods inside `run`. */
export interface MongoRooms {
  /**
   * Tells a room of a message that is about to be recorded; makes the room when it is not there. Telling it again
   * changes nothing more.
   */
  tell(fence: Fence, clientId: string, room: RoomUpdate, message: HistoryMessage): Promise<void>;
  get(clientId: string, chatRoomId: string): Promise<BackendRoom | undefined>;
  list(clientId: string): Promise<BackendRoom[]>;
  byNumber(clientId: string): Promise<Pick<BackendRoom, 'chatRoomId' | 'remoteJid'>[]>;
  /** Changes the named fields, if the room shows that message. */
  changeShowing(fence: Fence, message: MessageKey, last: Partial<Last>): Promise<void>;
  /** Replaces what a room shows and counts, unless it has changed since it was read. */
  mend(clientId: string, seen: BackendRoom, shown: Last, unreadCount: number): Promise<void>;
  /**
   * Changes the named fields; false when there is no such room. Under no fence: people mark a room as read on whatever node
   * answers them, and what is set is right whoever sets it.
   */
  change(clientId: string, chatRoomId: string, changes: Changes): Promise<boolean>;
  /**
   * Makes the room that another one becomes, or unites both where it is there. Doing it again changes nothing more.
   * @param from the one that is taken in
   */
  takeIn(fence: Fence, clientId: string, from: string, room: BackendRoom): Promise<void>;
  remove(fence: Fence, clientId: string, chatRoomId: string): Promise<void>;
  /** Empties a room whose messages are all older than that time. */
  emptyBefore(room: RoomKey, sentBefore: number): Promise<void>;
  /** The rooms of all sessions. */
  all(): Promise<RoomKey[]>;
}

/** Names a room. */
export interface RoomKey {
  clientId: string;
  chatRoomId: string;
}

/** Names a message. */
interface MessageKey extends RoomKey {
  messageId: string;
}

type Last = Pick<BackendRoom, 'lastMessageId' | 'lastMessage' | 'lastMessageFromMe' | 'lastMessageAt'>;
type Changes = Partial<Pick<BackendRoom, 'name' | 'avatarId' | 'unreadCount'>>;

interface RoomDocument extends BackendRoom {
  clientId: string;
  /**
   * The messages that were counted as unread last. A message that comes again because recording it was interrupted
   * comes before many others have: it is still among them.
   */
  counted: string[];
  /** The rooms that it took in last, by the ids of their documents. */
  takenIn?: string[];
}

/** How many counted messages a room remembers; few, because every list of rooms passes over them. */
const COUNTED = 32;
/** How many rooms that it took in; one room is taken in at a time. */
const TAKEN_IN = 8;
const NOTHING: Last = { lastMessageId: '', lastMessage: '', lastMessageFromMe: false, lastMessageAt: 0 };
const SHOWN = { projection: { _id: 0, clientId: 0, counted: 0, takenIn: 0 } } as const;

export function mongoRooms({ db }: MongoDatabase): MongoRooms {
  const rooms = db.collection<RoomDocument>('rooms');
  return {
    async tell(fence, clientId, room, message) {
      const key = { clientId, chatRoomId: room.chatRoomId };
      const tell = () =>
        rooms.updateOne(key, [...fence.guard(), { $set: told(room, message) }], { upsert: true });
      // another one made the room at this instant: now it is there to be told
      await tell().catch((error: unknown) => (isDuplicate(error) ? tell() : Promise.reject(error)));
    },
    async get(clientId, chatRoomId) {
      return (await rooms.findOne<BackendRoom>({ clientId, chatRoomId }, SHOWN)) ?? undefined;
    },
    list: (clientId) =>
      rooms
        .find({ clientId })
        .project<BackendRoom>(SHOWN.projection)
        .sort({ lastMessageAt: -1, chatRoomId: 1 })
        .toArray(),
    byNumber: (clientId) =>
      rooms
        .find({ clientId, remoteJid: /@s\.whatsapp\.net$/ })
        .project<Pick<BackendRoom, 'chatRoomId' | 'remoteJid'>>({ _id: 0, chatRoomId: 1, remoteJid: 1 })
        .toArray(),
    async changeShowing(fence, { clientId, chatRoomId, messageId: lastMessageId }, last) {
      await rooms.updateOne({ clientId, chatRoomId, lastMessageId, ...fence.condition() }, setTo(last));
    },
    async mend(clientId, { chatRoomId, lastMessageId, unreadCount: counted }, shown, unreadCount) {
      const seen = { clientId, chatRoomId, lastMessageId, unreadCount: counted };
      await rooms.updateOne(seen, { $set: { ...shown, unreadCount } });
    },
    async change(clientId, chatRoomId, changes) {
      const named = Object.entries(changes).filter(([, value]) => value !== undefined);
      const key = { clientId, chatRoomId };
      if (named.length === 0) return (await rooms.findOne(key, SHOWN)) !== null;
      return (await rooms.updateOne(key, { $set: Object.fromEntries(named) })).matchedCount > 0;
    },
    async takeIn(fence, clientId, from, room) {
      const taken = await rooms.findOne({ clientId, chatRoomId: from });
      if (!taken) return;
      const key = { clientId, chatRoomId: room.chatRoomId };
      await rooms.updateOne(key, [...fence.guard(), { $set: united(room, taken) }], { upsert: true });
    },
    async remove(fence, clientId, chatRoomId) {
      await rooms.deleteOne({ clientId, chatRoomId, ...fence.condition() });
    },
    async emptyBefore({ clientId, chatRoomId }, sentBefore) {
      const older = { clientId, chatRoomId, lastMessageAt: { $lt: sentBefore } };
      await rooms.updateOne(older, { $set: { ...NOTHING, unreadCount: 0 } });
    },
    all: () => rooms.find().project<RoomKey>({ _id: 0, clientId: 1, chatRoomId: 1 }).toArray(),
  };
}

/** What a room shows when that message is its last, or when it has none. */
export function lastOf(message: HistoryMessage | undefined): Last {
  if (!message) return NOTHING;
  const { messageId, body, fromMe, sentAt } = message;
  return { lastMessageId: messageId, lastMessage: body, lastMessageFromMe: fromMe, lastMessageAt: sentAt };
}

/** The fields that a message changes, as expressions over the room as it is: one step, whoever else writes. */
function told(room: RoomUpdate, message: HistoryMessage): Document {
  return {
    name: room.name === '' ? kept('name', '') : text(room.name),
    myLid: text(room.myLid),
    clientLid: text(room.clientLid),
    isGroup: room.isGroup,
    remoteJid: text(room.remoteJid),
    avatarId: kept('avatarId', ''),
    ...lastUnlessOlder({ ...lastOf(message), lastMessage: room.lastMessage }),
    ...(room.unread ? countedOnce(message.messageId) : notCounted()),
  };
}

/** A room that takes in another one, as expressions over the room as it is. */
function united(room: BackendRoom, { _id, counted = [] }: WithId<RoomDocument>): Document {
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

function lastIfNewer(last: Last): Document {
  const isNewer = { $gt: [last.lastMessageAt, kept('lastMessageAt', 0)] };
  const fields = Object.entries(last).map(([field, value]) => [
    field,
    { $cond: [isNewer, { $literal: value }, { $ifNull: [`$${field}`, { $literal: value }] }] },
  ]);
  return Object.fromEntries(fields);
}

function lastUnlessOlder(last: Last): Document {
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

/** A field as it is, or what it starts with. */
function kept(field: keyof RoomDocument, initial: unknown): Document {
  return { $ifNull: [`$${field}`, initial] };
}

/** A text that is no expression, whatever it begins with. */
function text(value: string): Document {
  return { $literal: value };
}
