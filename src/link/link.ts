import type { Readable } from 'node:stream';
import type { AnyMessageContent, proto } from '@whiskeysockets/baileys';
import type { Address } from '../domain/address.js';
import type { MessageStatus } from '../domain/message-status.js';
import type { CloseReason } from '../domain/session.js';
import type { JournalEntry, KeyCommit } from '../domain/signal-state.js';
import type { LinkGroups } from './port/groups.js';
import type { HistoryPart } from './port/history.js';
import type { LinkPeople } from './port/people.js';

export type { MessageStatus } from '../domain/message-status.js';

/** A message as the network carries it. */
export type MessageContent = proto.IMessage;
/** A content that the library has no short form for: it is sent as it stands. */
export interface RawContent {
  raw: MessageContent;
}
/** What a kind composes for sending. Files are named by their path; the link encrypts and uploads them. */
export type ComposedContent = AnyMessageContent | RawContent;
/** A message as it was given to `beforeSend`, to be sent again exactly as it was. */
export interface EncodedContent {
  encoded: Uint8Array;
}

/**
 * The link port: a session's live connection to the network. One `Link` is one connection; when it ends it says why,
 * once, and is never used again. Deciding what follows is the session's business.
 */
export interface Link {
  readonly groups: LinkGroups;
  readonly people: LinkPeople;
  /** Asks the network for an 8-character pairing code for `phone` (digits with country code). Without the hyphen.
   * @throws GatewayError `pairing_code_refused` when the network issues none. */
  requestPairingCode(phone: string): Promise<string>;
  /**
   * Sends and waits for the network's acknowledgement.
   * @throws GatewayError `send_rejected` (the network's nack code is in the message), `send_unacknowledged`,
   * `device_query_unanswered`; `send_cut_off` and `send_not_connected` when the connection is gone, after or before the
   * message left.
   */
  send(message: OutgoingMessage): Promise<SentMessage>;
  /**
   * Asks the network for a person or number, once.
   * @returns undefined when the network does not know the address.
   * @throws GatewayError `lookup_failed` when no answer came.
   */
  lookUp(address: Address): Promise<LookedUpPerson | undefined>;
  /**
   * Shows the other side that the person is typing, or not any more. Nobody acknowledges it.
   * @throws GatewayError `send_not_connected`
   */
  sendTyping(chat: string, composing: boolean): Promise<void>;
  /**
   * Sends read receipts, and waits for the network's acknowledgement of each.
   * @throws GatewayError `receipt_rejected`, `send_not_connected`
   */
  markRead(chat: string, messages: readonly MessageReference[]): Promise<void>;
  /**
   * Changes what the account's devices share of a chat (the app state), and waits until the network has taken the
   * change. A conflict with a change of another device is resolved by trying once more on top of it.
   * @throws GatewayError `app_state_rejected`, `send_not_connected`
   */
  changeChat(change: ChatChange): Promise<void>;
  /**
   * Asks the linked phone to upload a file again that the network does not have any more.
   * @returns where it is now.
   * @throws GatewayError `media_gone` when the phone does not have it either, `media_phone_silent` when it does not answer.
   */
  renewMedia(message: MediaMessage): Promise<{ directPath: string; url: string }>;
  /** Unlinks the device at the network; true when the network confirmed it. Ends the link. */
  logout(): Promise<boolean>;
  /** Ends the link as when it is lost: what it has taken in is still told, and `closed` follows, because of `renewed`. */
  renew(): void;
  /** Ends the link without unlinking; no event follows. Resolves when the socket is gone. */
  close(): Promise<void>;
  /** As `close`, at this instant: nothing more is sent, not even a farewell. */
  cut(): void;
  /** What has been proven of the connection, for health. */
  vitals(): LinkVitals;
}

export interface LinkVitals {
  /**
   * When the network last said something of itself, which answers and keep-alives are not: milliseconds since the epoch,
   * 0 before that.
   */
  lastStanzaAt: number;
  /** When a ping was last answered, likewise. */
  lastPongAt: number;
}

export interface OutgoingMessage {
  /** Recipient's jid. */
  to: string;
  messageId: string;
  content: ComposedContent | EncodedContent;
  quoted?: QuotedReference;
  /** Called with the encoded message before anything leaves, so that it can be written down first. */
  beforeSend(encoded: Uint8Array): Promise<void>;
}

/** The message that an own message answers. `content` may be empty when it is not known. */
export interface QuotedReference {
  messageId: string;
  fromMe: boolean;
  /** Jid of who wrote it, where known. */
  participant?: string;
  content: MessageContent;
}

/** A message of a chat, as receipts and changes name it. */
export interface MessageReference {
  messageId: string;
  fromMe: boolean;
  /** In groups: jid of who wrote it. */
  participant?: string;
  /** Milliseconds since the epoch; 0 where not known. */
  sentAt: number;
}

/** A change of what the account's devices share of a chat. `chat` is its jid. */
export type ChatChange =
  | { type: 'mark-unread'; chat: string; last: MessageReference }
  | { type: 'delete-for-me'; chat: string; message: MessageReference };

/** A message with a file, to ask for the file again. */
export interface MediaMessage extends MessageReference {
  chat: string;
  content: MessageContent;
}

