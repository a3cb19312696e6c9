import type { Readable } from 'node:stream';
import type { MessageStatus } from '../domain/message-status.js';
import type { SessionStatus } from '../domain/session.js';
import type { ExtraEventType, MessageEventType } from '../events/catalogue.js';
import type { SampleFields } from '../events/sample.js';
import type { FileWishes, KindSend, SendPayload } from '../kinds/kind.js';
import type { ByteRange, FailedDelivery, FailedFilter, RoomRecord } from '../store/store.js';
import type { Fleet } from './ports/fleet.js';
import type { Listening } from './ports/listening.js';
import type { Nodes } from './ports/nodes.js';
import type { Avatars, Groups, People } from './ports/people.js';

export type * from './ports/fleet.js';
export type * from './ports/listening.js';
export type * from './ports/nodes.js';
export type * from './ports/people.js';

/** What the gateway does, as its HTTP edge sees it. Every method may throw a `GatewayError`. */
export interface Services {
  sessions: Sessions;
  sending: Sending;
  chats: Chats;
  inbox: Inbox;
  library: Library;
  groups: Groups;
  people: People;
  avatars: Avatars;
  deliveries: Deliveries;
  listening: Listening;
  fleet: Fleet;
  nodes: Nodes;
}

/** Where a session's events go; absent fields stay as they are. */
export interface WebhookSettings {
  webhookUrl?: string;
  webhookToken?: string;
  pollLookupUrl?: string;
  extraEvents?: ExtraEventType[];
}

/** A session as the API shows it; never with secrets. */
export interface SessionView {
  clientId: string;
  status: SessionStatus;
  /** Why it is in this status, for people; may be empty. */
  reason: string;
  /** Own jid without device; empty before pairing. */
  jid: string;
  orgId: string;
  webhookUrl: string;
  pollLookupUrl: string;
  enableGroupAi: boolean;
  extraEvents: string[];
  hasSecret: boolean;
}

/** A session's state of health, proven by traffic. */
export interface SessionHealth {
  clientId: string;
  jid: string;
  status: SessionStatus;
  reason: string;
  /** RFC 3339: since when; empty where that is not known. */
  since: string;
  /** The link is open and answered a ping or sent a stanza lately. */
  connected: boolean;
  /** Paired: credentials that the network accepted. */
  loggedIn: boolean;
  enableGroupAi: boolean;
  reconnects: number;
  /** RFC 3339, or empty. */
  connectedAt: string;
  /** The last close reason, for people; or empty. */
  lastDisconnect: string;
  /** RFC 3339, or empty: when the network last said something of itself, be it a message or a receipt. */
  lastStanzaAt: string;
  /** RFC 3339, or empty: when the next connection is tried. */
  retryAt: string;
  /** Messages decrypted but not announced yet. */
  openJournal: number;
  /** Of the past that the linked phone sends; absent while none has been heard of since the daemon started. */
  history?: HistoryProgress;
}

/** How far an account's past has come into the hosted history. */
export interface HistoryProgress {
  /** Percent, as the phone tells it. */
  progress: number;
  /** That were new here. */
  messages: number;
}

export interface Sessions {
  /** Creates or wakes a session; idempotent. Returns before it is connected. */
  start(clientId: string, settings: WebhookSettings): Promise<SessionView>;
  /** The text inside the current QR; empty unless the status is `qr`. @throws session_unknown */
  qr(clientId: string): { clientId: string; status: SessionStatus; qr: string };
  /** An 8-character code as `ABCD-EFGH`. @throws session_unknown, session_already_paired, pairing_code_refused */
  pairPhone(clientId: string, phone: string): Promise<string>;
  /** @throws session_unknown */
  get(clientId: string): SessionView;
  /** Whether this node holds it. */
  has(clientId: string): boolean;
  /** All sessions, wherever they are, by clientId; only one when it is named. @throws store_unavailable */
  list(clientId?: string): Promise<SessionView[]>;
  /** Of the sessions of this node. */
  health(): SessionHealth[];
  setWebhook(clientId: string, settings: WebhookSettings & { webhookUrl: string }): Promise<SessionView>;
  setOrgId(clientId: string, orgId: string): Promise<SessionView>;
  /** Empty removes it. */
  setApiSecret(clientId: string, secret: string): Promise<SessionView>;
  setEnableGroupAi(clientId: string, enabled: boolean): Promise<SessionView>;
  /**
   * Closes a live link and connects again, at once also where the next attempt would come later. Returns before it is
   * connected; what is in flight goes on over the new link.
   * @throws session_unknown, session_unpaired, session_terminal
   */
  reconnect(clientId: string): Promise<SessionView>;
  /** Logs the device out and deletes everything of the session; a warning when the network did not confirm. */
  disconnect(clientId: string): Promise<{ warning?: string }>;
  /** The session that a per-session secret belongs to; compared in constant time. */
  sessionOfSecret(secret: string): Promise<string | undefined>;
}

