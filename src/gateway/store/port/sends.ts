import { LIMITS } from '../../../domain/limits.js';
import { pages } from '../../../domain/pages.js';
import { collection, type RecordOf } from './fields.js';

/** Own messages. */
export const SENDS = collection('sends', {
  messageId: { is: 'text' },
  /** The recipient's jid. */
  to: { is: 'text', column: 'recipient' },
  /** The encoded protocol message. With another recipient, it would go to somebody else. */
  content: { is: 'bytes', sealed: ['messageId', 'to'] },
  /** JSON text of the caller's metaData; empty if none. */
  metaData: { is: 'text', sealed: ['messageId'] },
  /** Milliseconds since the epoch. */
  sentAt: { is: 'number' },
  /** Name that the caller gave the file of the message, which only documents carry in their content; empty if none. */
  fileName: { is: 'text', later: true, sealed: ['messageId'] },
  /** What a policy counts it as (`nothing`: it changes an earlier message); absent for sends of a session without a policy. */
  counted: { is: 'text', of: ['new chat', 'message', 'nothing'], none: 'absent' },
  /** A keyed hash of its text; absent unless a policy counts the people who get the same text. */
  textHash: { is: 'text', none: 'absent' },
  /** True once the network has acknowledged the message. */
  acknowledged: { is: 'flag' },
  /** True once nothing is left to do: the echo event was announced, or the caller received an error. */
  closed: { is: 'flag' },
  /**
   * JSON text of a request that its policy held back. The record is closed while it waits, open while it is sent, and without
   * this field once it is announced, cancelled or given up.
   */
  held: { is: 'text', none: 'absent', sealed: ['messageId', 'to'] },
  /** JSON text of who gets a status (`StatusAudience`); absent for messages of chats. */
  audience: { is: 'text', none: 'absent', sealed: ['messageId', 'to'] },
  /** The trace of its request, as `writeTrace` writes it. */
  trace: { is: 'text', none: 'absent' },
});

/** An own message, kept to answer retry receipts, to fill quotes and to resume an interrupted send. */
export type SentRecord = RecordOf<typeof SENDS>;

export type SendWeight = NonNullable<SentRecord['counted']>;

const { messageId, to, sentAt, counted, textHash, held } = SENDS.fields;

/** What is read of sends of the past, without their content. */
export const PAST_SENDS = collection(SENDS.name, { to, sentAt, counted, textHash });

export type PastSend = RecordOf<typeof PAST_SENDS>;

/** Sends that their policy held back, without their content. */
export const HELD_SENDS = collection(SENDS.name, {
  ...{ messageId, to, sentAt },
  held: { is: held.is, sealed: held.sealed },
});

export type HeldRecord = RecordOf<typeof HELD_SENDS>;

export interface SendStore {
  /** Inserts or replaces by (clientId, messageId). */
  put(clientId: string, record: SentRecord): Promise<void>;
  get(clientId: string, messageId: string): Promise<SentRecord | undefined>;
  /**
   * Notes the proof that a message was sent. A closed record without an earlier proof is opened again: its caller got an error,
   * and the message is still to be announced.
   * @returns true if the record was opened again
   */
  acknowledge(clientId: string, messageId: string): Promise<boolean>;
  /** Open records, oldest first. */
  open(clientId: string): Promise<SentRecord[]>;
  /** A page of the records with the field `held`, oldest first; those of one time in the order of their ids. */
  held(
    clientId: string,
    limit: number,
    after?: Pick<HeldRecord, 'sentAt' | 'messageId'>,
  ): Promise<HeldRecord[]>;
  /** The sends after the given time, oldest first: all of them, or so many at most. */
  past(clientId: string, sentAfter: number, limit?: number): Promise<PastSend[]>;
  /** The caller received an error. */
  close(clientId: string, messageId: string): Promise<void>;
  /** The echo event was announced: acknowledges and closes the record, and removes its field `held`. */
  finish(clientId: string, messageId: string): Promise<void>;
  /** Deletes messages that were sent before the given time, but none that waits; returns the count. */
  prune(sentBefore: number): Promise<number>;
}

/** The first requests under their Idempotency-Keys, and their answers. */
export const IDEMPOTENCY = collection('idempotency', {
  key: { is: 'text' },
  /** Hash of route and body, to detect a key that is reused for another request. */
  fingerprint: { is: 'text' },
  messageId: { is: 'text' },
  /** JSON text of the first answer; empty until the first request ends. */
  answer: { is: 'text', sealed: ['key'] },
  /** Milliseconds since the epoch. */
  createdAt: { is: 'number' },
});

export type IdempotencyRecord = RecordOf<typeof IDEMPOTENCY>;

export interface IdempotencyStore {
  /** Inserts if absent; returns the stored record. */
  claim(clientId: string, record: IdempotencyRecord): Promise<IdempotencyRecord>;
  answer(clientId: string, key: string, answer: string): Promise<void>;
  prune(createdBefore: number): Promise<number>;
}

/** All records with the field `held`, oldest first, read page by page, without damaged ones. @throws GatewayError `store_unavailable` */
export async function* heldRecords(
  sends: Pick<SendStore, 'held'>,
  clientId: string,
): AsyncGenerator<HeldRecord> {
  const read = (after?: HeldRecord) => sends.held(clientId, LIMITS.heldPage, after);
  for await (const page of pages(LIMITS.heldPage, read)) yield* page.filter(({ held }) => held !== '');
}
