import type { Person } from '../../domain/address.js';
import type { EpochMs } from '../../domain/clock.js';
import type { MessageContent } from '../../domain/message-content.js';
import type { MessageStatus } from '../../domain/room.js';
import type { LinkKeys } from './link-keys.js';

/** A person as the history names them, by at least one address. */
export interface HistoricPerson extends Person {
  /** The name in the linked phone's address book. */
  name?: string;
  /** The name that the person chose. */
  pushName?: string;
}

/** A message as the linked phone held it when the device was linked. */
export interface HistoricMessage {
  messageId: string;
  /** Jids without device: the chat, and its other address where known. */
  chat: string;
  chatAlt?: string;
  /** Subject of a group; may be empty. */
  subject: string;
  /** In groups: jid of the author. */
  participant?: string;
  fromMe: boolean;
  pushName: string;
  timestamp: EpochMs;
  /** The content; empty if the message was deleted for everyone. */
  content: MessageContent;
  deleted: boolean;
  /** When the text was edited; undefined if it was not. */
  editedAt?: EpochMs;
  reactions: HistoricReaction[];
  /** Status of an own message, in a group the furthest of any member; undefined if unknown. */
  status?: MessageStatus;
  /** Unread messages of its chat, counted by the phone: the newest ones of other people. */
  unreadInChat: number;
}

export interface HistoricReaction {
  fromMe: boolean;
  /** In groups: jid of the person who reacted. */
  participant?: string;
  emoji: string;
  at: EpochMs;
}

/** A batch of the account's history. Store its people before its messages. */
export interface HistoryBatch {
  people: HistoricPerson[];
  /** One chat after the other, the newest message first. */
  messages: HistoricMessage[];
  /** In the answer to a request: whether the phone holds still older messages of the chat, if it says so. */
  hasMore?: boolean;
  /** In the answer to a request: the oldest message that it names, also one that is not among the messages. */
  oldest?: NamedMessage;
}

/** The name of a message, by which a phone finds its place in its chat. */
export interface NamedMessage {
  messageId: string;
  fromMe: boolean;
  sentAt: EpochMs;
}

/** A part of the account's history, as the linked phone announced it. */
export interface HistoryPart {
  /** Percent of the whole history that is complete with this part; 0 where the phone did not say. */
  progress: number;
  /** The account's own person. */
  account: Person;
  /** Id of the request for older messages that this part answers; empty if unknown, undefined for all other parts. */
  answers?: string;
  /** True when the pairing decided that the history is kept, and for what was requested. */
  isWanted(keys: LinkKeys): Promise<boolean>;
  /**
   * Downloads the part and keeps the trusted-contact tokens in it, which sends need, whether or not the history is kept.
   * @throws like `batches`
   */
  keepTokens(keys: LinkKeys, signal: AbortSignal): Promise<void>;
  /**
   * Downloads the part, checks it, then reads one batch at a time, as the consumer asks for them.
   * @throws GatewayError `media_gone` when the network has no such file, `media_unfetchable`; another error when the part is
   * malformed, on every attempt
   */
  batches(signal: AbortSignal): AsyncIterable<HistoryBatch>;
}
