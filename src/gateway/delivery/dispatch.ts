import type { GatewayEvent } from '../../contract/events/catalogue.js';
import type { AttemptReport } from '../../contract/events/stream-entry.js';
import { endsWithin } from '../../domain/clock.js';
import { newDeliveryId, replayDeliveryId } from '../../domain/ids.js';
import { LIMITS } from '../../domain/limits.js';
import { type Reason, reason, toFields, writeReason } from '../../domain/reasons.js';
import type { FailedDelivery, KeptEvent } from '../store/store.js';
import { traced } from './attempt-traces.js';
import type { DeliveryObserver, DispatcherOptions } from './dispatcher-options.js';
import { DURABLE_LIMITS, DurableDeliveries } from './durable.js';
import { chatIn, chatOf, eventIdOf } from './event-id.js';
import { type DeliveryFigures, FiguresByReceiver } from './figures.js';
import {
  Delivery,
  type DeliveryContext,
  type DeliveryJob,
  type DeliveryOptions,
  type DeliveryResult,
  type DropCause,
  type Receiver,
} from './job.js';
import { OriginQueues, QUEUE_LIMITS } from './queue.js';
import { targetOf } from './sinks/addresses.js';
import type { SinkEvent } from './sinks/sink.js';
import { Sinks } from './sinks/sinks.js';
import { type CallResult, readTarget, type Target, WebhookClient } from './webhook.js';

export type { DeliveryObserver, DeliveryOptions, DeliveryResult, DispatcherOptions, Receiver };

/** Connections to one origin for durable deliveries. They have their own agent, so that durable and other deliveries do not wait for each other. */
const DURABLE_CONNECTIONS = 128;

const NO_WEBHOOK: DeliveryResult = { deliveryId: '', delivered: false, reason: reason('no_webhook') };

