import { type Clock, endsWithin } from '../domain/clock.js';
import { newDeliveryId } from '../domain/ids.js';
import { LIMITS } from '../domain/limits.js';
import type { GatewayEvent } from '../events/catalogue.js';
import type { Logger } from '../log.js';
import type { FailedDelivery, FailedDeliveryStore } from '../store/store.js';
import { Delivery, type DeliveryRoom, type DropCause, type Parcel, type Receiver } from './delivery.js';
import { type DeliveryFigures, FiguresBySession } from './figures.js';
import { OriginQueues, QUEUE_LIMITS, type QueueLimits } from './queue.js';
import type { AttemptReport, Tail } from './tail.js';
import { type CallResult, readTarget, WebhookClient } from './webhook.js';

export type { Receiver };

/** How a delivery ended. */
export interface DeliveryResult {
  /** Empty when there was nowhere to deliver to. */
  deliveryId: string;
  delivered: boolean;
  /** For people; empty when delivered. */
  reason: string;
  /** It did not arrive and is kept by the caller alone: the gateway stopped first, its session moved, or the store was away. */
  interrupted?: true;
}

/** Who counts. */
export interface DeliveryObserver {
  /** One POST was made. */
  attempt(clientId: string, report: AttemptReport): void;
  /** An event was given up. */
  dropped(clientId: string, cause: DropCause): void;
}

export interface DispatcherOptions {
  failed: Pick<FailedDeliveryStore, 'add' | 'remove'>;
  tail: Tail;
  /** Permits receivers inside the own network. */
  allowPrivate: boolean;
  clock: Clock;
  log: Logger;
  observe: DeliveryObserver;
  /** Whether this node may act for a session still; always when it is not given. */
  serves?(clientId: string): boolean;
  /** A number from 0 to 1 that spreads retries. */
  random?: () => number;
  limits?: QueueLimits;
}

const NO_ADDRESS = 'the webhook is no http(s) address';
const NO_WEBHOOK: DeliveryResult = { deliveryId: '', delivered: false, reason: 'no webhook' };

