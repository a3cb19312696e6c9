import { boundedCache } from '../../../domain/bounded-cache.js';
import { isGatewayError } from '../../../domain/errors.js';
import { type MessageKey, messageKey } from '../../../domain/message-key.js';
import type { ComposedContent, EncodedContent, MessageContent, QuotedReference } from '../../link/link.js';
import type { Logger } from '../../log.js';
import { readObject } from '../../store/port/json.js';
import type { PastSend, SentRecord, Store } from '../../store/store.js';
import type { SendStamp } from '../policies/admission.js';
import { isStillToDo, type StoreRetry } from '../store-retry.js';

/** Messages of which the proof is remembered, which saves a store access for each further receipt. */
const PROVEN = 20_000;

/** An own message that is composed, or was recorded before, and is to leave. */
export interface OwnMessage {
  messageId: string;
  /** The recipient's jid. */
  to: string;
  content: ComposedContent | EncodedContent;
  quoted?: QuotedReference;
  metaData?: Record<string, unknown>;
  /** Name that the caller gave the file. */
  fileName?: string;
  /** All its texts, for the policy; empty if only the hash in its record is known. */
  text: string;
  /** It changes an earlier message; no rule holds such a message back. */
  target: boolean;
  /** An earlier copy, which is counted already. */
  kept?: PastSend | undefined;
  /** No caller waits for an answer: only restrictions of the network hold the message back. */
  isResumed?: boolean | undefined;
  /** The record of an earlier copy, which may have arrived; `content` is that of the record. */
  repeats?: SentRecord | undefined;
  /** `SentRecord.held` of a message that its policy held back. */
  held?: string;
}

/** A message that the network has. */
export interface SentMessage {
  messageId: string;
  content: MessageContent;
  /** The time in its record: milliseconds since the epoch. */
  sentAt: number;
}

/** A recorded message, to be sent again as it was. @param asked facts for the policy that the record does not hold */
export function recordedMessage(
  record: SentRecord,
  asked: Pick<OwnMessage, 'text' | 'isResumed'>,
): OwnMessage {
  const { messageId, to, content, metaData, fileName, held, counted } = record;
  return {
    messageId,
    to,
    content: { encoded: content },
    ...asked,
    target: counted === 'nothing',
    kept: record,
    repeats: record,
    ...(metaData && { metaData: readObject(metaData) }),
    ...(fileName && { fileName }),
    ...(held && { held }),
  };
}

/** The record of a message that is about to leave. */
export function recordOf(
  { messageId, to, metaData, fileName, held }: OwnMessage,
  encoded: Uint8Array,
  { counted, textHash, sentAt }: Pick<SendStamp, 'sentAt'> & Partial<SendStamp>,
): SentRecord {
  return {
    messageId,
    to,
    content: encoded,
    metaData: metaData ? JSON.stringify(metaData) : '',
    fileName: fileName ?? '',
    ...(counted && { counted }),
    ...(textHash && { textHash }),
    sentAt,
    acknowledged: false,
    closed: false,
    ...(held && { held }),
  };
}

const SECOND_MS = 1_000;

/**
 * The time of the event of an own message, in milliseconds since the epoch: when its record was written, because a crash can come
 * between an announcement and any later time. In whole seconds, as the network dates messages, so that an answer in the same second
 * does not sort before it.
 */
export function eventTimeOf({ sentAt }: Pick<SentRecord, 'sentAt'>): number {
  return Math.floor(sentAt / SECOND_MS) * SECOND_MS;
}

/** The records of own sends: each is open from its first copy until its echo was announced or its caller got an error. */
export class SendRecords {
  readonly #options;
  /** Failed sends whose records are not closed in the store yet. */
  readonly #failed = new Set<MessageKey>();
  /** Own messages that were sent for sure: in a group every member sends a receipt for the same message. */
  readonly #proven = boundedCache<true>(PROVEN);
  /** Records of failed sends that are being closed. */
  readonly #closing = new Map<MessageKey, Promise<void>>();
  #isStopped = false;

  constructor(options: { store: Pick<Store, 'sends'>; retry: StoreRetry; log: Logger }) {
    this.#options = options;
  }

  /** The messages whose records are being closed. */
  get closing(): Iterable<MessageKey> {
    return this.#closing.keys();
  }

  get(clientId: string, messageId: string): Promise<SentRecord | undefined> {
    return this.#options.store.sends.get(clientId, messageId);
  }

  put(clientId: string, record: SentRecord): Promise<void> {
    return this.#options.store.sends.put(clientId, record);
  }

  /** The open records of a session, oldest first. */
  async open(clientId: string): Promise<SentRecord[]> {
    const open = await this.#options.store.sends.open(clientId);
    // another node may have closed the records of failed sends
    const still = new Set<string>(open.map(({ messageId }) => messageKey(clientId, messageId)));
    for (const key of this.#failed) {
      if (key.startsWith(`${clientId} `) && !still.has(key)) this.#failed.delete(key);
    }
    return open;
  }

  /**
   * Closes the record of a send whose caller gets an error: it is not resumed, unless another node has the session. During a
   * stop the record stays open, because the caller gets no answer.
   */
  async closeFailed(clientId: string, messageId: string): Promise<void> {
    const key = messageKey(clientId, messageId);
    if (this.#isStopped || this.#proven.has(key)) return;
    const { retry, log } = this.#options;
    const closing = this.#close(clientId, messageId).catch((error: unknown) => {
      if (!isStillToDo(error)) throw error;
      this.#failed.add(key);
      if (isGatewayError(error, 'session_elsewhere')) return;
      // the answer does not wait for the store
      const later = retry
        .run(() => this.#close(clientId, messageId))
        .catch((err: unknown) => log.warn({ err, clientId }, 'failed send not noted'));
      this.#closeUntil(key, later);
    });
    this.#closeUntil(key, closing);
    await closing;
  }

  /** Lets a proof that arrives now wait for the closing: a proof reopens closed records only. */
  #closeUntil(key: MessageKey, closing: Promise<void>): void {
    const noted = closing
      .catch(() => undefined)
      .then(() => {
        if (this.#closing.get(key) === noted) this.#closing.delete(key);
      });
    this.#closing.set(key, noted);
  }

  async #close(clientId: string, messageId: string): Promise<void> {
    await this.#options.store.sends.close(clientId, messageId);
    this.#failed.delete(messageKey(clientId, messageId));
  }

  /** Whether the caller of a send got an error, and its record is not closed yet. */
  hasFailed(clientId: string, messageId: string): boolean {
    return this.#failed.has(messageKey(clientId, messageId));
  }

  isProven(clientId: string, messageId: string): boolean {
    return this.#proven.has(messageKey(clientId, messageId));
  }

  /** Remembers that a message was sent for sure. @returns false if that is known already */
  prove(clientId: string, messageId: string): boolean {
    const key = messageKey(clientId, messageId);
    if (this.#proven.has(key)) return false;
    this.#proven.set(key, true);
    return true;
  }

  /** The proof could not be written: the next one is written. */
  forgetProof(clientId: string, messageId: string): void {
    this.#proven.delete(messageKey(clientId, messageId));
  }

  /** Writes that a message was sent for sure. @returns false when nothing is left to announce */
  async acknowledge(clientId: string, messageId: string): Promise<boolean> {
    const { store, retry } = this.#options;
    const key = messageKey(clientId, messageId);
    for (let closing = this.#closing.get(key); closing; closing = this.#closing.get(key)) await closing;
    return retry.run(() => store.sends.acknowledge(clientId, messageId));
  }

  /** From now on failed sends stay open for the next start. */
  stop(): void {
    this.#isStopped = true;
  }
}
