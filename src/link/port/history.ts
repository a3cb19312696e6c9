import type { proto } from '@whiskeysockets/baileys';
import type { Person } from '../../domain/address.js';
import type { MessageStatus } from '../../domain/message-status.js';

/** What an account's past says of a person: at least one address. */
export interface HistoricPerson extends Person {
  /** The name in the linked phone's address book. */
  name?: string;
  /** The name the person gave themselves. */
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
  /** In groups: who wrote it. */
  participant?: string;
  fromMe: boolean;
  pushName: string;
  /** Milliseconds since the epoch. */
  timestamp: number;
  /** Empty when the message was deleted for everybody. */
  content: proto.IMessage;
  deleted: boolean;
  /** When its text was changed, in milliseconds since the epoch; undefined when it never was. */
  editedAt?: number;
  reactions: HistoricReaction[];
  /** Of an own message: how far it had come, in a group the furthest that anyone had; undefined where that is not told. */
  status?: MessageStatus;
  /** Messages of its chat that nobody has read, as the phone counts them: the newest of others. */
  unreadInChat: number;
}

export interface HistoricReaction {
  fromMe: boolean;
  /** In groups: jid of who reacted. */
  participant?: string;
  emoji: string;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Some of an account's past. What it says of people is to be learnt before its messages are read. */
export interface HistoryBatch {
  people: HistoricPerson[];
  /** Of one chat after the other, the newest second first; those of one second oldest first. */
  messages: HistoricMessage[];
}

/** A part of an account's past, as the linked phone announced it. */
export interface HistoryPart {
  /** Percent of the whole past that has come once this part has; 0 where the phone did not tell. */
  progress: number;
  /** Whose past it is. */
  account: Person;
  /**
   * Fetches the part and reads it piece by piece: nothing further is read before the next batch is asked for, and nothing
   * is given of a part that is not proven to be whole.
   * @throws GatewayError `media_gone` when the network does not have it (any more), `media_unfetchable`; another error
   * when it cannot be read, whenever it is tried
   */
  batches(signal: AbortSignal): AsyncIterable<HistoryBatch>;
}