/** Where an encrypted file is, and what decrypts and proves it. */
export interface MediaSource {
  mediaType: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  url: string;
  directPath: string;
  mediaKey: Uint8Array;
  fileSha256: Uint8Array;
  fileEncSha256: Uint8Array;
}

/** A content that is encrypted once more, with the secret of the message that it is about: a poll vote, an edit. */
export interface SecretContent {
  content: MessageContent;
  /** Id and secret of the message that it is about. */
  targetId: string;
  secret: Uint8Array;
  /** Jids, in either address, of who may have written that message, and of who may have written this content. */
  targetAuthors: readonly string[];
  authors: readonly string[];
}

/** What such a content says. */
export type OpenedSecret =
  | { type: 'vote' /** Hex SHA-256 of each chosen option. */; selectedHashes: string[] }
  | { type: 'message'; content: MessageContent };

export interface SentMessage {
  messageId: string;
  content: MessageContent;
  /** Milliseconds since the epoch. */
  sentAt: number;
}

/** User-parts without server or device; empty where the network did not tell. */
export interface LookedUpPerson {
  lid: string;
  pn: string;
}

/** Who the linked number is. */
export interface OwnIdentity {
  /** Own jid with its device: `15550000001:3@s.whatsapp.net`. */
  jid: string;
  pn: string;
  lid: string;
  name: string;
}

/** A message that arrived, decrypted, before anything is decided about it. */
export interface IncomingMessage {
  messageId: string;
  /** Jids without device, as the stanza named them: the chat, and its other address where known. */
  chat: string;
  chatAlt?: string;
  /** In groups: who wrote it, and the other address. */
  participant?: string;
  participantAlt?: string;
  fromMe: boolean;
  pushName: string;
  /** Handle of the other person, in groups of who wrote it; where the network tells it. */
  username?: string;
  /** Milliseconds since the epoch, the network's time. */
  timestamp: number;
  content: MessageContent;
  /** Journal entries to close when it has been recorded and announced. */
  journalIds: string[];
  /** It waited at the network while the link was down. */
  offline: boolean;
}

/** What a link tells. Exactly one `closed` is the last event, unless `close()` or `logout()` was called. */
export type LinkEvent =
  | { type: 'qr'; qr: string }
  | { type: 'paired'; me: OwnIdentity }
  | { type: 'open'; me: OwnIdentity }
  | { type: 'message'; message: IncomingMessage }
  | {
      type: 'message-status';
      messageId: string;
      status: MessageStatus;
      at: number;
      by?: string;
      code?: string;
    }
  /** A part of the account's past can be read. Its journal entry stays open until that is closed by whoever reads it. */
  | { type: 'history'; journalId: string }
  | {
      type: 'contact';
      lid?: string;
      pn?: string;
      name?: string;
      pushName?: string;
      username?: string;
      source: string;
    }
  /** Something about a group changed: its subject, its members, its settings. */
  | { type: 'group-changed'; jid: string }
  /** The picture of a person or a group changed, or was taken away. */
  | { type: 'picture-changed'; jid: string }
  | { type: 'closed'; reason: CloseReason; detail: string };

/** The Signal state of one session, given to a link. Bytes in, bytes out; `commit` is one atomic step. */
export interface LinkKeys {
  credentials(): Promise<Uint8Array | undefined>;
  get(type: string, ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  commit(commit: KeyCommit): Promise<void>;
  journalEntry(id: string): Promise<JournalEntry | undefined>;
}

export interface LinkOptions {
  clientId: string;
  keys: LinkKeys;
  /** Asked before anything is sent: when it says no, nothing is, and the connection ends. */
  mayAct(): boolean;
  /** Asked when a pairing is carried through: whether the account's past, which the phone then begins to send, is kept. */
  wantsHistory(): boolean;
  /** An own message by id alone, to answer a recipient's retry; undefined when it is not kept any more. */
  findSent(messageId: string): Promise<Uint8Array | undefined>;
  /** Called in order; must not throw. */
  emit(event: LinkEvent): void;
}

export interface LinkFactory {
  /** Starts a connection. Never throws: whatever goes wrong arrives as `closed`. */
  open(options: LinkOptions): Link;
  /** True when the stored credentials belong to a finished pairing. */
  isPaired(keys: LinkKeys): Promise<boolean>;
  /** Reads an encoded message as it was given to `beforeSend`. */
  decode(encoded: Uint8Array): MessageContent;
  /** The other way round: what `decode` reads. */
  encode(content: MessageContent): Uint8Array;
  /** Opens a poll vote or an encrypted edit or reaction; undefined when none of the addresses fits its key. */
  openSecret(secret: SecretContent): OpenedSecret | undefined;
  /**
   * Fetches a file and decrypts it while it flows. The stream fails at its end when a hash is wrong, so that what was
   * written of it must not be used before it has ended well.
   * @throws GatewayError `media_gone` when the network does not have it (any more), `media_unfetchable`
   */
  download(media: MediaSource, signal?: AbortSignal): Promise<Readable>;
  /** The part of an account's past that a journal entry announces; undefined when it announces none. */
  history(entry: JournalEntry): HistoryPart | undefined;
  /** Rebuilds messages from journal entries that a crash left open. */
  restore(entries: readonly JournalEntry[], me: OwnIdentity): IncomingMessage[];
}
