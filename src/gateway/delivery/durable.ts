import type { AttemptReport } from '../../contract/events/stream-entry.js';
import type { MonotonicClock } from '../../domain/clock.js';
import { isGatewayError } from '../../domain/errors.js';
import { KeyedLock } from '../../domain/keyed-lock.js';
import { type Reason, reason } from '../../domain/reasons.js';
import type { Logger } from '../log.js';
import type { WaitingDelivery, WaitingDeliveryStore } from '../store/store.js';
import type { CurrentReceivers } from './dispatcher-options.js';
import {
  type AttemptEnd,
  type DurableFigures,
  type DurableLimits,
  DurableQueue,
  type WaitingEvent,
} from './durable-queue.js';
import { afterAttempt, type DeliveryJob, type DropCause, type Receiver, reportOf } from './job.js';
import { targetOf } from './sinks/addresses.js';
import type { SinkEvent } from './sinks/sink.js';
import type { CallResult, Target } from './webhook.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** An event is tried for 72 hours; the longest pause is five minutes, half a minute while the receiver accepts others. */
export const DURABLE_LIMITS: DurableLimits = {
  retry: {
    pausesMs: [1_000, 2_000, 5_000, 10_000, 20_000, 30_000, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS],
    endless: true,
    jitter: 0.2,
  },
  pauseWhileWellMs: 30_000,
  giveUpMs: 72 * HOUR_MS,
  inFlight: 8,
  bytes: 64 * 1024 * 1024,
};

const TOO_MANY_BYTES = reason('bytes_full');

/** Bytes of a row beside its body. */
const ROW_BYTES = 512;

/**
 * Statuses that refuse the event, not the caller: trying again cannot help, and would hold up the chat. All others, such
 * as 401, 404 and redirects, can be mended at the receiver.
 */
const REFUSES_EVENT: ReadonlySet<number> = new Set([400, 406, 409, 411, 412, 413, 414, 415, 422, 431]);

/** Status with which a receiver says that it is gone for good. */
const GONE = 410;

/** The stored event was changed or moved, and cannot be opened. */
const DAMAGED = 'damaged';

interface DurableOptions {
  store: WaitingDeliveryStore;
  limits: DurableLimits;
  clock: MonotonicClock;
  random: () => number;
  log: Logger;
  receivers: CurrentReceivers;
  /** Makes one call; never rejects. */
  post(target: Target, event: SinkEvent): Promise<CallResult>;
  attempted(clientId: string, report: AttemptReport): void;
  delivered(event: Pick<WaitingEvent, 'clientId' | 'receiver'>): void;
  /** Called for an event that is given up. Returns false if the event could not be listed among the failed deliveries. */
  dropped(job: DeliveryJob, cause: DropCause, why: Reason, attempts: number): Promise<boolean>;
}

/**
 * Delivers the events of receivers with `retry: durable`: written down before the first attempt, in order for each chat,
 * until the receiver accepts them or 72 hours are over. Decision 30 has the details.
 */
export class DurableDeliveries {
  readonly #options: DurableOptions;
  /** Queues by session and receiver id; the webhook has the empty id. */
  readonly #queues = new Map<string, Map<string, DurableQueue>>();
  /** Writes and calls in flight, by session. */
  readonly #work = new Map<string, Set<Promise<unknown>>>();
  /** One lock per chat, so that its events are written in order. */
  readonly #lock = new KeyedLock();
  /** Delivered events that the store could not remove yet. */
  readonly #unremoved = new Set<string>();
  #stopped = false;

  constructor(options: DurableOptions) {
    this.#options = options;
  }

  /** Continues the events that an earlier run or another node left. @throws GatewayError store_unavailable */
  async resume(clientId: string): Promise<void> {
    this.forget(clientId);
    const waiting = await this.#options.store.list(clientId);
    if (waiting.length === 0) return;
    this.#options.log.info({ clientId, events: waiting.length }, 'events wait for their receiver');
    for (const event of waiting) this.#queueOf(clientId, event.receiver).add(event);
  }

