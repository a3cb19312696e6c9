import type { SessionStatus } from '../domain/session.js';
import type { JournalEntry, KeyCommit } from '../domain/signal-state.js';
import type { ClusterStore } from './ports/cluster.js';
import type { ExpectedFileStore } from './ports/expected-files.js';
import type { FileStore } from './ports/files.js';
import type { BackendHistory, HistoryStore } from './ports/history.js';
import type { PictureStore } from './ports/pictures.js';

export type * from './ports/cluster.js';
export type * from './ports/expected-files.js';
export type * from './ports/files.js';
export type * from './ports/history.js';
export type * from './ports/pictures.js';

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
  readonly expectedFiles: ExpectedFileStore;
  readonly pictures: PictureStore;
  readonly idempotency: IdempotencyStore;
  readonly failedDeliveries: FailedDeliveryStore;
  /** Undefined where only one daemon at a time may use the store. */
  readonly cluster: ClusterStore | undefined;
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
  /** Milliseconds since the epoch: since when; 0 where that is not known. */
  statusSince: number;
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
  /** Of messages in the chat with that number: names the chat, and the number's owner as author, by their LID. Jids. */
  rekey(clientId: string, pn: string, lid: string): Promise<void>;
  /** Deletes what was sent before the given time; returns how many. */
  prune(sentBefore: number): Promise<number>;
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

export interface FailedFilter {
  clientId?: string;
  limit: number;
  /** Need not be there any more. */
  before?: Pick<FailedDelivery, 'id' | 'failedAt'>;
}

export interface FailedDeliveryStore {
  /** Adds and keeps only the newest `keep` of the session. */
  add(delivery: FailedDelivery, keep: number): Promise<void>;
  /** Newest first, over all sessions or of one; with `before` those that come after that one in this order. */
  list(filter: FailedFilter): Promise<FailedDelivery[]>;
  get(id: string): Promise<FailedDelivery | undefined>;
  /** How many there are, by session; only of one when it is named. Sessions without any are not in it. */
  counts(clientId?: string): Promise<Map<string, number>>;
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
