import type { Readable } from 'node:stream';
import type { Address } from '../../domain/address.js';
import type { EpochMs } from '../../domain/clock.js';
import type { MessageContent } from '../../domain/message-content.js';
import type { JournalEntry, KeyChange } from '../../domain/signal-state.js';
import type { StatusAudience } from '../../domain/status-audience.js';
import type { LinkAccount } from './account.js';
import type { LinkChannels } from './channels.js';
import type { LinkGroups, LinkPeople } from './directory.js';
import type { IncomingMessage, LinkEvent, OwnIdentity, Restriction, UnreadableMessage } from './events.js';
import type { HistoryPart } from './history.js';
import type { LinkKeys } from './link-keys.js';
import type { WaVersion } from './wa-versions.js';

export type { MessageContent } from '../../domain/message-content.js';
export type { MessageStatus } from '../../domain/room.js';
export type {
  CallStep,
  GroupUpdate,
  IncomingMessage,
  LinkEvent,
  NamedPerson,
  OwnIdentity,
  PasskeyFailure,
  PasskeyState,
  Restriction,
  UnreadableMessage,
} from './events.js';
export type { LinkKeys } from './link-keys.js';

/** Content that a kind composed for sending; opaque. Files are named by path; the link encrypts and uploads them. */
export type ComposedContent = object;
/** The bytes of a prepared message, for sending the same message again. */
export interface EncodedContent {
  encoded: Uint8Array;
}

/**
 * The link port: a session's live connection to the network. A `Link` is a single connection: when it ends it reports
 * the reason once, and is never used again. The session decides what follows.
 */
export interface Link {
  readonly groups: LinkGroups;
  readonly channels: LinkChannels;
  readonly people: LinkPeople;
  readonly account: LinkAccount;
  /**
   * Asks the network for a pairing code.
   * @param phone digits with country code
   * @returns 8 characters, without the hyphen
   * @throws GatewayError `pairing_code_refused`
   */
  requestPairingCode(phone: string): Promise<string>;
  /**
   * Sends the owner's answer to the passkey challenge, and resolves once the network has accepted it.
   * @throws GatewayError `passkey_not_asked`, `passkey_malformed`, `passkey_expired`, `passkey_refused`
   */
  answerPasskey(assertion: WebAuthnAssertion): Promise<void>;
  /**
   * Finishes the ceremony after the owner compared the code with the phone's.
   * @throws GatewayError `passkey_not_asked`, `passkey_expired`, `passkey_refused`
   */
  confirmPasskey(): Promise<void>;
  /**
   * Composes a message, uploads its files, and looks up the devices that it is for. Nothing leaves. Rejects as soon as the
   * connection ends.
   * @throws GatewayError `device_query_unanswered`, `recipient_unknown`, `send_rejected`, `send_not_connected`, and the
   * errors of files
   */
  prepare(message: OutgoingMessage): Promise<PreparedMessage>;
  /**
   * Sends a message that this link has prepared, and waits for the network's acknowledgement.
   * @param guard asked at the moment of the write
   * @throws GatewayError `send_rejected` (the network's nack code is in the message), `send_unacknowledged`; `send_cut_off`
   * and `send_not_connected` when the connection is gone, after or before the message left.
   */
  relay(message: PreparedMessage, guard: SendGuard): Promise<Relayed>;
  /**
   * Asks the network for a person or number, once.
   * @returns undefined when the network does not know the address.
   * @throws GatewayError `lookup_failed` when no answer came.
   */
  lookUp(address: Address): Promise<LookedUpPerson | undefined>;
  /**
   * Shows the other side that the person types, or has stopped. The network acknowledges neither.
   * @throws GatewayError `send_not_connected`
   */
  sendTyping(chat: string, composing: boolean): Promise<void>;
  /**
   * Shows the account as online or not. A new link is not online. The network acknowledges neither.
   * @throws GatewayError `send_not_connected`
   */
  showOnline(online: boolean): Promise<void>;
  /**
   * Asks for typing states and presence of a chat, which then come as events while this link is online.
   * @throws GatewayError `send_not_connected`
   */
  subscribePresence(chat: string): Promise<void>;
  /**
   * Declines a call, and waits for the network's acknowledgement.
   * @param from jid of the caller
   * @throws GatewayError `send_not_connected`
   */
  rejectCall(callId: string, from: string): Promise<void>;
  /**
   * Sends read receipts, and waits for the network's acknowledgement of each.
   * @throws GatewayError `receipt_rejected`, `send_not_connected`
   */
  markRead(chat: string, messages: readonly MessageReference[]): Promise<void>;
  /**
   * Changes the app state of a chat, which all devices of the account share, and waits for the network's answer. After a
   * conflict with a change of another device it catches up and tries once more.
   * @throws GatewayError `app_state_rejected`, `send_not_connected`
   */
  changeChat(change: ChatChange): Promise<void>;
  /**
   * Asks the linked phone to upload a file again that the network has deleted.
   * @returns the new place of the file
   * @throws GatewayError `media_gone` when the phone does not have it either, `media_phone_silent` when it does not answer.
   */
  renewMedia(message: MediaMessage): Promise<{ directPath: string; url: string }>;
  /**
   * Asks the linked phone to send a message again that could not be read; resolves when the request has left. The answer may
   * take half a minute; it arrives as a message. The journal entry names the message.
   * @throws GatewayError `send_not_connected`
   */
  requestResend(journalId: string): Promise<void>;
  /**
   * Asks the linked phone for older messages of a chat; resolves when the request has left. The answer arrives as a part of the
   * history.
   * @returns the id of the request, which the part names
   * @throws GatewayError `send_not_connected`
   */
  requestHistory(older: OlderMessages): Promise<string>;
  /**
   * Asks the network for the restrictions of the account, including those that are not active.
   * @returns those that the network does not refuse to report
   * @throws GatewayError `lookup_failed` when it does not answer
   */
  restrictions(): Promise<Restriction[]>;
  /**
   * Whether a valid token of the person is stored: the person has written to this account, which may then write although
   * it cannot begin chats.
   * @throws GatewayError `lookup_failed`
   */
  isTrusted(jid: string): Promise<boolean>;
  /** Unlinks the device at the network; true when the network confirmed it. Ends the link as `close` does. */
  logout(): Promise<boolean>;
  /** Ends the link as if it were lost: events of received stanzas still follow, then `closed` with the reason `renewed`. */
  renew(): void;
  /**
   * Ends the link without unlinking. The only events that follow are those of messages and history that were being read;
   * all of them are in the journal. Resolves when the socket is closed and nothing more is read.
   */
  close(): Promise<void>;
  /** Ends the link at once, without a closing handshake; no event follows. */
  cut(): void;
  /** Whether the connection is open; false as soon as its end is certain, which may be before `closed`. */
  isUp(): boolean;
  /** Signs of life of the connection, for health checks. */
  vitals(): LinkVitals;
}