/** What a send route answers; kinds add fields of their own, such as `targetId`. */
export interface SendAnswer {
  status: 'sent';
  messageId: string;
  /** Delivered, but not written to the history. */
  warning?: string;
  targetId?: string;
  /** Of a file. */
  mediaType?: string;
  bytes?: number;
  fallback?: 'text';
}

/** What a file is sent with. */
export interface FilePayload extends SendPayload, FileWishes {
  /** Overrides what the file is found to be; empty when not given. */
  mimeType: string;
  /** Empty when not given. */
  fileName: string;
}

/** A file that the caller uploaded, on this machine's disk until `discard`. */
export interface SpooledFile {
  path: string;
  /** Bytes. */
  size: number;
  /** Hex SHA-256. */
  sha256: string;
  discard(): Promise<void>;
}

/** Where a file comes from. */
export type FileSource = { downloadUrl: string } | { file: SpooledFile };

export interface Sending {
  /**
   * Sends one message of a kind and answers after the network's acknowledgement.
   * @param idempotencyKey the same key within 24 h sends once and returns the first answer.
   * @throws session_unknown, session_unpaired, recipient_unknown, send_*, idempotency_conflict, store_unavailable; for
   * what is about an earlier message also invalid_request when that is of another chat, target_not_own, edit_window_over
   */
  send(kind: KindSend, payload: SendPayload, idempotencyKey?: string): Promise<SendAnswer>;
  /**
   * Sends a file, by the first kind that takes its MIME type; a file by URL that is too large as a text with its link.
   * `mediaType` and, by URL, `bytes` are in the answer. An uploaded file is discarded by its caller.
   * @throws as `send`, and media_unfetchable, media_unsupported
   */
  sendFile(payload: FilePayload, source: FileSource, idempotencyKey?: string): Promise<SendAnswer>;
  /** Takes a stream to disk. @throws media_too_large; nothing is left behind. */
  spool(stream: Readable): Promise<SpooledFile>;
}

/** What a message is deleted by. */
export interface Deletion {
  clientId: string;
  to: string;
  messageId: string;
  fromMe: boolean;
  mode: 'everyone' | 'me';
  /** The room in the hosted history; required for `me` where there is one. */
  chatRoomId?: string;
}

/** What is done to a chat beside sending messages. All throw session_unknown, session_unpaired, recipient_unknown. */
export interface Chats {
  /** @throws send_not_connected */
  setTyping(clientId: string, to: string, composing: boolean): Promise<void>;
  /** Sends read receipts and clears the room's unread count. @throws receipt_rejected */
  markRead(clientId: string, to: string, messageIds: string[]): Promise<{ count: number }>;
  /** @throws message_unknown without a stored message of the chat, app_state_rejected */
  markUnread(clientId: string, to: string): Promise<void>;
  /** @throws message_unknown, invalid_request, send_rejected, app_state_rejected */
  deleteMessage(deletion: Deletion): Promise<void>;
}

/** A chat room as the API shows it. */
export interface RoomView extends Omit<RoomRecord, 'lastMessageAt' | 'avatarId'> {
  clientId: string;
  /** Permanent link to its picture; empty while there is none. */
  avatarUrl: string;
  /** RFC 3339; empty before the first message. */
  lastMessageAt: string;
}

