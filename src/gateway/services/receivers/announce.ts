import type {
  ExtraEventType,
  GatewayEvent,
  MessageUnreadableEvent,
  StatusPostEvent,
} from '../../../contract/events/catalogue.js';
import type { EventEnvelope } from '../../../contract/events/envelope.js';
import { parseJid } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import type { Deferred } from '../../../domain/deferred.js';
import { pauseText } from '../../../domain/pauses.js';
import { readReason, textOf, toFields } from '../../../domain/reasons.js';
import { isTerminal, type SessionStatus } from '../../../domain/session.js';
import { NO_TRACING, type TraceContext, type Tracing } from '../../../domain/tracing.js';
import type { UnreadableReason } from '../../../domain/unreadable.js';
import type { DeliveryOptions, DeliveryResult, Receiver } from '../../delivery/dispatch.js';
import {
  contentIdentity,
  type EventIdentity,
  type MessageOrigin,
  messageIdentity,
} from '../../delivery/event-id.js';
import type { LinkEvent } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import { previousTokenOf } from '../sessions/previous-token.js';
import { othersFor } from '../sessions/receiver-list.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import { Interrupted, type StoreRetry } from '../store-retry.js';

/** Stores events, so that they can be sent again. */
export interface EventKeeper {
  /** Undefined if the session keeps none. Never rejects. */
  keep(session: SessionRecord, event: GatewayEvent, identity: EventIdentity): Promise<void> | undefined;
}

/** Delivers events. */
export interface Announcer {
  /** Sends to live streams, and to the webhook if the session has one. */
  announce(
    event: GatewayEvent,
    receiver: Receiver | undefined,
    options?: DeliveryOptions,
  ): Promise<DeliveryResult>;
  /** Sends to a receiver beside the webhook. */
  deliver(event: GatewayEvent, receiver: Receiver, options?: DeliveryOptions): Promise<DeliveryResult>;
}

/** Options of an announcement. */
export interface Announcing {
  /** The message's own addresses, of which the event's id is made. */
  origin: MessageOrigin;
  /** Aborted when this node loses the session. */
  abandoned: AbortSignal;
  /**
   * Reached when the event is stored for all receivers with durable retries, or that failed, even if other receivers are
   * still being tried: the next message of the chat may follow.
   */
  written?: Deferred | undefined;
}

/** An event on its way to the receivers of a session. */
interface Announced extends Omit<Announcing, 'origin'> {
  identity: EventIdentity;
  webhook: Receiver | undefined;
  others: readonly Receiver[];
  /** The journal or the record of the send holds the message until it is delivered. */
  isKept: boolean;
}

/** Counts what happens to messages and sessions. */
export interface AnnounceObserver {
  received(type: string): void;
  withoutReceiver(): void;
  /** A session is not connected any more. @param status its new status */
  disconnected(status: SessionStatus): void;
}

/** Announces messages, and the opt-in status events, to the receivers of a session. */
export class Announcements implements SessionPart {
  readonly #options;