export interface LinkVitals {
  /** Time of the last stanza that is neither an answer nor a keep-alive; 0 before the first. */
  lastStanzaAt: EpochMs;
  /** Time of the last answer to a ping; 0 before the first. */
  lastPongAt: EpochMs;
  /** Milliseconds since the later of the two, on the monotonic clock; Infinity before the first. */
  silentMs: number;
}

export interface OutgoingMessage {
  /** Recipient's jid, or the address of all statuses. */
  to: string;
  messageId: string;
  content: ComposedContent | EncodedContent;
  quoted?: QuotedReference | undefined;
  /** Who gets a status; only for that address. */
  audience?: StatusAudience | undefined;
  /** What `relay` found after the network had refused the first copy. */
  remedy?: Remedy | undefined;
}

/** A message that is ready to leave over the link that prepared it. */
export interface PreparedMessage {
  readonly content: MessageContent;
  /** The content as it leaves, for the record of the message. */
  readonly encoded: Uint8Array;
}

/** Checks a prepared message again at the moment of the write: it may have waited for other sends and for keys. */
export interface SendGuard {
  /** Called synchronously before the write, so no network event can intervene. If it returns false, the message is not written. */
  check(): boolean;
}

/** What became of a copy of a message that the network did not refuse for good. */
export type Relayed =
  | { outcome: 'acknowledged' }
  /** The guard kept the message from the wire. It can be relayed again. */
  | { outcome: 'blocked' }
  /** The network refused this copy, and would not refuse another: prepare the message again with the remedy. */
  | { outcome: 'refused'; remedy: Remedy };

/** What the next copy of a refused message needs. */
export interface Remedy {
  /** The jid that the network accepts. */
  to: string;
}

/** The message that an own message quotes. `content` is empty if unknown. */
export interface QuotedReference {
  messageId: string;
  fromMe: boolean;
  /** Jid of the author, if known. */
  participant?: string;
  content: MessageContent;
}

/** A message of a chat, as receipts and changes of the app state name it. */
export interface MessageReference {
  messageId: string;
  fromMe: boolean;
  /** In groups: jid of the author. */
  participant?: string;
  /** 0 where not known. */
  sentAt: EpochMs;
}

/** The messages of a chat before one of them, to be asked of the phone. */
export interface OlderMessages {
  /** Jid. */
  chat: string;
  /** The oldest known message of the chat. */
  oldest: MessageReference;
  count: number;
}

/** A change of the app state of a chat; `chat` is its jid. */
export type ChatChange =
  | { type: 'mark-unread'; chat: string; last: MessageReference }
  /** `last` is the newest message, if known: a later message may unarchive the chat. */
  | { type: 'archive'; chat: string; archived: boolean; last?: MessageReference }
  /** `until`: milliseconds since the epoch; 0 ends it, `FOREVER` has no end. */
  | { type: 'mute'; chat: string; until: number }
  | { type: 'pin'; chat: string; pinned: boolean }
  | { type: 'delete-for-me'; chat: string; message: MessageReference }
  | { type: 'star'; chat: string; message: MessageReference; starred: boolean };

