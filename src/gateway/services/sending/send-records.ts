import { boundedCache } from '../../../domain/bounded-cache.js';
import { isGatewayError } from '../../../domain/errors.js';
import { type SessionMessage, sessionMessage } from '../../../domain/session-message.js';
import type { Logger } from '../../log.js';
import type { SentRecord, Store } from '../../store/store.js';
import { isStillToDo, type StoreRetry } from '../store-retry.js';

/** Messages of which the proof is remembered, which saves a store access for each further receipt. */
const PROVEN = 20_000;

/** The records of own sends: each is open from its first copy until its echo was announced or its caller got an error. */
export class SendRecords {
  readonly #options;
  /** Failed sends whose records are not closed in the store yet. */
  readonly #failed = new Set<SessionMessage>();
  /** Own messages that were sent for sure: in a group every member sends a receipt for the same message. */
  readonly #proven = boundedCache<true>(PROVEN);
  /** Records of failed sends that are being closed. */
  readonly #closing = new Map<SessionMessage, Promise<void>>();
  #isStopped = false;

  constructor(options: { store: Pick<Store, 'sends'>; retry: StoreRetry; log: Logger }) {
    this.#options = options;
  }

  /** The messages whose records are being closed. */
  get closing(): Iterable<SessionMessage> {
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
    const still = new Set<string>(open.map(({ messageId }) => sessionMessage(clientId, messageId)));
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
    const key = sessionMessage(clientId, messageId);
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
  #closeUntil(key: SessionMessage, closing: Promise<void>): void {
    const noted = closing
      .catch(() => undefined)
      .then(() => {
        if (this.#closing.get(key) === noted) this.#closing.delete(key);
      });
    this.#closing.set(key, noted);
  }

  async #close(clientId: string, messageId: string): Promise<void> {
    await this.#options.store.sends.close(clientId, messageId);
    this.#failed.delete(sessionMessage(clientId, messageId));
  }

  /** Whether the caller of a send got an error, and its record is not closed yet. */
  hasFailed(clientId: string, messageId: string): boolean {
    return this.#failed.has(sessionMessage(clientId, messageId));
  }

  isProven(clientId: string, messageId: string): boolean {
    return this.#proven.has(sessionMessage(clientId, messageId));
  }

  /** Remembers that a message was sent for sure. @returns false if that is known already */
  prove(clientId: string, messageId: string): boolean {
    const key = sessionMessage(clientId, messageId);
    if (this.#proven.has(key)) return false;
    this.#proven.set(key, true);
    return true;
  }

  /** The proof could not be written: the next one is written. */
  forgetProof(clientId: string, messageId: string): void {
    this.#proven.delete(sessionMessage(clientId, messageId));
  }

  /** Writes that a message was sent for sure. @returns false when nothing is left to announce */
  async acknowledge(clientId: string, messageId: string): Promise<boolean> {
    const { store, retry } = this.#options;
    const key = sessionMessage(clientId, messageId);
    for (let closing = this.#closing.get(key); closing; closing = this.#closing.get(key)) await closing;
    return retry.run(() => store.sends.acknowledge(clientId, messageId));
  }

  /** From now on failed sends stay open for the next start. */
  stop(): void {
    this.#isStopped = true;
  }
}