  /** Stores an event and queues it. Resolves when the event is stored. @throws GatewayError store_unavailable, session_elsewhere */
  async add(job: DeliveryJob): Promise<void> {
    const { clientId, receiverId, chat, deliveryId: id, type, messageId, body } = job;
    const written = this.#lock.run(`${clientId} ${receiverId ?? ''} ${chat}`, async () => {
      const queue = this.#queueOf(clientId, receiverId);
      if (queue.has(id)) return;
      const size = body.length + ROW_BYTES;
      const facts = { id, clientId, chat, type, messageId, size, attempts: 0, since: queue.nextSince() };
      const event = { ...facts, receiver: receiverId || undefined };
      await this.#options.store.add({ ...event, body: body.toString() });
      // only the next few events keep their bodies in memory; others are read from the store
      const isSoon = queue.figures.waiting < this.#options.limits.inFlight;
      queue.add({ ...event, body: isSoon ? body : undefined });
      await this.#drop(queue.takeExcess(), 'queue_full', TOO_MANY_BYTES);
      // check here too, because a paused receiver makes no attempts that would find expired events
      await this.#dropExpired(queue);
    });
    await this.#during(clientId, written);
  }

  /** The webhook of a session may have changed: its waiting events are tried at once. */
  hear(event: { type: string; clientId?: string }): void {
    if (event.type === 'webhook' && event.clientId !== undefined) this.retryNow(event.clientId);
  }

  /** Tries a receiver at once, because its settings have changed. */
  retryNow(clientId: string, receiverId = ''): void {
    this.#queues.get(clientId)?.get(receiverId)?.retryNow();
  }

  /** Drops the waiting events of a removed receiver. @returns the number of dropped events @throws GatewayError store_unavailable */
  async discard(clientId: string, receiverId: string): Promise<number> {
    this.#queues.get(clientId)?.get(receiverId)?.close();
    this.#queues.get(clientId)?.delete(receiverId);
    const { store } = this.#options;
    const waiting = (await store.list(clientId)).filter(({ receiver }) => receiver === receiverId);
    for (const { id } of waiting) await store.remove(id);
    return waiting.length;
  }

  /** Begins no further attempts for a session that this node has lost. */
  abort(clientId: string): void {
    for (const queue of this.#queues.get(clientId)?.values() ?? []) queue.close();
  }

  /** Begins no further attempts, and resolves when no call is in flight. Events that arrive meanwhile are only stored. */
  async end(clientId: string): Promise<void> {
    this.abort(clientId);
    await Promise.all(this.#work.get(clientId) ?? []);
  }

  /** Ends the session before a handover; the next owner continues with the waiting events. */
  finish(clientId: string): Promise<void> {
    return this.end(clientId);
  }

  forget(clientId: string): void {
    this.abort(clientId);
    this.#queues.delete(clientId);
  }

  /** Begins no further attempts; later events are only stored. */
  stop(): void {
    this.#stopped = true;
    for (const queue of this.#all()) queue.close();
  }

  /** Resolves when no call is in flight. */
  async idle(clientId?: string): Promise<void> {
    if (clientId !== undefined) return;
    await Promise.all([...this.#work.values()].flatMap((work) => [...work]));
  }

  /** Figures of the webhook or another receiver; undefined when no event waits or is in flight. */
  figures(clientId: string, receiverId = ''): DurableFigures | undefined {
    const figures = this.#queues.get(clientId)?.get(receiverId)?.figures;
    return figures?.oldest === undefined ? undefined : figures;
  }

  /** The backlog as the health of a session shows it. */
  waiting(
    clientId: string,
    receiverId?: string,
  ): (Pick<DurableFigures, 'bytes' | 'circuit'> & { events: number; since: string }) | undefined {
    const figures = this.figures(clientId, receiverId);
    if (!figures) return undefined;
    const { waiting, inFlight, bytes, oldest = 0, circuit } = figures;
    return { events: waiting + inFlight, bytes, since: new Date(oldest).toISOString(), circuit };
  }

  /** Figures of all sessions together. */
  totals(): { waiting: number; inFlight: number; bytes: number; open: number; waitedMs: number } {
    const all = this.#all().map(({ figures }) => figures);
    const sum = (pick: (figures: DurableFigures) => number) =>
      all.reduce((total, one) => total + pick(one), 0);
    const now = this.#options.clock.now();
    return {
      waiting: sum(({ waiting }) => waiting),
      inFlight: sum(({ inFlight }) => inFlight),
      bytes: sum(({ bytes }) => bytes),
      open: sum(({ circuit }) => (circuit === 'open' ? 1 : 0)),
      waitedMs: Math.max(0, ...all.map(({ oldest = now }) => now - oldest)),
    };
  }

  #all(): DurableQueue[] {
    return [...this.#queues.values()].flatMap((queues) => [...queues.values()]);
  }

  #queueOf(clientId: string, receiverId?: string): DurableQueue {
    const queues = this.#queues.get(clientId) ?? new Map<string, DurableQueue>();
    const known = queues.get(receiverId ?? '');
    if (known) return known;
    const { clock, random, receivers } = this.#options;
    const queue: DurableQueue = new DurableQueue({
      ...{ clock, random },
      limits: () => this.#limitsOf(clientId, receiverId),
      isPaused: () => receivers.receiverOf(clientId, receiverId)?.paused !== undefined,
      attempt: (event) => this.#during(clientId, this.#attempt(queue, event)),
    });
    if (this.#stopped) queue.close();
    this.#queues.set(clientId, queues.set(receiverId ?? '', queue));
    return queue;
  }

  /** The limits of a receiver, which may have its own schedule. */
  #limitsOf(clientId: string, receiverId: string | undefined): DurableLimits {
    const { limits, receivers } = this.#options;
    if (receiverId === undefined) return limits;
    const { pausesMs, giveUpMs = limits.giveUpMs } =
      receivers.receiverOf(clientId, receiverId)?.schedule ?? {};
    if (!pausesMs) return { ...limits, giveUpMs };
    return {
      ...limits,
      retry: { ...limits.retry, pausesMs },
      pauseWhileWellMs: Number.POSITIVE_INFINITY,
      giveUpMs,
    };
  }

  async #during<T>(clientId: string, work: Promise<T>): Promise<T> {
    const running = this.#work.get(clientId) ?? new Set();
    this.#work.set(clientId, running);
    const settled = work.catch(() => undefined);
    running.add(settled);
    try {
      return await work;
    } finally {
      running.delete(settled);
      if (running.size === 0) this.#work.delete(clientId);
    }
  }

  async #attempt(queue: DurableQueue, event: WaitingEvent): Promise<AttemptEnd> {
    const { store, receivers } = this.#options;
    const { clientId, receiver } = event;
    try {
      if (receiver && receivers.isRemoved?.(clientId, receiver)) {
        await store.remove(event.id);
        return 'skipped';
      }
      const body = event.body ?? (await this.#bodyOf(event));
      event.body = undefined;
      if (body === DAMAGED) return 'skipped';
      // removed by an attempt that ended on another node
      if (!body) return 'skipped';
      const { url, ...result } = await this.#call(event, body);
      if (result.outcome === 'delivered') return await this.#delivered(event);
      if (queue.isClosed) return 'failed';
      const isRefused = REFUSES_EVENT.has(result.status);
      const expired = queue.isExpired(event);
      if (isRefused || expired) {
        const why = expired ? afterAttempt(this.#expired(event), result.reason) : result.reason;
        const isKept = await this.#giveUp(event, body, isRefused ? 'rejected' : 'exhausted', why);
        if (!isKept) return 'failed';
        return isRefused ? 'answered' : 'skipped';
      }
      const code = result.status === GONE ? 'gone' : result.pause;
      if (code) await receivers.pause?.({ clientId, receiverId: receiver, url }, code);
      await store.noteAttempts(clientId, event.id, event.attempts);
      await this.#dropExpired(queue);
    } catch (err) {
      this.#options.log.warn(
        { err, clientId, deliveryId: event.id },
        'a waiting event could not be read or changed',
      );
    }
    return 'failed';
  }

  /** Reads the body of an event. A damaged event stays in the store, and must not block other events. @throws GatewayError store_unavailable */
  async #bodyOf({ id, clientId }: WaitingEvent): Promise<Buffer | typeof DAMAGED | undefined> {
    try {
      const stored = await this.#options.store.get(id);
      return stored && Buffer.from(stored.body);
    } catch (err) {
      if (!isGatewayError(err, 'store_damaged')) throw err;
      this.#options.log.error({ err, clientId, deliveryId: id }, 'a waiting event is damaged: it is skipped');
      return DAMAGED;
    }
  }

  /** Makes a call and reports it; makes none if the receiver has no URL. */
  async #call(event: WaitingEvent, body: Buffer): Promise<CallResult & { url: string }> {
    const { clock, receivers, post, attempted } = this.#options;
    const { clientId, chat, id: deliveryId, type } = event;
    const receiver = receivers.receiverOf(clientId, event.receiver);
    const target = receiver && targetOf(receiver.url);
    if (!receiver || !target)
      return { outcome: 'failed', status: 0, reason: reason('webhook_gone'), url: '' };
    event.attempts += 1;
    const startedAt = clock.monotonic();
    const { token, previous, headers } = receiver;
    const attempt = event.attempts;
    const result = await post(target, {
      ...{ token, previous, headers, deliveryId, clientId, chat, type, body, attempt },
      of: event,
    });
    const job = jobOf(event, receiver, body);
    const durationMs = Math.round(clock.monotonic() - startedAt);
    attempted(clientId, reportOf(job, target, result, attempt, durationMs));
    return { ...result, url: receiver.url };
  }

  async #delivered(event: WaitingEvent): Promise<AttemptEnd> {
    const { store, log, delivered } = this.#options;
    const { id, clientId } = event;
    delivered(event);
    this.#unremoved.add(id);
    try {
      for (const done of this.#unremoved) {
        await store.remove(done);
        this.#unremoved.delete(done);
      }
    } catch (err) {
      const message = 'a delivered event could not be removed: it is delivered again after a restart';
      log.warn({ err, clientId, deliveryId: id }, message);
    }
    return 'answered';
  }

  /** Lists an event among the failed deliveries and removes it from the waiting ones. @returns false if the store could not list it */
  async #giveUp(event: WaitingEvent, body: Buffer, cause: DropCause, why: Reason): Promise<boolean> {
    const { store, receivers, dropped } = this.#options;
    const receiver = receivers.receiverOf(event.clientId, event.receiver) ?? { url: '', token: '' };
    const isKept = await dropped(jobOf(event, receiver, body), cause, why, event.attempts);
    if (isKept) await store.remove(event.id);
    return isKept;
  }

  /** Gives up events that have waited longer than `giveUpMs`. */
  async #dropExpired(queue: DurableQueue): Promise<void> {
    const [oldest, ...others] = queue.takeExpired();
    if (oldest) await this.#drop([oldest, ...others], 'exhausted', this.#expired(oldest));
  }

  #expired({ clientId, receiver }: WaitingEvent): Reason {
    const hours = Math.round(this.#limitsOf(clientId, receiver).giveUpMs / HOUR_MS);
    return reason('expired', { time: `${hours} ${hours === 1 ? 'hour' : 'hours'}` });
  }

  /** Gives up events that have left the queue. If the store fails, they wait for the next start. */
  async #drop(events: readonly WaitingEvent[], cause: DropCause, why: Reason): Promise<void> {
    try {
      for (const event of events) {
        const body = event.body ?? (await this.#bodyOf(event));
        if (body === DAMAGED) await this.#options.store.remove(event.id);
        else if (body) await this.#giveUp(event, body, cause, why);
      }
    } catch (err) {
      this.#options.log.warn({ err }, 'events could not be given up');
    }
  }
}

function jobOf(
  { id, clientId, receiver: receiverId, chat, type, messageId }: Omit<WaitingDelivery, 'body'>,
  receiver: Receiver,
  body: Buffer,
): DeliveryJob {
  return {
    ...receiver,
    receiverId: receiverId || undefined,
    deliveryId: id,
    clientId,
    chat,
    type,
    messageId,
    body,
    keptByCaller: false,
  };
}