  constructor(options: {
    announcer: Announcer;
    keeper?: EventKeeper | undefined;
    retry: StoreRetry;
    observer: AnnounceObserver;
    tracing?: Tracing | undefined;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /**
   * Announces a message. Repeats the announcement after a store outage if the event could be neither delivered nor stored.
   * @param how.isKept the journal or the record of the send keeps the message until it is delivered
   * @throws Interrupted
   */
  async message(
    session: SessionRecord,
    event: EventEnvelope,
    { origin, isKept, abandoned, written }: Announcing & { isKept: boolean },
  ): Promise<void> {
    if (abandoned.aborted) throw new Interrupted();
    this.#options.observer.received(event.type);
    const others = othersFor(session, event);
    const identity = messageIdentity(event, origin);
    const keeping = this.#options.keeper?.keep(session, event, identity);
    const webhook = receiverOf(session);
    const announced = { identity, webhook, others, isKept, abandoned, written };
    const { deliveryId } = await this.#deliver(event, announced);
    await keeping;
    if (!deliveryId && others.length === 0 && !session.orgId) this.#noteNoReceiver(event);
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
    { origin, abandoned, written }: Announcing,
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
    await this.#keptOptIn(session, event, { origin, abandoned, written });
  }

  /** Announces a status of somebody, or an own one. @throws Interrupted */
  async statusPost(session: SessionRecord, event: StatusPostEvent, how: Announcing): Promise<void> {
    if (how.abandoned.aborted) throw new Interrupted();
    await this.#keptOptIn(session, event, how);
  }

  /** Announces an opt-in event that the journal or the record of a send keeps until it is delivered. @throws Interrupted */
  async #keptOptIn(
    session: SessionRecord,
    event: MessageUnreadableEvent | StatusPostEvent,
    { origin, abandoned, written }: Announcing,
  ): Promise<void> {
    const wanted = session.extraEvents.includes(event.type);
    const webhook = wanted ? receiverOf(session) : undefined;
    const others = othersFor(session, event);
    const isWanted = wanted || others.length > 0;
    const identity = messageIdentity(event, origin);
    const keeping = isWanted ? this.#options.keeper?.keep(session, event, identity) : undefined;
    await this.#deliver(event, { identity, webhook, others, isKept: true, abandoned, written });
    await keeping;
  }

  /**
   * Delivers to all receivers in parallel.
   * @returns the result of the webhook
   * @throws Interrupted if the event is neither delivered to a receiver nor stored for it
   */
  async #deliver(
    event: GatewayEvent,
    { identity, webhook, others, isKept, abandoned, written }: Announced,
  ): Promise<DeliveryResult> {
    const { announcer } = this.#options;
    const first = this.#untilSafe(event, abandoned, (trace) =>
      announcer.announce(event, webhook, { identity, keptByCaller: isKept, trace }),
    );
    if (others.length === 0 && !written) return first;
    const rest = others.map((one) =>
      this.#untilSafe(event, abandoned, (trace) =>
        announcer.deliver(event, one, { identity, keptByCaller: isKept, trace }),
      ),
    );
    const durable = [webhook, ...others].flatMap((one, index) =>
      one?.retry === 'durable' ? [index === 0 ? first : rest[index - 1]] : [],
    );
    // with durable receivers only, the next message waits until the journal entry is closed, so that no repetition of this message can follow
    // the next one
    const makesAttempts = [webhook, ...others].some((one) => one && one.retry !== 'durable');
    if (written && makesAttempts) void Promise.allSettled(durable).then(() => written.resolve());
    if (others.length === 0) return first;
    const ends = await Promise.allSettled([first, ...rest]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return first;
  }

  /** Repeats a delivery until the event is delivered, written down or listed as failed. @throws Interrupted */
  async #untilSafe(
    event: GatewayEvent,
    abandoned: AbortSignal,
    deliver: (trace: TraceContext | undefined) => Promise<DeliveryResult>,
  ): Promise<DeliveryResult> {
    const { retry, tracing = NO_TRACING } = this.#options;
    for (;;) {
      const attributes = { 'switchboard.event': event.type };
      const result = await tracing.in('deliver', { attributes }, async (span) => {
        const ended = await deliver(tracing.isOn ? span.context : undefined);
        span.set({ 'switchboard.outcome': outcomeOf(ended) });
        return ended;
      });
      // a delivery that fails after the session has left is not stored: the session's next owner repeats it
      const isLeft = abandoned.aborted && !result.delivered && !result.waiting;
      if (!result.interrupted && !isLeft) return result;
      if (retry.stopped || abandoned.aborted) throw new Interrupted();
      await retry.back();
    }
  }

  hear(heard: SessionEvent): void {
    if (heard.type !== 'status') return;
    const { session, previous } = heard;
    const { clientId, record, reason } = session;
    const { status } = record;
    const { observer, log } = this.#options;
    const about = { clientId, status, previous, reason: reason && textOf(reason) };
    log[isTerminal(status) ? 'warn' : 'info'](about, 'session status');
    if (previous === 'connected') observer.disconnected(status);
    this.#sessionStatus(record, previous);
  }

  #sessionStatus(session: SessionRecord, previousStatus: SessionStatus): void {
    this.optIn(session, {
      event: 'session.status',
      type: 'session_status',
      clientId: session.clientId,
      orgId: session.orgId,
      timestamp: new Date(this.#options.clock.now()).toISOString(),
      status: session.status,
      previousStatus,
      ...toFields(readReason(session.statusReason), session.clientId),
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

  /** Live streams get every opt-in event, the webhook only the types that its session enabled, other receivers also their own types. */
  optIn(session: SessionRecord, event: GatewayEvent & { type: ExtraEventType }): void {
    const wanted = session.extraEvents.includes(event.type);
    const { announcer, keeper } = this.#options;
    const others = othersFor(session, event);
    const identity = wanted || others.length > 0 ? contentIdentity(event) : undefined;
    if (identity) void keeper?.keep(session, event, identity);
    void announcer.announce(event, wanted ? receiverOf(session) : undefined, { identity });
    for (const other of others) void announcer.deliver(event, other, { identity });
  }

  #noteNoReceiver({ clientId, messageId, type }: EventEnvelope): void {
    const { log, observer } = this.#options;
    const why = 'message not delivered: the session has neither a webhook nor an orgId';
    log.info({ clientId, messageId, type }, why);
    observer.withoutReceiver();
  }
}

/** The webhook; undefined when the session has none. */
export function receiverOf(session: SessionRecord): Receiver | undefined {
  const { webhookUrl: url, webhookToken: token, retry } = session;
  const paused = pauseText(session.webhookPaused);
  return url
    ? { url, token, previous: previousTokenOf(session), retry, ...(paused && { paused }) }
    : undefined;
}

/** The outcome of a delivery, for its span. */
function outcomeOf({ deliveryId, delivered, waiting, interrupted }: DeliveryResult): string {
  if (delivered) return 'delivered';
  if (waiting) return 'waiting';
  if (interrupted) return 'interrupted';
  return deliveryId ? 'failed' : 'no receiver';
}