/** A message whose file the phone should upload again. */
export interface MediaMessage extends MessageReference {
  chat: string;
  content: MessageContent;
}

/** The place of an encrypted file, its key and its hashes. */
export interface MediaSource {
  mediaType: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  url: string;
  directPath: string;
  mediaKey: Uint8Array;
  fileSha256: Uint8Array;
  fileEncSha256: Uint8Array;
}

/** Content with a second layer of encryption, by the secret of its target: a poll vote, an edit or a reaction. */
export interface SecretContent {
  content: MessageContent;
  /** Id and secret of the target. */
  targetId: string;
  secret: Uint8Array;
  /** Jids, in either address, of the possible authors of the target, and of this content. */
  targetAuthors: readonly string[];
  authors: readonly string[];
}

/** A decrypted secret content. */
export type OpenedSecret =
  | { type: 'vote' /** Hex SHA-256 of each chosen option. */; selectedHashes: string[] }
  | { type: 'message'; content: MessageContent };

/** A person that the network knows; addresses are user-parts without server or device, empty if unknown. */
export interface LookedUpPerson {
  lid: string;
  pn: string;
}

/** A WebAuthn assertion as browsers write it in JSON; binary values in base64url. */
export interface WebAuthnAssertion {
  id: string;
  rawId: string;
  type: 'public-key';
  response: {
    clientDataJSON: string;
    authenticatorData: string;
    signature: string;
    userHandle?: string | null;
  };
  clientExtensionResults?: object;
  authenticatorAttachment?: string | null;
}

/** An own message, as its record keeps it. */
export interface KeptSend {
  /** The encoded protocol message. */
  content: Uint8Array;
  /** Who got it, for a status. */
  audience?: StatusAudience | undefined;
}

export interface LinkOptions {
  clientId: string;
  keys: LinkKeys;
  /** URL of the proxy for all connections of this link; empty for direct connections. */
  proxy: string;
  /** Called before each frame: false stops the frame and ends the connection. */
  mayAct(): boolean;
  /** The client version to report; the library's when it is not given. */
  version?: WaVersion;
  /** Called when a pairing completes: true keeps the account's history, which the phone then begins to send. */
  wantsHistory(): boolean;
  /** Called for each status of somebody: false acknowledges it unread. */
  wantsStatuses(): boolean;
  /** Finds an own message by its id, to answer a recipient's retry; undefined when it is no longer kept. */
  findSent(messageId: string): Promise<KeptSend | undefined>;
  /** Called in order; must not throw. */
  emit(event: LinkEvent): void;
}

/** A Signal key in the store of another program that uses the same protocol library, as JSON. */
export interface ForeignKey {
  /** The library's name of the key family, as in `KeyChange`. */
  type: string;
  id: string;
  value: unknown;
}

export interface LinkFactory {
  /** Loads the protocol library, once. Await this before any other call. */
  load(): Promise<void>;
  /** Starts a connection. Never throws: every failure arrives as `closed`. */
  open(options: LinkOptions): Link;
  /** True when the stored credentials belong to a finished pairing. */
  isPaired(keys: LinkKeys): Promise<boolean>;
  /** Decodes the bytes of a prepared message. */
  decode(encoded: Uint8Array): MessageContent;
  /** Encodes content for `decode`. */
  encode(content: MessageContent): Uint8Array;
  /** Decrypts a poll vote, or an encrypted edit or reaction; undefined if no combination of the addresses fits. */
  openSecret(secret: SecretContent): OpenedSecret | undefined;
  /**
   * Downloads a file and decrypts it as a stream. The hashes are checked at the end: do not use the bytes before the stream
   * has ended without an error.
   * @param proxy URL of the session's proxy; empty for a direct connection
   * @throws GatewayError `media_gone` when the network has no such file, `media_unfetchable`, `proxy_failed`
   */
  download(media: MediaSource, proxy: string, signal?: AbortSignal): Promise<Readable>;
  /**
   * The part of the account's history that a journal entry announces; undefined when it announces none.
   * @param proxy as in `download`
   */
  history(entry: JournalEntry, proxy: string): HistoryPart | undefined;
  /** Reads the credentials of a number that another program linked. @throws GatewayError `invalid_request` */
  readForeignCredentials(stored: object): { me: OwnIdentity; credentials: Uint8Array };
  /** Reads the keys of a number that another program linked; returns the names of unusable keys. */
  readForeignKeys(keys: readonly ForeignKey[]): { usable: KeyChange[]; unusable: string[] };
  /** Writes stored credentials and keys in the form that `readForeignCredentials` and `readForeignKeys` read. */
  exportCredentials(stored: Uint8Array): object;
  exportKey(type: string, stored: Uint8Array): unknown;
  /** Rebuilds messages from journal entries that a crash left open. */
  restore(entries: readonly JournalEntry[], me: OwnIdentity): IncomingMessage[];
  /** Rebuilds the messages that could not be read, from the journal entries that stand for them. */
  restoreUnreadable(entries: readonly JournalEntry[], me: OwnIdentity): UnreadableMessage[];
}