/**
 * Delivers events to receivers and shows them on the tail. An event that is dropped is logged, counted, shown on the tail and
 * listed among the failed deliveries, where an operator can resend it. Only receivers with `retry: durable` get a durable queue.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Deliveries of receivers with `retry: durable`. */
  readonly durable: DurableDeliveries;
  readonly #client: WebhookClient;
  readonly #durableClient: WebhookClient;
  readonly #sinks: Sinks;
  readonly #queues: OriginQueues;
  /** Deliveries in progress, each with the function that resolves its result. */
  readonly #open = new Map<DeliveryJob, (result: DeliveryResult) => void>();
  readonly #context: DeliveryContext;
  readonly #figures = new FiguresByReceiver();
  #whenIdle: (() => void)[] = [];
  #stopped: Promise<void> | undefined;

  constructor(options: DispatcherOptions) {
    const { allowPrivate, clock, log, random = Math.random, limits = QUEUE_LIMITS } = options;
    const signing = options.signingClock ?? clock;
    this.#options = options;
    this.#queues = new OriginQueues(clock, limits);
    const broker = { process: { ...options.brokers?.process, allowPrivate }, marks: options.brokers?.marks };
    this.#sinks = new Sinks({ clock, signing, log, ...broker });
    this.#client = new WebhookClient({ clock, signing, allowPrivate, connections: limits.inFlight });
    this.#context = {
      clock,
      random,
      stopping: () => this.#queues.closed,
      moved: ({ clientId }) => options.serves?.(clientId) === false,
      post: (job, ...call) => this.#figures.during(job, () => this.#call(this.#client, ...call)),
      attempted: ({ clientId }, report) => this.#attempted(clientId, report),
      redirected: (job) => this.#redirected(job),
      delivered: (job) => this.#delivered(job),
      dropped: (...drop) => void this.#dropped(...drop),
    };
    this.#durableClient = new WebhookClient({
      ...{ clock, signing, allowPrivate },
      connections: DURABLE_CONNECTIONS,
    });
    this.durable = new DurableDeliveries({
      store: options.waiting,
      limits: { ...DURABLE_LIMITS, ...options.durable },
      ...{ clock, random, log },
      receivers: options.receivers,
      post: (...call) => this.#call(this.#durableClient, ...call),
      attempted: (clientId, report) => this.#attempted(clientId, report),
      delivered: ({ clientId, receiver }) =>
        this.#figures.count({ clientId, receiverId: receiver || undefined }, true),
      dropped: (job, ...drop) => {
        this.#figures.count(job, false);
        return this.#keepDropped(job, ...drop);
      },
    });
  }

  /**
   * Shows the event on the tail and delivers it to the webhook.
   * @param receiver undefined if the session has no webhook: then only the tail shows the event
   * @returns the final result, up to a minute later. Never rejects.
   */
  announce(
    event: GatewayEvent,
    receiver: Receiver | undefined,
    options?: DeliveryOptions,
  ): Promise<DeliveryResult> {
    this.#options.tail.publish({ kind: 'event', at: this.#now(), clientId: event.clientId, event });
    if (!receiver) return Promise.resolve(NO_WEBHOOK);
    return this.deliver(event, receiver, options);
  }

  /** Delivers an event to any receiver of the session, without showing it on the tail. Never rejects. */
  deliver(
    event: GatewayEvent,
    receiver: Receiver,
    { identity, keptByCaller = false, isSample = false, trace }: DeliveryOptions = {},
  ): Promise<DeliveryResult> {
    return this.#deliver({
      deliveryId: identity ? eventIdOf(identity, receiver.receiverId) : newDeliveryId(),
      ...{ clientId: event.clientId, chat: chatOf(event), type: event.type },
      messageId: 'messageId' in event ? event.messageId : '',
      ...receiver,
      body: Buffer.from(JSON.stringify(event)),
      keptByCaller,
      isSample,
      trace,
    });
  }

  /**
   * Sends a failed delivery again, with its id and four new attempts. Removes it from the failed deliveries if it
   * succeeds; otherwise updates its reason. Never rejects.
   */
  async resend(failed: FailedDelivery, receiver: Receiver): Promise<DeliveryResult> {
    const { id: deliveryId, clientId, type, messageId } = failed;
    const body = Buffer.from(failed.body);
    const chat = chatIn(failed.body);
    const job = { deliveryId, clientId, chat, type, messageId, ...receiver, body, keptByCaller: false };
    const result = await this.#deliver(job);
    if (result.delivered) {
      await this.#keep('removed', clientId, deliveryId, () => this.#options.failed.remove(deliveryId));
    }
    return result;
  }

  /** Sends an event that was kept to any receiver of its session, under a new id that names it. Never rejects. */
  replay({ at: _, size: __, id, ...event }: KeptEvent, receiver: Receiver): Promise<DeliveryResult> {
    const named = { deliveryId: replayDeliveryId(id), body: Buffer.from(event.body), keptByCaller: false };
    return this.#deliver({ ...event, ...receiver, ...named });
  }

  /** Makes one call with a sample event, to check the receiver and its token. Never rejects. */
  async probe(receiver: Receiver, event: { type: string }): Promise<CallResult> {
    const target = readTarget(receiver.url);
    if (!target) return { outcome: 'rejected', status: 0, reason: reason('no_http_address') };
    const body = Buffer.from(JSON.stringify(event));
    const { token, headers } = receiver;
    const facts = { token, headers, deliveryId: newDeliveryId(), type: event.type, body, attempt: 1 };
    return traced(this.#options.traces, target, facts, (traced) => this.#client.post(target, traced));
  }

  /** Calls in flight. */
  inFlight(): number {
    return this.#queues.inFlight + this.durable.totals().inFlight;
  }

  /** Deliveries that wait for a connection or for their next attempt. */
  waiting(): number {
    return this.#queues.waiting + this.durable.totals().waiting;
  }

  /** The counts of the webhook of a session, or of another receiver. */
  figures(clientId: string, receiverId?: string): DeliveryFigures {
    const figures = this.#figures.of({ clientId, receiverId: receiverId || undefined });
    const durable = this.durable.figures(clientId, receiverId);
    if (!durable) return figures;
    const waiting = figures.waiting + durable.waiting;
    return { ...figures, waiting, inFlight: figures.inFlight + durable.inFlight };
  }

  /** Drops the counts of a deleted session, or of a removed receiver. */
  forget(clientId: string, receiverId?: string): void {
    this.#figures.forget(clientId, receiverId);
  }

  /**
   * Ends all deliveries and closes all connections. After `graceMs` milliseconds, deliveries in progress are aborted and
   * listed as failed, as is everything announced later.
   */
  stop(graceMs: number): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    // events that wait in the store are delivered after the next start
    this.durable.stop();
    const idle = Promise.all([this.#idle(), this.durable.idle()]);
    if (graceMs > 0) await endsWithin(this.#options.clock, graceMs, idle);
    this.#queues.close();
    await Promise.all([this.#client.destroy(), this.#durableClient.destroy(), this.#sinks.stop()]);
    await Promise.all([this.#idle(), this.durable.idle()]);
  }

  #idle(): Promise<void> {
    if (this.#open.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #deliver(job: DeliveryJob): Promise<DeliveryResult> {
    this.#figures.begun(job);
    return new Promise((resolve) => this.#queue(job, resolve));
  }

  #queue(job: DeliveryJob, resolve: (result: DeliveryResult) => void): void {
    this.#open.set(job, resolve);
    if (job.retry === 'durable') void this.#writeDown(job, resolve);
    else if (job.paused) {
      const why = reason('receiver_paused', { receiver: nameOf(job), pause: job.paused });
      void this.#dropped(job, 'paused', why, 0);
    } else this.#try(job);
  }

  /** Hands an event to the durable deliveries. If the store fails and the caller does not keep the event, it is tried at once. */
  async #writeDown(job: DeliveryJob, resolve: (result: DeliveryResult) => void): Promise<void> {
    const { log } = this.#options;
    const { clientId, deliveryId } = job;
    try {
      await this.durable.add(job);
      this.#figures.handedOver(job);
      this.#end(job, { delivered: false, waiting: true });
    } catch (err) {
      log.warn({ err, clientId, deliveryId }, 'event could not be written down');
      if (job.keptByCaller) {
        this.#figures.handedOver(job);
        this.#end(job, { delivered: false, reason: reason('store_full'), interrupted: true });
        return;
      }
      this.#open.delete(job);
      this.#queue({ ...job, retry: 'contract' }, resolve);
    }
  }

  #call(client: WebhookClient, target: Target, event: SinkEvent): Promise<CallResult> {
    return traced(this.#options.traces, target, event, (traced) =>
      target.broker ? this.#sinks.publish(target.broker, traced) : client.post(target, traced),
    );
  }

  #try(job: DeliveryJob): void {
    const target = targetOf(job.url);
    if (target) this.#queues.add(new Delivery(job, target, this.#context));
    else void this.#dropped(job, 'rejected', reason('no_http_address'), 0);
  }

  #redirected(job: DeliveryJob): boolean {
    const receiver = job.unanswered?.();
    const resolve = this.#open.get(job);
    if (!receiver || !resolve) return false;
    this.#open.delete(job);
    this.#queue({ ...job, unanswered: undefined, gone: undefined, ...receiver }, resolve);
    return true;
  }

  #attempted(clientId: string, report: AttemptReport): void {
    const { tail, observe } = this.#options;
    this.#count(() => observe.attempt(clientId, report));
    const at = this.#now();
    this.#figures.attempted({ clientId, receiverId: report.receiver || undefined }, at, report);
    tail.publish({ kind: 'attempt', at, clientId, ...report });
  }

  #delivered(job: DeliveryJob): void {
    this.#figures.ended(job, true);
    this.#end(job, { delivered: true });
  }

  async #dropped(job: DeliveryJob, cause: DropCause, why: Reason, attempts: number): Promise<void> {
    this.#figures.ended(job, false);
    if ((cause === 'stopping' || cause === 'moved') && job.keptByCaller) {
      this.#end(job, { delivered: false, reason: why, interrupted: true });
      return;
    }
    const isKept = await this.#keepDropped(job, cause, why, attempts);
    const interrupted = !isKept && job.keptByCaller;
    this.#end(job, { delivered: false, reason: why, interrupted: interrupted || undefined });
  }

  /** Reports a dropped event, and lists it among the failed deliveries unless it is a sample. Returns false if the store failed. */
  async #keepDropped(job: DeliveryJob, cause: DropCause, why: Reason, attempts: number): Promise<boolean> {
    const { tail, observe, log, failed, clock } = this.#options;
    const { deliveryId, clientId, receiverId, type, messageId, url, body } = job;
    const named = receiverId && { receiver: receiverId };
    const reasonFields = toFields(why);
    const words = reasonFields.reason;
    log.warn(
      { clientId, ...named, deliveryId, type, messageId, cause, reason: words, attempts },
      'event not delivered',
    );
    tail.publish({
      kind: 'dropped',
      at: this.#now(),
      clientId,
      ...named,
      deliveryId,
      type,
      ...reasonFields,
    });
    if (job.isSample) return true;
    this.#count(() => observe.dropped(clientId, cause));
    const record = {
      id: deliveryId,
      clientId,
      ...named,
      url,
      type,
      messageId,
      reason: writeReason(why),
      attempts,
      failedAt: clock.now(),
    };
    return this.#keep('kept', clientId, deliveryId, () =>
      failed.add({ ...record, body: body.toString() }, LIMITS.failedDeliveriesKept),
    );
  }

  /** Lists an event among the failed deliveries. Returns false if the store failed, which must not stop other deliveries. */
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

  /** Runs a counter; its failure must not stop the delivery. */
  #count(count: () => void): void {
    try {
      count();
    } catch (error) {
      this.#options.log.error({ err: error }, 'a delivery could not be counted');
    }
  }

  #end(job: DeliveryJob, result: Omit<DeliveryResult, 'deliveryId'>): void {
    const resolve = this.#open.get(job);
    this.#open.delete(job);
    resolve?.({ deliveryId: job.deliveryId, ...result });
    if (this.#open.size > 0) return;
    for (const idle of this.#whenIdle.splice(0)) idle();
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

function nameOf({ receiverId }: DeliveryJob): string {
  return receiverId === undefined ? 'the webhook' : `receiver ${receiverId}`;
}
