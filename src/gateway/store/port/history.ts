import type { EpochMs } from '../../../domain/clock.js';
import { type ChatSettings, type MessageStatus, VOTE_TYPE } from '../../../domain/room.js';
import { collection, type RecordOf } from './fields.js';

/** Chat rooms of the hosted inbox; their settings as the account's devices last changed them. */
export const ROOMS = collection('rooms', {
  chatRoomId: { is: 'text' },
  name: { is: 'text', sealed: ['chatRoomId'] },
  myLid: { is: 'text' },
  /** The other party's LID user-part, or the group's id. */
  clientLid: { is: 'text' },
  isGroup: { is: 'flag' },
  remoteJid: { is: 'text' },
  /** Id of the room's last message; empty if it has none. */
  lastMessageId: { is: 'text' },
  /** Sealed as the body of that message: back ends copy the sealed value. */
  lastMessage: { is: 'text', sealed: ['chatRoomId', 'lastMessageId'], sealedAs: ['messages', 'text'] },
  lastMessageFromMe: { is: 'flag' },
  /** Milliseconds since the epoch; 0 before the first message. */
  lastMessageAt: { is: 'number' },
  unreadCount: { is: 'number' },
  /** Id of the room's stored picture; empty if there is none. */
  avatarId: { is: 'text' },
  archived: { is: 'flag', none: 'absent' },
  /** Milliseconds since the epoch; 0: not muted, `FOREVER`: without an end. */
  mutedUntil: { is: 'number', none: 'absent' },
  pinned: { is: 'flag', none: 'absent' },
});

/** A room as a back end stores it. */
export type BackendRoom = RecordOf<typeof ROOMS>;

/** A chat room of the hosted inbox. */
export type RoomRecord = Omit<BackendRoom, 'lastMessageId'>;

/** Messages of the hosted inbox. */
export const MESSAGES = collection('messages', {
  chatRoomId: { is: 'text' },
  messageId: { is: 'text' },
  /** Milliseconds since the epoch. */
  sentAt: { is: 'number' },
  body: { is: 'text', sealed: ['chatRoomId', 'messageId'], sealedAs: ['messages', 'text'] },
  messageType: { is: 'text' },
  fromMe: { is: 'flag' },
  /** Jid of the author; empty if unknown. */
  author: { is: 'text' },
  pushname: { is: 'text' },
  deleted: { is: 'flag' },
  fromAi: { is: 'flag' },
  media: { is: 'media', none: 'undefined' },
  /** Id of the stored file; empty if there is none. */
  fileId: { is: 'text' },
  /** The contract's `extras`: a JSON object. */
  extras: { is: 'object', sealed: ['chatRoomId', 'messageId'], sealedAs: ['messages', 'inside'] },
  /** The encoded network message, to quote it and to fetch its file. */
  content: { is: 'bytes', sealed: ['chatRoomId', 'messageId'] },
});

export type HistoryMessage = RecordOf<typeof MESSAGES>;

/** The delivery status of an own message. */
export interface MessageProgress {
  messageId: string;
  status: MessageStatus;
  at: EpochMs;
}

/** Reactions, edits and revokes that arrived before the message they change. */
export const PENDING_CHANGES = collection('pending_changes', {
  chatRoomId: { is: 'text' },
  /** The message to change. */
  targetId: { is: 'text' },
  /** Id of the message that carries the change. */
  messageId: { is: 'text' },
  /** JSON object; only the inbox service reads it. */
  change: {
    is: 'object',
    sealed: ['chatRoomId', 'targetId', 'messageId'],
    sealedAs: ['pending-changes'],
  },
  /** Milliseconds since the epoch. */
  at: { is: 'number' },
});

export type PendingChange = RecordOf<typeof PENDING_CHANGES>;

/** Where a message goes among the stored ones with the same time: behind or before all of them. */
export type Place = 'last' | 'first';

/**
 * The fields of a room that a message sets. The room's last message is replaced only by one that goes behind it: of messages
 * with the same time, the last one wins. A vote changes neither: it is a row, but no message of the chat.
 */
export interface RoomUpdate {
  chatRoomId: string;
  /** Empty: the name stays. */
  name: string;
  myLid: string;
  clientLid: string;
  isGroup: boolean;
  remoteJid: string;
  lastMessage: string;
  /** Adds one to the unread count. */
  unread: boolean;
}

