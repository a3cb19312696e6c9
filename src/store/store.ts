import type { Readable } from 'node:stream';
import type { SessionStatus } from '../domain/session.js';
import type { JournalEntry, KeyCommit } from '../domain/signal-state.js';

/**
 * The store port: small interfaces, one for each concern, summed once in `Store`. Every back end passes
 * `test/contracts/store.ts`. All methods throw `GatewayError('store_unavailable')` when the back end cannot be reached
 * or the store is closed. Values go in and come out as copies.
 */
export interface Store {
  readonly sessions: SessionStore;
  readonly keys: KeyStore;
  readonly journal: JournalStore;
  readonly contacts: ContactStore;
  readonly sends: SendStore;
  readonly traces: TraceStore;
  readonly history: HistoryStore;
  readonly files: FileStore;
  readonly idempotency: IdempotencyStore;
  readonly failedDeliveries: FailedDeliveryStore;
  /** What this back end can do that others cannot. */
  readonly supports: StoreAbilities;
  /** Short name for `/config`: `sqlite` or `mongodb`. */
  readonly name: string;
  /** Resolves when the back end answers; throws `store_unavailable` otherwise. */
  ping(): Promise<void>;
  /**
   * Deletes everything of a session, for good, in one step where the back end can. Its link must be gone: what is
   * written after this belongs to a new session of that name.
   */
  forget(clientId: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * What a back end gives: the store, and room for the keys of the sealing that stands in front of it. A back end keeps
 * opaque values; it never sees a secret in clear.
 */
export interface Backend extends Store {
  readonly dataKeys: DataKeyStore;
  readonly history: BackendHistory;
}

export interface StoreAbilities {
  /** Several daemons may share it. */
  sharedByNodes: boolean;
}

/** A linked number and its settings, as kept across restarts. */
export interface SessionRecord {
  clientId: string;
  /** Own addresses once paired: user-parts, no device; empty strings before. */
  lid: string;
  pn: string;
  /** Own jid with the device, as the network gave it; empty before pairing. */
  jid: string;
  /** The name the linked account shows; may be empty. */
  name: string;
  orgId: string;
  webhookUrl: string;
  webhookToken: string;
  pollLookupUrl: string;
  enableGroupAi: boolean;
  /** Opt-in event types beyond the contract's catalogue. */
  extraEvents: string[];
  /** Salted hash of the per-session API secret; empty when there is none. */
  apiSecretHash: string;
  /** The last status that outlives a restart, and why. */
  status: SessionStatus;
  statusReason: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

export interface SessionStore {
  /** Inserts when absent; returns the record that is in the store afterwards. */
  create(record: SessionRecord): Promise<SessionRecord>;
  get(clientId: string): Promise<SessionRecord | undefined>;
  /** By clientId, ascending. */
  list(): Promise<SessionRecord[]>;
  /** Changes the named fields only; undefined when there is no such session. */
  update(
    clientId: string,
    changes: Partial<Omit<SessionRecord, 'clientId'>>,
  ): Promise<SessionRecord | undefined>;
}

/** Network credentials and Signal state of a session: opaque bytes, written all or nothing, never cached by time. */
export interface KeyStore {
  credentials(clientId: string): Promise<Uint8Array | undefined>;
  /** Only the ids that exist are in the answer. */
  get(clientId: string, type: string, ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** One atomic step over credentials, keys and journal. */
  commit(clientId: string, commit: KeyCommit): Promise<void>;
  /** Deletes credentials and keys, so that the next connection pairs fresh; the journal stays. */
  clear(clientId: string): Promise<void>;
}

export interface JournalStore {
  get(clientId: string, id: string): Promise<JournalEntry | undefined>;
  /** Entries not closed yet, oldest first. */
  open(clientId: string): Promise<JournalEntry[]>;
  countOpen(clientId?: string): Promise<number>;
  /** Marks entries as finished; they are kept until pruned, to recognise a redelivery. */
  close(clientId: string, ids: readonly string[], at: number): Promise<void>;
  /** Deletes entries that were closed before the given time; returns how many. */
  prune(closedBefore: number): Promise<number>;
}

/** What a session knows of a person. User-parts only; empty strings where unknown. */
export interface Contact {
  lid: string;
  pn: string;
  /** The name in the linked phone's address book. */
  name: string;
  /** The name the person gave themselves. */
  pushName: string;
  username: string;
  /** Where the pair of addresses was learnt: `message`, `lookup`, `history`, … */
  source: string;
  /** Milliseconds since the epoch. */
  learntAt: number;
}

export interface ContactStore {
  /**
   * Merges what is known: non-empty fields replace, and two records that turn out to be one person become one.
   * At least one of `lid` and `pn` must be given. Returns the merged contact.
   */
  learn(clientId: string, contact: Partial<Contact> & { source: string; learntAt: number }): Promise<Contact>;
  find(clientId: string, by: { lid?: string; pn?: string }): Promise<Contact | undefined>;
}

/** A message of our own, kept to answer retries and to fill quotes, looked up by id alone. */
export interface SentRecord {
  messageId: string;
  /** The recipient's jid. */
  to: string;
  /** The encoded protocol message. */
  content: Uint8Array;
  /** JSON text of the caller's metaData; empty when none. */
  metaData: string;
  /** Milliseconds since the epoch. */
  sentAt: number;
  /** True once the network has acknowledged it. */
  acknowledged: boolean;
  /** True when nothing is left to do: the receiver was told of the message, or the caller that it failed. */
  closed: boolean;
}

export interface SendStore {
  /** Inserts or replaces by (clientId, messageId). */
  put(clientId: string, record: SentRecord): Promise<void>;
  get(clientId: string, messageId: string): Promise<SentRecord | undefined>;
  acknowledge(clientId: string, messageId: string): Promise<void>;
  /** Records not closed yet, oldest first. */
  open(clientId: string): Promise<SentRecord[]>;
  close(clientId: string, messageId: string): Promise<void>;
  /** Deletes what was sent before the given time; returns how many. */
  prune(sentBefore: number): Promise<number>;
}

/**
 * What is remembered of a message without its content, for every session: enough to react to it, to judge its age, and
 * to open the votes and edits that are encrypted with its secret.
 */
export interface MessageTrace {
  messageId: string;
  /** Jid of the chat: the person's LID where it was known. */
  chat: string;
  fromMe: boolean;
  /** Jids of who wrote it, either address where known; empty strings otherwise. */
  authorLid: string;
  authorPn: string;
  /** The message's secret, where it has one. */
  secret: Uint8Array | undefined;
  /** Milliseconds since the epoch. */
  sentAt: number;
}

export interface TraceStore {
  /** Inserts when there is none by (clientId, messageId): nobody can take over the id of another message. */
  add(clientId: string, trace: MessageTrace): Promise<void>;
  get(clientId: string, messageId: string): Promise<MessageTrace | undefined>;
  /** Deletes what was sent before the given time; returns how many. */
  prune(sentBefore: number): Promise<number>;
}

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
  avatarUrl: string;
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
  /** Changes the named fields only; false when there is no such room. */
  updateRoom(
    clientId: string,
    chatRoomId: string,
    changes: Partial<Pick<RoomRecord, 'name' | 'avatarUrl' | 'unreadCount'>>,
  ): Promise<boolean>;
  /** Keeps a change for a message that is not there yet; the same `messageId` once. */
  addPending(clientId: string, pending: PendingChange): Promise<void>;
  /** By time. They stay until removed, so that a crash while they are applied loses none. */
  pending(clientId: string, chatRoomId: string, targetId: string): Promise<PendingChange[]>;
  removePending(clientId: string, chatRoomId: string, targetId: string): Promise<void>;
  /** Deletes changes from before the given time, whose message never came; returns how many. */
  prunePending(before: number): Promise<number>;
  /**
   * Deletes messages that were sent before the given time, of all sessions, a bounded number at once. Rooms stay; one
   * that has lost all its messages shows none and nothing unread.
   * @returns how many messages were deleted
   */
  prune(sentBefore: number): Promise<number>;
}

/** A room as a back end keeps it. */
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

/** A file of the hosted inbox, without its bytes. */
export interface FileRecord {
  /** UUID: whoever knows it may fetch the file. */
  id: string;
  clientId: string;
  chatRoomId: string;
  /** Of the message that it came with; empty for the picture of a room, which the media library does not list. */
  messageId: string;
  mimeType: string;
  mediaType: string;
  fileName: string;
  /** Bytes. */
  fileSize: number;
  /** Of the bytes, in hex. */
  sha256: string;
  caption: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** A file that is about to be stored; what else is to know of it shows as its bytes go by. */
export type NewFile = Omit<FileRecord, 'fileSize' | 'sha256'>;

/** Part of a file: the positions of its first and last byte, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** What an interrupted write or a hand on the disk left behind. */
export interface FileFaults {
  /** Stored bytes, also parts of them, that no record names. */
  withoutRecord: number;
  /** Records whose bytes are gone or of another size. */
  withoutBytes: number;
}

/** Files of the hosted inbox. Their bytes go in and out as streams, in bounded pieces. */
export interface FileStore {
  /**
   * Stores a file. A message has one: when it has one already, that one is answered and the source is not read. In the
   * end the source is destroyed; on failure nothing of the file is left.
   * @param file `id` a new UUID
   * @throws what the source fails with, as it is
   */
  write(file: NewFile, source: Readable): Promise<FileRecord>;
  get(id: string): Promise<FileRecord | undefined>;
  /** The file of a message. */
  ofMessage(clientId: string, chatRoomId: string, messageId: string): Promise<FileRecord | undefined>;
  /**
   * A file and its bytes, or a part of them; undefined when either is not there. The caller reads the stream to its end or
   * destroys it.
   * @throws RangeError when the range is not within the file
   */
  open(id: string, range?: ByteRange): Promise<{ record: FileRecord; stream: Readable } | undefined>;
  /**
   * One page of a session's media library, newest first.
   * @param page from 1; `limit` at least 1
   * @returns `total` counts all pages
   */
  list(
    clientId: string,
    page: { page: number; limit: number },
  ): Promise<{ files: FileRecord[]; total: number }>;
  /** Deletes a file; false when there is none. */
  remove(id: string): Promise<boolean>;
  /** Deletes the files of a session; returns how many. */
  removeAll(clientId: string): Promise<number>;
  /** Deletes files from before the given time, of all sessions; returns how many. */
  prune(createdBefore: number): Promise<number>;
  /** Looks for what does not belong together, and deletes it with `repair`. What is just being written is no fault. */
  check(options: { repair: boolean }): Promise<FileFaults>;
}

export interface IdempotencyRecord {
  key: string;
  /** Hash of route and body: the same key with another request is a caller's mistake. */
  fingerprint: string;
  messageId: string;
  /** JSON text of the first answer; empty while the first request has not ended. */
  answer: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

export interface IdempotencyStore {
  /** Inserts when absent; returns the record that is in the store afterwards. */
  claim(clientId: string, record: IdempotencyRecord): Promise<IdempotencyRecord>;
  answer(clientId: string, key: string, answer: string): Promise<void>;
  prune(createdBefore: number): Promise<number>;
}

/** An event that no attempt could deliver, kept for an operator. */
export interface FailedDelivery {
  /** The delivery's id, sortable by time. */
  id: string;
  clientId: string;
  url: string;
  type: string;
  messageId: string;
  /** JSON text of the event as it was POSTed. */
  body: string;
  reason: string;
  attempts: number;
  /** Milliseconds since the epoch. */
  failedAt: number;
}

export interface FailedDeliveryStore {
  /** Adds and keeps only the newest `keep` of the session. */
  add(delivery: FailedDelivery, keep: number): Promise<void>;
  /** Newest first, without limit over all sessions or of one. */
  list(filter: { clientId?: string; limit: number }): Promise<FailedDelivery[]>;
  get(id: string): Promise<FailedDelivery | undefined>;
  remove(id: string): Promise<void>;
  prune(failedBefore: number): Promise<number>;
}

/**
 * Wrapped data keys, one for each session, and one of the store itself under the empty clientId. `Store.forget` deletes
 * the session's key with everything else of it, after which no copy of the data can be read.
 */
export interface DataKeyStore {
  get(clientId: string): Promise<Uint8Array | undefined>;
  /** Inserts when absent; returns the wrapped key that is in the store afterwards. */
  putIfAbsent(clientId: string, wrapped: Uint8Array): Promise<Uint8Array>;
  /** Wrapped keys by clientId. */
  list(): Promise<Map<string, Uint8Array>>;
  /** Replaces the keys that are there, in one step where the back end can; brings none back that is gone. */
  replace(wrapped: ReadonlyMap<string, Uint8Array>): Promise<void>;
}
