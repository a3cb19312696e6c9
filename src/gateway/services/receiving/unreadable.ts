import type { Clock } from '../../../domain/clock.js';
import { isGatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import { isSameMessage } from '../../../domain/same-message.js';
import type { IncomingMessage, Link, UnreadableMessage } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Session, SessionEvent } from '../sessions/session.js';
import type { SessionPart, SessionParts } from '../sessions/session-parts.js';

/** How long the gateway waits for an unreadable message, in milliseconds. */
export interface UnreadableWaits {
  /** Wait for the sender's next copy, before the own phone is asked. */
  senderMs: number;
  /** Wait for the phone's answer after the last request, before the message is announced as unreadable. */
  phoneMs: number;
}

const WAITS: UnreadableWaits = { senderMs: LIMITS.resendBySenderMs, phoneMs: LIMITS.resendByPhoneMs };

/** A message that may still become readable. */
interface Pending {
  session: Session;
  message: UnreadableMessage;
  journalIds: Set<string>;
  /** The link over which the phone was asked last. The request may be lost with that link. */
  asked: Link | undefined;
  /** Stops the running wait. */
  cancel(): void;
}

/**
 * Messages that arrived and could not be read. The link asks the sender; without an answer the gateway asks the own
 * phone; without an answer from there it announces the message as unreadable. The journal keeps the message until then.
 */
export class UnreadableMessages implements SessionPart {
  readonly #options;
  readonly #waits: UnreadableWaits;
  /** The messages by session, then by the journal id that stands for the message. */
  readonly #pending = new Map<string, Map<string, Pending>>();

  constructor(options: {
    /** Learn of each message that stays unreadable. */
    parts: Pick<SessionParts, 'tell'>;
    waits?: UnreadableWaits | undefined;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#waits = options.waits ?? WAITS;
  }

  hear(heard: SessionEvent): void {
    if (heard.type === 'link' && heard.event.type === 'unreadable')
      this.take(heard.session, heard.event.message);
  }

  /** Takes an unreadable message from the link or from an earlier run; called again for each unreadable copy. */
  take(session: Session, message: UnreadableMessage): void {
    const [id = ''] = message.journalIds;
    const all = this.#pending.get(session.clientId) ?? new Map<string, Pending>();
    this.#pending.set(session.clientId, all);
    const known = all.get(id);
    for (const journalId of message.journalIds) known?.journalIds.add(journalId);
    // further copies must not extend the wait
    if (known?.asked) return;
    known?.cancel();
    const journalIds = known?.journalIds ?? new Set(message.journalIds);
    const pending: Pending = { session, message, journalIds, asked: undefined, cancel: () => undefined };
    all.set(id, pending);
    if (message.recovery === 'none') this.#tell(pending);
    else if (message.recovery === 'phone') this.#ask(pending);
    else this.#wait(pending, this.#waits.senderMs, () => this.#ask(pending));
  }

  /** Ends the wait for a message that could be read after all. @returns the journal entries of its unreadable copies, to be closed with it */
  found(clientId: string, message: IncomingMessage): string[] {
    const all = this.#pending.get(clientId);
    const journalIds: string[] = [];
    for (const [id, pending] of all ?? []) {
      if (!isSameMessage(pending.message, message)) continue;
      pending.cancel();
      all?.delete(id);
      journalIds.push(...pending.journalIds);
    }
    return journalIds;
  }

  /** Announces all pending messages of a session as unreadable; the session has no link that could ask for them. */
  tellAll(clientId: string): void {
    for (const pending of [...(this.#pending.get(clientId)?.values() ?? [])]) {
      pending.cancel();
      this.#tell(pending);
    }
  }

  /**
   * Asks the phone again, over the new link: a request over a connection that had silently died did not arrive.
   * Repetitions are harmless: all copies of one message share a journal entry.
   */
  connected(clientId: string): void {
    for (const pending of this.#pending.get(clientId)?.values() ?? []) {
      const { session, message, asked } = pending;
      if (message.recovery === 'phone' && (!asked || asked !== session.link)) this.#ask(pending);
    }
  }

  abort(clientId: string): void {
    for (const pending of this.#pending.get(clientId)?.values() ?? []) pending.cancel();
    this.#pending.delete(clientId);
  }

  async end(clientId: string): Promise<void> {
    this.abort(clientId);
  }

  stop(): void {
    for (const clientId of [...this.#pending.keys()]) this.abort(clientId);
  }

  #ask(pending: Pending): void {
    const { session, message } = pending;
    const [id = ''] = message.journalIds;
    // `connected` asks again if the link ends
    pending.message = { ...message, recovery: 'phone' };
    const { link } = session;
    if (!link?.isUp()) return;
    pending.asked = link;
    link.requestResend(id).catch((err: unknown) => {
      const { messageId } = message;
      this.#options.log.debug({ err, clientId: session.clientId, messageId }, 'the phone was not asked');
      if (pending.asked === link && isGatewayError(err, 'send_not_connected')) pending.asked = undefined;
    });
    this.#wait(pending, this.#waits.phoneMs, () => {
      // otherwise the next link asks again
      if (pending.asked === link && session.link === link) this.#tell(pending);
    });
  }

  #tell(pending: Pending): void {
    const { session, message, journalIds } = pending;
    const [id = ''] = message.journalIds;
    this.#pending.get(session.clientId)?.delete(id);
    const unreadable = { ...message, journalIds: [...journalIds] };
    this.#options.parts.tell({ type: 'stays_unreadable', session, message: unreadable });
  }

  #wait(pending: Pending, ms: number, then: () => void): void {
    pending.cancel();
    pending.cancel = this.#options.clock.after(ms, then);
  }
}