/**
 * Renames a room, for example from a phone number to a LID. The functions convert what the room holds to the new
 * `chatRoomId`; they have no side effects and may be called more than once.
 */
export interface RoomMove {
  from: string;
  to: string;
  room(room: BackendRoom): BackendRoom;
  message(message: HistoryMessage): HistoryMessage;
  pending(pending: PendingChange): PendingChange;
}

/** Chat history, kept for sessions with an `orgId` only. A message is identified by (clientId, chatRoomId, messageId). */
export interface HistoryStore {
  /**
   * Records a message and updates its room. Repeating the call changes nothing, also after a crash in the middle of it.
   * @param place among messages with the same time; by default `last`
   * @returns false if the message was recorded already, even by a call that failed
   */
  record(clientId: string, room: RoomUpdate, message: HistoryMessage, place?: Place): Promise<boolean>;
  message(clientId: string, chatRoomId: string, messageId: string): Promise<HistoryMessage | undefined>;
  /**
   * Replaces a message except its `sentAt`; false if there is none. If it is the room's last message, the room shows the
   * new `body`.
   */
  update(clientId: string, message: HistoryMessage): Promise<boolean>;
  /** Deletes a message; false if there is none. A room that loses its last message shows the one before it that is no vote. */
  remove(clientId: string, chatRoomId: string, messageId: string): Promise<boolean>;
  /**
   * The newest `limit` messages, oldest first; messages with the same time by their `place`. With `before`,
   * messages older than that message; none if it does not exist.
   */
  messages(
    clientId: string,
    chatRoomId: string,
    page: { limit: number; before?: string },
  ): Promise<HistoryMessage[]>;
  /** The oldest `limit` messages, oldest first; messages with the same time by their `place`. */
  oldest(clientId: string, chatRoomId: string, limit: number): Promise<HistoryMessage[]>;
  /** Newest activity first, then by `chatRoomId`. */
  rooms(clientId: string): Promise<RoomRecord[]>;
  room(clientId: string, chatRoomId: string): Promise<RoomRecord | undefined>;
  /** Rooms whose other party is known by phone number only. */
  roomsByNumber(clientId: string): Promise<{ chatRoomId: string; remoteJid: string }[]>;
  /** Changes the given fields only; false if there is no such room. */
  updateRoom(
    clientId: string,
    chatRoomId: string,
    changes: Partial<Pick<RoomRecord, 'name' | 'avatarId' | 'unreadCount'>> & ChatSettings,
  ): Promise<boolean>;
  /**
   * Moves a room with its messages, pending changes and file records, in steps that let other work in between; repeating
   * it completes an interrupted move. If the target room exists, both are merged: each message once, in order of time; unread
   * counts are added; the newer last message wins; other fields of the target stay.
   * @returns false if there was no such room; pending changes are moved anyway
   */
  rekey(clientId: string, move: RoomMove): Promise<boolean>;
  /**
   * Compares a room with its messages: the last message must be the newest that is no vote, and the unread count not larger than the
   * number of messages from others, without votes. With `repair`, corrects the room.
   * @returns false if the room was wrong
   */
  checkRoom(clientId: string, chatRoomId: string, options: { repair: boolean }): Promise<boolean>;
  /** Keeps a change for a message that is not recorded yet; ignores a second one with the same `messageId`. */
  addPending(clientId: string, pending: PendingChange): Promise<void>;
  /** By time. Changes stay until `removePending`, so that a crash while they are applied loses none. */
  pending(clientId: string, chatRoomId: string, targetId: string): Promise<PendingChange[]>;
  /** Ids of the messages of a room with pending changes, each once. */
  pendingTargets(clientId: string, chatRoomId: string): Promise<string[]>;
  removePending(clientId: string, chatRoomId: string, targetId: string): Promise<void>;
  /**
   * Sets the status of an own message, which need not be recorded yet. The status only moves forward in the order of
   * `MESSAGE_STATUSES`.
   * @returns false if the status was as far already
   */
  advance(clientId: string, progress: MessageProgress): Promise<boolean>;
  /** Statuses by message id; unknown ids are left out. */
  statuses(clientId: string, messageIds: readonly string[]): Promise<Map<string, MessageStatus>>;
  /** Deletes changes from before the given time whose message never came; returns the count. */
  prunePending(before: number): Promise<number>;
  /**
   * Deletes messages and statuses from before the given time, in bounded batches. Rooms stay; a room without messages shows
   * none and has nothing unread.
   * @param clientId of one session; by default all
   * @returns the number of deleted messages
   */
  prune(sentBefore: number, clientId?: string): Promise<number>;
}