/**
 * Takes events to their receivers and to the tail, at the same time. There is no durable queue and no replay: an event
 * that four attempts could not deliver, that was rejected or that nobody waited for is logged, counted, shown by the
 * tail and kept among the failed deliveries, from where an operator may send it again.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #client: WebhookClient;
  readonly #queues: OriginQueues;
  /** Deliveries that have not ended, with what tells their callers. */
  readonly #open = new Map<Parcel, (result: DeliveryResult) => void>();
  readonly #room: DeliveryRoom;
  readonly #figures = new FiguresBySession();
  #whenIdle: (() => void)[] = [];
  #stopped: Promise<void> | undefined;

  constructor(options: DispatcherOptions) {
    const { allowPrivate, clock, random = Math.random, limits = QUEUE_LIMITS } = options;
    this.#options = options;
    this.#queues = new OriginQueues(clock, limits);
    const client = new WebhookClient({ allowPrivate, clock, connections: limits.inFlight });
    this.#client = client;
    this.#room = {
      clock,
      random,
      stopping: () => this.#queues.closed,
      moved: ({ clientId }) => options.serves?.(clientId) === false,
      post: ({ clientId }, call) => this.#figures.during(clientId, () => client.post(call)),
      attempted: (parcel, report) => this.#attempted(parcel, report),
      redirected: (parcel) => this.#redirected(parcel),
      delivered: (parcel) => this.#delivered(parcel),
      dropped: (...drop) => void this.#dropped(...drop),
    };
  }

  /**
   * Shows the event to the tail at once and delivers it.
   * @param receiver undefined when the session has no webhook: then only the tail sees the event
   * @param options.keptByCaller the caller announces it again when it could not be kept here, or at the next start should
   * the gateway stop first; it is then not kept among the failed deliveries
   * @returns how it ended, once that is final: up to a minute later. Never rejects.
   */
  announce(
    event: GatewayEvent,
    receiver: Receiver | undefined,
    { keptByCaller = false }: { keptByCaller?: boolean } = {},
  ): Promise<DeliveryResult> {
    const { clientId, type } = event;
    this.#options.tail.publish({ kind: 'event', at: this.#now(), clientId, event });
    if (!receiver) return Promise.resolve(NO_WEBHOOK);
    return this.#deliver({
      deliveryId: newDeliveryId(),
      clientId,
      type,
      messageId: 'messageId' in event ? event.messageId : '',
      ...receiver,
      body: Buffer.from(JSON.stringify(event)),
      keptByCaller,
    });
  }

  /**
   * Sends a failed delivery again, with its old id and new attempts. It leaves the failed ones when it arrives, and
   * stays, with the newest reason, when it does not. Never rejects.
   */
  async resend(failed: FailedDelivery, receiver: Receiver): Promise<DeliveryResult> {
    const { id: deliveryId, clientId, type, messageId } = failed;
    const body = Buffer.from(failed.body);
    const parcel = { deliveryId, clientId, type, messageId, ...receiver, body, keptByCaller: false };
    const result = await this.#deliver(parcel);
    if (result.delivered) {
      await this.#keep('removed', clientId, deliveryId, () => this.#options.failed.remove(deliveryId));
    }
    return result;
  }

  /** Makes one call that is no event's delivery: is there a receiver, and does it take our token? Never rejects. */
  async probe(receiver: Receiver, event: { type: string }): Promise<CallResult> {
    const target = readTarget(receiver.url);
    if (!target) return { outcome: 'rejected', status: 0, reason: NO_ADDRESS };
    const body = Buffer.from(JSON.stringify(event));
    const { token } = receiver;
    const call = { target, token, deliveryId: newDeliveryId(), type: event.type, body, attempt: 1 };
    return this.#client.post(call);
  }

  /** Calls under way. */
  inFlight(): number {
    return this.#queues.inFlight;
  }

  /** Deliveries that wait for a free place or for their next attempt. */
  waiting(): number {
    return this.#queues.waiting;
  }

  /** Of one session. */
  figures(clientId: string): DeliveryFigures {
    return this.#figures.of(clientId);
  }

  /** The session is gone: nothing is kept of its figures. */
  forget(clientId: string): void {
    this.#figures.forget(clientId);
  }

  /**
   * Ends all deliveries and closes all connections. What is neither delivered nor dropped after `graceMs` milliseconds
   * is broken off and kept among the failed deliveries, as is all that is announced later.
   */
  stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    if (graceMs > 0) await endsWithin(this.#options.clock, graceMs, this.#idle());
    this.#queues.close();
    await this.#client.destroy();
    await this.#idle();
  }

  #idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #deliver(parcel: Parcel): Promise<DeliveryResult> {
    this.#figures.begun(parcel.clientId);
    return new Promise((resolve) => this.#queue(parcel, resolve));
  }

  #queue(parcel: Parcel, resolve: (result: DeliveryResult) => void): void {
    this.#open.set(parcel, resolve);
    const target = readTarget(parcel.url);
    if (target) this.#queues.add(new Delivery(parcel, target, this.#room));
    else void this.#dropped(parcel, 'rejected', NO_ADDRESS, 0);
  }

  #redirected(parcel: Parcel): boolean {
    const receiver = parcel.unanswered?.();
    const resolve = this.#open.get(parcel);
    if (!receiver || !resolve) return false;
    this.#open.delete(parcel);
    this.#queue({ ...parcel, unanswered: undefined, gone: undefined, ...receiver }, resolve);
    return true;
  }

  #attempted(parcel: Parcel, report: AttemptReport): void {
    const { tail, observe } = this.#options;
    this.#count(() => observe.attempt(parcel.clientId, report));
    const at = this.#now();
    this.#figures.attempted(parcel.clientId, at, report);
    tail.publish({ kind: 'attempt', at, clientId: parcel.clientId, ...report });
  }

  #delivered(parcel: Parcel): void {
    this.#figures.ended(parcel.clientId, true);
    this.#end(parcel, { delivered: true, reason: '' });
  }

  async #dropped(parcel: Parcel, cause: DropCause, reason: string, attempts: number): Promise<void> {
    const { tail, observe, log, failed, clock } = this.#options;
    const { deliveryId, clientId, type, messageId, url, body } = parcel;
    this.#figures.ended(clientId, false);
    if ((cause === 'stopping' || cause === 'moved') && parcel.keptByCaller) {
      this.#end(parcel, { delivered: false, reason, interrupted: true });
      return;
    }
    log.warn({ clientId, deliveryId, type, messageId, cause, reason, attempts }, 'event not delivered');
    this.#count(() => observe.dropped(clientId, cause));
    tail.publish({ kind: 'dropped', at: this.#now(), clientId, deliveryId, type, reason });
    const record = {
      id: deliveryId,
      clientId,
      url,
      type,
      messageId,
      reason,
      attempts,
      failedAt: clock.now(),
    };
    const kept = await this.#keep('kept', clientId, deliveryId, () =>
      failed.add({ ...record, body: body.toString() }, LIMITS.failedDeliveriesKept),
    );
    const interrupted = !kept && parcel.keptByCaller;
    this.#end(parcel, { delivered: false, reason, ...(interrupted && { interrupted }) });
  }

  /** Writes to the failed deliveries; a store that fails must not stop what is being delivered. False when it failed. */
  async #keep(
    what: string,
    clientId: string,
    deliveryId: string,
    write: () => Promise<void>,
  ): Promise<boolean> {
    try {
      await write();
      return true;
    } catch (error) {
      this.#options.log.error({ err: error, clientId, deliveryId }, `failed delivery could not be ${what}`);
      return false;
    }
  }

  /** A count that fails must not hold up what is counted. */
  #count(count: () => void): void {
    try {
      count();
    } catch (error) {
      this.#options.log.error({ err: error }, 'a delivery could not be counted');
    }
  }

  #end(parcel: Parcel, result: Omit<DeliveryResult, 'deliveryId'>): void {
    const resolve = this.#open.get(parcel);
    this.#open.delete(parcel);
    resolve?.({ deliveryId: parcel.deliveryId, ...result });
    if (this.#open.size > 0) return;
    for (const idle of this.#whenIdle.splice(0)) idle();
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}