/** A stored message as the API shows it. */
export interface MessageView {
  messageId: string;
  chatRoomId: string;
  clientId: string;
  body: string;
  messageType: string;
  fromMe: boolean;
  pushname: string;
  /** RFC 3339. */
  sentAt: string;
  deleted: boolean;
  fromAi: boolean;
  /** Of messages with a file. */
  media?: { mimeType: string; mediaType: string; fileName: string; fileSize: number };
  /** Permanent link to the stored file; empty while there is none. */
  downloadUrl: string;
  extras: Record<string, unknown>;
  /** Of own messages, where it is asked for: how far it has come, in a group the furthest that anyone has. */
  status?: MessageStatus;
}

/** The messages of a room that are asked for. */
export interface MessagePage {
  limit: number;
  /** Those before this message. */
  before?: string;
  /** With how far own messages have come. */
  status?: boolean;
}

/** The hosted history, as it is read. A room's id names its session. */
export interface Inbox {
  /** Newest activity first. @throws session_unknown */
  rooms(clientId: string): Promise<RoomView[]>;
  /**
   * The newest messages of a room, oldest first; with `before` those older than that message.
   * @throws room_unknown, message_unknown for `before`
   */
  messages(chatRoomId: string, page: MessagePage): Promise<MessageView[]>;
  /** The permanent link to a message's file. @throws room_unknown, message_unknown, file_unknown without a file */
  mediaUrl(chatRoomId: string, messageId: string): Promise<string>;
  /** Sets the unread count to 0; nobody is sent a receipt. @throws room_unknown */
  markRead(chatRoomId: string): Promise<void>;
}

/** A file of the media library as the API shows it. */
export interface MediaFileView {
  /** The file's own id: a UUID, not the id of a message. */
  messageId: string;
  clientId: string;
  mimeType: string;
  mediaType: string;
  fileName: string;
  /** Bytes. */
  fileSize: number;
  caption: string;
  /** RFC 3339: when its message was sent. */
  createdAt: string;
}

/** A stored file as it is given out. */
export interface StoredFile {
  id: string;
  /** As whoever sent it named it. */
  mimeType: string;
  /** Never empty, without folders and control characters. */
  fileName: string;
  /** Bytes. */
  fileSize: number;
  /** Of the bytes, in hex. */
  sha256: string;
}

/** Files of the hosted inbox, by their unguessable ids. All throw file_unknown. */
export interface Library {
  /**
   * Waits for a file that is still being stored, for at most 60 s.
   * @param signal ends the waiting
   * @throws file_not_ready
   */
  find(id: string, signal: AbortSignal): Promise<StoredFile>;
  /** Its bytes, or a part of them that is within the file. The caller reads the stream to its end or destroys it. */
  open(id: string, range?: ByteRange): Promise<Readable>;
  /**
   * One page of a session's files, newest first; none for an orgId that is not the session's.
   * @param page from 1
   * @throws session_unknown
   */
  list(
    clientId: string,
    orgId: string,
    page: { page: number; limit: number },
  ): Promise<{ files: MediaFileView[]; total: number }>;
  /** Whose it is, and the permanent link to it. */
  urlOf(id: string): Promise<{ clientId: string; url: string }>;
}

export interface Deliveries {
  /**
   * Sends a realistic event of a type to the session's webhook.
   * @throws session_unknown, webhook_missing, invalid_request for fields that such an event does not have
   */
  sendTestEvent(
    clientId: string,
    type: MessageEventType | ExtraEventType,
    fields?: SampleFields,
  ): Promise<{
    deliveryId: string;
    delivered: boolean;
    reason: string;
    /** Whether the call carried a token and a signature. */
    signed: boolean;
  }>;
  /** Newest first. */
  failed(filter: FailedFilter): Promise<FailedDelivery[]>;
  failedOne(id: string): Promise<FailedDelivery>;
  /** Sends it again with four new attempts; it leaves the list when it arrives. @throws delivery_unknown */
  resend(id: string): Promise<{ deliveryId: string; delivered: boolean; reason: string }>;
}