/** What later reactions, votes and edits need of messages. Kept for every session, without the content. */
export const TRACES = collection('traces', {
  messageId: { is: 'text' },
  /** Jid of the chat: the person's LID if known. */
  chat: { is: 'text' },
  fromMe: { is: 'flag' },
  /** Jids of the author; empty if unknown. */
  authorLid: { is: 'text' },
  authorPn: { is: 'text' },
  /** The message's secret, which decrypts votes and edits. */
  secret: { is: 'bytes', none: 'undefined', sealed: ['messageId'] },
  /** Milliseconds since the epoch. */
  sentAt: { is: 'number' },
});

export type MessageTrace = RecordOf<typeof TRACES>;

export interface TraceStore {
  /** Inserts if absent by (clientId, messageId): a later message cannot take over the id of another one. */
  add(clientId: string, trace: MessageTrace): Promise<void>;
  get(clientId: string, messageId: string): Promise<MessageTrace | undefined>;
  /**
   * When a chat began: the times of its first message, and of the first from another person, as far as traces are kept.
   * Milliseconds since the epoch; undefined where there is none.
   */
  conversation(
    clientId: string,
    chat: string,
  ): Promise<{ firstAt: number | undefined; wroteAt: number | undefined }>;
  /** Replaces the number of a chat by its LID, also as the author. Both are jids. */
  rekey(clientId: string, pn: string, lid: string): Promise<void>;
  /** Deletes traces of messages that were sent before the given time; returns the count. */
  prune(sentBefore: number): Promise<number>;
}

/**
 * Chat history as a back end stores it. A back end copies the `body` of a message to the `lastMessage` of its room without
 * reading it: both are sealed alike.
 */
export interface BackendHistory extends HistoryStore {
  rooms(clientId: string): Promise<BackendRoom[]>;
  room(clientId: string, chatRoomId: string): Promise<BackendRoom | undefined>;
}

/** The fields of a room that show its last message. */
export type LastMessage = Pick<
  BackendRoom,
  'lastMessageId' | 'lastMessage' | 'lastMessageFromMe' | 'lastMessageAt'
>;

/** The last-message fields of a room for the given message, or for none. */
export function lastMessageOf(message: HistoryMessage | undefined): LastMessage {
  return {
    lastMessageId: message?.messageId ?? '',
    lastMessage: message?.body ?? '',
    lastMessageFromMe: message?.fromMe ?? false,
    lastMessageAt: message?.sentAt ?? 0,
  };
}

/** The last-message fields that recording a message brings to its room; those of no message for a vote. */
export function lastMessageBy(
  { lastMessage }: Pick<RoomUpdate, 'lastMessage'>,
  message: HistoryMessage,
): LastMessage {
  return message.messageType === VOTE_TYPE
    ? lastMessageOf(undefined)
    : { ...lastMessageOf(message), lastMessage };
}

/**
 * True if a room shows its newest message, or another one of the same time.
 * @param shown the message with the room's `lastMessageId`
 */
export function showsNewest(
  { lastMessageId, lastMessageAt, lastMessageFromMe }: BackendRoom,
  shown: HistoryMessage | undefined,
  newest: HistoryMessage | undefined,
): boolean {
  if (!newest) return lastMessageId === '' && lastMessageAt === 0;
  if (shown?.sentAt !== newest.sentAt) return false;
  return lastMessageAt === shown.sentAt && lastMessageFromMe === shown.fromMe;
}

/** The answer of `TraceStore.conversation`, from the times of the first own message and the first one from another person. */
export function conversationOf(
  ownAt: number | undefined,
  wroteAt: number | undefined,
): { firstAt: number | undefined; wroteAt: number | undefined } {
  const times = [ownAt, wroteAt].filter((at) => at !== undefined);
  return { firstAt: times.length > 0 ? Math.min(...times) : undefined, wroteAt };
}
