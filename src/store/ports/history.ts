import type { MessageStatus } from '../../domain/message-status.js';

/** A chat room of the hosted inbox. */
export interface RoomRecord {
  chatRoomId: string;
  name: string;
  myLid: string;
  /** The other party's LID user-part, or the group's id. */
  clientLid: string;
  isGroup: boolean;
  remoteJid: string;
  lastMessage: string;
  lastMessageFromMe: boolean;
  /** Milliseconds since the epoch; 0 before the first message. */
  lastMessageAt: number;
  unreadCount: number;
  /** Of the stored file of its picture; empty while there is none. */
  avatarId: string;
}

/** A message of the hosted inbox. */
export interface HistoryMessage {
  messageId: string;
  chatRoomId: string;
  body: string;
  messageType: string;
  fromMe: boolean;
  /** Jid of who wrote it; empty where not known. */
  author: string;
  pushname: string;
  /** Milliseconds since the epoch. */
  sentAt: number;
  deleted: boolean;
  fromAi: boolean;
  media: { mimeType: string; mediaType: string; fileName: string; fileSize: number } | undefined;
  /** Id of the stored file; empty while there is none. */
  fileId: string;
  /** The contract's `extras`: a JSON object. */
  extras: Record<string, unknown>;
  /** The encoded network message, to quote it and to fetch its file. */
  content: Uint8Array;
}

/** How far an own message has come. */
export interface MessageProgress {
  messageId: string;
  status: MessageStatus;
  /** Milliseconds since the epoch. */
  at: number;
}

/** A change of a message that has not been recorded yet: a reaction, an edit or a revoke that came first. */
export interface PendingChange {
  /** The message to change. */
  targetId: string;
  chatRoomId: string;
  /** Id of the message that changes it. */
  messageId: string;
  /** JSON object; its meaning is the inbox service's. */
  change: Record<string, unknown>;
  /** Milliseconds since the epoch. */
  at: number;
}

/**
 * What a room is told with each message. `lastMessage…` replace only what is not newer: of messages of the same instant
 * the one recorded last is the room's last.
 */
export interface RoomUpdate {
  chatRoomId: string;
  /** Replaces when not empty. */
  name: string;
  myLid: string;
  clientLid: string;
  isGroup: boolean;
  remoteJid: string;
  lastMessage: string;
  /** Counts as unread. */
  unread: boolean;
}

/**
 * A room that is another one from now on, because more became known of who is in it. The functions say what becomes of
 * what it holds, under the new `chatRoomId`; they change nothing else, and may be asked more than once.
 */
export interface RoomMove {
  from: string;
  to: string;
  room(room: BackendRoom): BackendRoom;
  message(message: HistoryMessage): HistoryMessage;
  pending(pending: PendingChange): PendingChange;
}

/** Chat history, kept only for sessions with an `orgId`. Messages are told apart by (clientId, chatRoomId, messageId). */
export interface HistoryStore {
  /**
   * Records a message and what it does to its room. Repeating it, also after a crash in between, changes nothing more.
   * @returns false when the message was recorded already, be it by a call that ended with an error.
   */
  record(clientId: string, room: RoomUpdate, message: HistoryMessage): Promise<boolean>;
  message(clientId: string, chatRoomId: string, messageId: string): Promise<HistoryMessage | undefined>;
  /**
   * Replaces a message that is there, but for its place in the room: `sentAt` stays. False when there is none. Where it is
   * the room's last, the room shows `body`.
   */
  update(clientId: string, message: HistoryMessage): Promise<boolean>;
  /** Deletes a message; false when there is none. A room that loses its last one shows the one before, if any. */
  remove(clientId: string, chatRoomId: string, messageId: string): Promise<boolean>;
  /**
   * The newest `limit` messages, oldest first; those of the same instant in the order in which they were recorded. With
   * `before` those older than that message; none when it is not there.
   */
  messages(
    clientId: string,
    chatRoomId: string,
    page: { limit: number; before?: string },
  ): Promise<HistoryMessage[]>;
  /** Newest activity first, then by `chatRoomId`. */
  rooms(clientId: string): Promise<RoomRecord[]>;
  room(clientId: string, chatRoomId: string): Promise<RoomRecord | undefined>;
  /** Those that go by the number of the other person. */
  roomsByNumber(clientId: string): Promise<Pick<RoomRecord, 'chatRoomId' | 'remoteJid'>[]>;
  /** Changes the named fields only; false when there is no such room. */
  updateRoom(
    clientId: string,
    chatRoomId: string,
    changes: Partial<Pick<RoomRecord, 'name' | 'avatarId' | 'unreadCount'>>,
  ): Promise<boolean>;
  /**
   * Moves a room with its messages, its pending changes and the records of its files, in one step where the back end can;
   * repeating it completes what was interrupted. Where the other room is there already both become one: messages in the
   * order of their time and each once, the unread counts added, the newer last message shown; what else the other room
   * shows stays.
   * @returns false when there was no such room; pending changes are moved all the same.
   */
  rekey(clientId: string, move: RoomMove): Promise<boolean>;
  /**
   * Holds what a room shows against its messages: its last one is the newest, or as new, and no more are unread than
   * others wrote. With `repair` it shows that from now on.
   * @returns false when it was wrong
   */
  checkRoom(clientId: string, chatRoomId: string, options: { repair: boolean }): Promise<boolean>;
  /** Keeps a change for a message that is not there yet; the same `messageId` once. */
  addPending(clientId: string, pending: PendingChange): Promise<void>;
  /** By time. They stay until removed, so that a crash while they are applied loses none. */
  pending(clientId: string, chatRoomId: string, targetId: string): Promise<PendingChange[]>;
  /** Ids of the messages of a room for which changes wait, each once. */
  pendingTargets(clientId: string, chatRoomId: string): Promise<string[]>;
  removePending(clientId: string, chatRoomId: string, targetId: string): Promise<void>;
  /**
   * Notes how far an own message has come, whether or not it is there yet: only ever further, in the order of
   * `MESSAGE_STATUSES`.
   * @returns false when it had come as far already
   */
  advance(clientId: string, progress: MessageProgress): Promise<boolean>;
  /** How far own messages have come, by their ids; those of which nothing is known are left out. */
  statuses(clientId: string, messageIds: readonly string[]): Promise<Map<string, MessageStatus>>;
  /** Deletes changes from before the given time, whose message never came; returns how many. */
  prunePending(before: number): Promise<number>;
  /**
   * Deletes messages that were sent before the given time, of all sessions, a bounded number at once, and how far messages
   * had come before it. Rooms stay; one that has lost all its messages shows none and nothing unread.
   * @returns how many messages were deleted
   */
  prune(sentBefore: number): Promise<number>;
}

/** A room as a back end keeps it, and as it is moved. */
export interface BackendRoom extends RoomRecord {
  /** Id of the message that the room shows; empty when it shows none. */
  lastMessageId: string;
}

/**
 * Chat history as a back end keeps it. It takes the text that a room shows from its messages and does not look into it:
 * `lastMessage` and the `body` of the message it belongs to are sealed alike.
 */
export interface BackendHistory extends HistoryStore {
  rooms(clientId: string): Promise<BackendRoom[]>;
  room(clientId: string, chatRoomId: string): Promise<BackendRoom | undefined>;
}
