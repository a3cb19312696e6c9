import type { DeliveryResult, Receiver } from '../../delivery/dispatch.js';
import { parseJid } from '../../domain/address.js';
import type { Clock } from '../../domain/clock.js';
import type { SessionStatus } from '../../domain/session.js';
import { NO_TRACING, type TraceContext, type Tracing } from '../../domain/tracing.js';
import type { UnreadableReason } from '../../domain/unreadable.js';
import type { ExtraEventType, GatewayEvent, MessageUnreadableEvent } from '../../events/catalogue.js';
import type { EventEnvelope } from '../../events/envelope.js';
import type { LinkEvent } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import { previousTokenOf } from '../sessions/previous-token.js';
import { Interrupted, type StoreRetry } from '../store-retry.js';

/** Delivers events: to live streams always, to the receiver if there is one. */
export interface Announcer {
  announce(
    event: GatewayEvent,
    receiver: Receiver | undefined,
    options?: { keptByCaller?: boolean; trace?: TraceContext | undefined },
  ): Promise<DeliveryResult>;
}

/** Announces messages, and the opt-in status events, to the receiver of a session. */
export class Announcements {
  readonly #options;

  constructor(options: {
    announcer: Announcer;
    retry: StoreRetry;
    observer: { received(type: string): void; withoutReceiver(): void };
    tracing?: Tracing | undefined;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /**
   * Announces a message; again after a store outage in which it could be neither delivered nor kept.
   * @param isKept the journal or the record of the send keeps the message until it is delivered
   * @param abandoned aborted when this node loses the session
   * @throws Interrupted
   */
  async message(
    session: SessionRecord,
    event: EventEnvelope,
    isKept: boolean,
    abandoned: AbortSignal,
  ): Promise<void> {
    if (abandoned.aborted) throw new Interrupted();
    this.#options.observer.received(event.type);
    const { deliveryId } = await this.#deliver(event, receiverOf(session), isKept, abandoned);
    if (!deliveryId && !session.orgId) this.#noteNoReceiver(event);
  }

  /**
   * Announces that a message could not be read.
   * @param message the event that the message would have had
   * @throws Interrupted
   */
  async unreadable(
    session: SessionRecord,
    message: EventEnvelope,
    reason: UnreadableReason,
    abandoned: AbortSignal,
  ): Promise<void> {
    if (abandoned.aborted) throw new Interrupted();
    const { clientId, orgId, timestamp, chatRoomId, myLid, clientLid, remoteJid, isGroup } = message;
    const { remoteName, remotePhone, remoteUsername, pushName, avatarUrl, fromMe, messageId, group } =
      message;
    const event: MessageUnreadableEvent = {
      event: 'message.unreadable',
      type: 'message_unreadable',
      ...{ clientId, orgId, timestamp, chatRoomId, myLid, clientLid, remoteJid },
      ...{ remoteName, remotePhone, remoteUsername, pushName, avatarUrl, fromMe, isGroup },
      messageId,
      reason,
      ...(group && { group }),
    };
    const wanted = session.extraEvents.includes(event.type);
    await this.#deliver(event, wanted ? receiverOf(session) : undefined, true, abandoned);
  }

  /** @throws Interrupted */
  async #deliver(
    event: GatewayEvent,
    receiver: Receiver | undefined,
    isKept: boolean,
    abandoned: AbortSignal,
  ): Promise<DeliveryResult> {
    const { announcer, retry, tracing = NO_TRACING } = this.#options;
    for (;;) {
      const attributes = { 'switchboard.event': event.type };
      const result = await tracing.in('deliver', { attributes }, async (span) => {
        const trace = tracing.isOn ? { trace: span.context } : {};
        const ended = await announcer.announce(event, receiver, { keptByCaller: isKept, ...trace });
        span.set({ 'switchboard.outcome': outcomeOf(ended) });
        return ended;
      });
      // a delivery that failed after the session had left was not kept: the session's next owner repeats it
      const isLeft = abandoned.aborted && !result.delivered && !result.waiting;
      if (!result.interrupted && !isLeft) return result;
      if (retry.stopped || abandoned.aborted) throw new Interrupted();
      await retry.back();
    }
  }

  sessionStatus(session: SessionRecord, previousStatus: SessionStatus): void {
    this.optIn(session, {
      event: 'session.status',
      type: 'session_status',
      clientId: session.clientId,
      orgId: session.orgId,
      timestamp: new Date(this.#options.clock.now()).toISOString(),
      status: session.status,
      previousStatus,
      reason: session.statusReason,
    });
  }

  messageStatus(session: SessionRecord, update: Extract<LinkEvent, { type: 'message-status' }>): void {
    this.optIn(session, {
      event: 'message.status',
      type: 'message_status',
      clientId: session.clientId,
      orgId: session.orgId,
      timestamp: new Date(update.at).toISOString(),
      messageId: update.messageId,
      status: update.status,
      by: parseJid(update.by)?.user ?? '',
      code: update.code ?? '',
    });
  }

  /** Live streams get every opt-in event, a receiver only the types that its session enabled. */
  optIn(session: SessionRecord, event: GatewayEvent & { type: ExtraEventType }): void {
    const wanted = session.extraEvents.includes(event.type);
    void this.#options.announcer.announce(event, wanted ? receiverOf(session) : undefined);
  }

  #noteNoReceiver({ clientId, messageId, type }: EventEnvelope): void {
    const { log, observer } = this.#options;
    const why = 'message not delivered: the session has neither a webhook nor an orgId';
    log.info({ clientId, messageId, type }, why);
    observer.withoutReceiver();
  }
}

/** Undefined when the session has no webhook. */
export function receiverOf(session: SessionRecord): Receiver | undefined {
  const { webhookUrl: url, webhookToken: token, retry, webhookPaused: paused } = session;
  return url
    ? { url, token, previous: previousTokenOf(session), retry, ...(paused && { paused }) }
    : undefined;
}

/** What became of a delivery, for its trace. */
function outcomeOf({ deliveryId, delivered, waiting, interrupted }: DeliveryResult): string {
  if (delivered) return 'delivered';
  if (waiting) return 'waiting';
  if (interrupted) return 'interrupted';
  return deliveryId ? 'failed' : 'no receiver';
}
