import type { MonotonicClock } from '../domain/clock.js';
import { isGatewayError } from '../domain/errors.js';
import { KeyedLock } from '../domain/keyed-lock.js';
import type { PauseCode } from '../domain/pauses.js';
import type { AttemptReport } from '../events/stream-entry.js';
import type { Logger } from '../log.js';
import type { WaitingDelivery, WaitingDeliveryStore } from '../store/store.js';
import {
  type AttemptEnd,
  type DurableFigures,
  type DurableLimits,
  DurableQueue,
  type WaitingEvent,
} from './durable-queue.js';
import { type CalledReceiver, type DeliveryJob, type DropCause, type Receiver, reportOf } from './job.js';
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

/** What a row takes beside its body. */
const ROW_BYTES = 512;

/**
 * Statuses that refuse the event, not the caller: trying again cannot help, and would hold up the chat. All others, such
 * as 401, 404 and redirects, can be mended at the receiver.
 */
const REFUSES_EVENT: ReadonlySet<number> = new Set([400, 406, 409, 411, 412, 413, 414, 415, 422, 431]);

/** The receiver says that it is gone for good. */
const GONE = 410;

/** The stored event was changed or moved, and cannot be opened. */
const DAMAGED = 'damaged';

const NO_WEBHOOK = 'the session has no webhook';
const TOO_MANY = 'too many bytes of events were waiting for this receiver';

interface DurableOptions {
  store: WaitingDeliveryStore;
  limits: DurableLimits;
  clock: MonotonicClock;
  random: () => number;
  log: Logger;
  /** A receiver of a session now, the webhook unless another one is named; undefined if there is none. */
  receiverOf(clientId: string, receiverId?: string): Receiver | undefined;
  /** The session is here, and has no such receiver any more. */
  isRemoved(clientId: string, receiverId: string): boolean;
  /** From now on the receiver is paused, unless it has another address now. @throws GatewayError store_unavailable */
  pause(called: CalledReceiver, code: PauseCode): Promise<unknown>;
  /** Makes one call; never rejects. */
  post(target: Target, event: SinkEvent): Promise<CallResult>;
  attempted(clientId: string, report: AttemptReport): void;
  delivered(event: Pick<WaitingEvent, 'clientId' | 'receiver'>): void;
  /** The event is given up. False if it could not be listed among the failed deliveries. */
  dropped(job: DeliveryJob, cause: DropCause, reason: string, attempts: number): Promise<boolean>;
}

/**
 * Delivers the events of receivers with `retry: durable`: written down before the first attempt, in order for each chat,
 * until the receiver accepts them or 72 hours are over. Decision 30 has the details.
 */
export class DurableDeliveries {
  readonly #options: DurableOptions;
  /** By session, and by receiver: the webhook is the empty text. */
  readonly #queues = new Map<string, Map<string, DurableQueue>>();
  /** By session: writes and calls under way. */
  readonly #work = new Map<string, Set<Promise<unknown>>>();
  /** The writes of one chat, in order. */
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

  /** Writes an event down and queues it. Resolves when it is safe. @throws GatewayError store_unavailable, session_elsewhere */
  async add(job: DeliveryJob): Promise<void> {
    const { clientId, receiverId, chat, deliveryId: id, type, messageId, body } = job;
    const written = this.#lock.run(`${clientId} ${receiverId ?? ''} ${chat}`, async () => {
      const queue = this.#queueOf(clientId, receiverId);
      if (queue.has(id)) return;
      const size = body.length + ROW_BYTES;
      const facts = { id, clientId, chat, type, messageId, size, attempts: 0, since: queue.nextSince() };
      const event = { ...facts, ...(receiverId && { receiver: receiverId }) };
      await this.#options.store.add({ ...event, body: body.toString() });
      // an event that must wait is read again from the store
      const isSoon = queue.figures.waiting < this.#options.limits.inFlight;
      queue.add({ ...event, ...(isSoon && { body }) });
      await this.#drop(queue.takeExcess(), 'queue_full', TOO_MANY);
      // no attempt finds them while the receiver is paused
      await this.#dropExpired(queue);
    });
    await this.#during(clientId, written);
  }

  /** The receiver has changed: tries it at once. */
  retryNow(clientId: string, receiverId = ''): void {
    this.#queues.get(clientId)?.get(receiverId)?.retryNow();
  }

  /** The receiver was removed: drops what waits for it. @returns how many events waited @throws GatewayError store_unavailable */
  async discard(clientId: string, receiverId: string): Promise<number> {
    this.#queues.get(clientId)?.get(receiverId)?.close();
    this.#queues.get(clientId)?.delete(receiverId);
    const { store } = this.#options;
    const waiting = (await store.list(clientId)).filter(({ receiver }) => receiver === receiverId);
    for (const { id } of waiting) await store.remove(id);
    return waiting.length;
  }

  /** This node lost the session: no further attempt begins. */
  abort(clientId: string): void {
    for (const queue of this.#queues.get(clientId)?.values() ?? []) queue.close();
  }

  /** The same; resolves when no call is in flight. Events that come meanwhile are only written down. */
  async end(clientId: string): Promise<void> {
    this.abort(clientId);
    await Promise.all(this.#work.get(clientId) ?? []);
  }

  /** Before a handover: the next owner continues what waits. */
  finish(clientId: string): Promise<void> {
    return this.end(clientId);
  }

  forget(clientId: string): void {
    this.abort(clientId);
    this.#queues.delete(clientId);
  }

  /** No further attempt begins; later events are only written down. */
  stop(): void {
    this.#stopped = true;
    for (const queue of this.#all()) queue.close();
  }

  /** Resolves when no call is in flight. */
  async idle(clientId?: string): Promise<void> {
    if (clientId !== undefined) return;
    await Promise.all([...this.#work.values()].flatMap((work) => [...work]));
  }

  /** Of the webhook, or another receiver; undefined when nothing waits or is in flight. */
  figures(clientId: string, receiverId = ''): DurableFigures | undefined {
    const figures = this.#queues.get(clientId)?.get(receiverId)?.figures;
    return figures?.oldest === undefined ? undefined : figures;
  }

  /** As the health of a session shows it. */
  waiting(
    clientId: string,
    receiverId?: string,
  ): (Pick<DurableFigures, 'bytes' | 'circuit'> & { events: number; since: string }) | undefined {
    const figures = this.figures(clientId, receiverId);
    if (!figures) return undefined;
    const { waiting, inFlight, bytes, oldest = 0, circuit } = figures;
    return { events: waiting + inFlight, bytes, since: new Date(oldest).toISOString(), circuit };
  }

  /** Of all sessions. */
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
    const { clock, random, receiverOf } = this.#options;
    const queue: DurableQueue = new DurableQueue({
      ...{ clock, random },
      limits: () => this.#limitsOf(clientId, receiverId),
      isPaused: () => receiverOf(clientId, receiverId)?.paused !== undefined,
      attempt: (event) => this.#during(clientId, this.#attempt(queue, event)),
    });
    if (this.#stopped) queue.close();
    this.#queues.set(clientId, queues.set(receiverId ?? '', queue));
    return queue;
  }

  /** The limits of a receiver, which may have its own schedule. */
  #limitsOf(clientId: string, receiverId: string | undefined): DurableLimits {
    const { limits, receiverOf } = this.#options;
    if (receiverId === undefined) return limits;
    const { pausesMs, giveUpMs = limits.giveUpMs } = receiverOf(clientId, receiverId)?.schedule ?? {};
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
    const { store, pause, isRemoved } = this.#options;
    const { clientId, receiver } = event;
    try {
      if (receiver && isRemoved(clientId, receiver)) {
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
        const late = `${this.#expiredText(event)} (last attempt: ${result.reason})`;
        const reason = expired ? late : result.reason;
        const isKept = await this.#giveUp(event, body, isRefused ? 'rejected' : 'exhausted', reason);
        if (!isKept) return 'failed';
        return isRefused ? 'answered' : 'skipped';
      }
      const code = result.status === GONE ? 'gone' : result.pause;
      if (code) await pause({ clientId, receiverId: receiver, url }, code);
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

  /** A damaged event stays in the store, and holds up no other. @throws GatewayError store_unavailable */
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

  /** Makes a call and reports it. Without an address there is no call. */
  async #call(event: WaitingEvent, body: Buffer): Promise<CallResult & { url: string }> {
    const { clock, receiverOf, post, attempted } = this.#options;
    const { clientId, chat, id: deliveryId, type } = event;
    const receiver = receiverOf(clientId, event.receiver);
    const target = receiver && targetOf(receiver.url);
    if (!receiver || !target) return { outcome: 'failed', status: 0, reason: NO_WEBHOOK, url: '' };
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

  /**
   * Lists an event among the failed deliveries, and no longer waits for its receiver.
   * @returns false if the store did not take it
   */
  async #giveUp(event: WaitingEvent, body: Buffer, cause: DropCause, reason: string): Promise<boolean> {
    const { store, receiverOf, dropped } = this.#options;
    const receiver = receiverOf(event.clientId, event.receiver) ?? { url: '', token: '' };
    const isKept = await dropped(jobOf(event, receiver, body), cause, reason, event.attempts);
    if (isKept) await store.remove(event.id);
    return isKept;
  }

  /** Gives up the events that have waited for too long. */
  async #dropExpired(queue: DurableQueue): Promise<void> {
    const [oldest, ...others] = queue.takeExpired();
    if (oldest) await this.#drop([oldest, ...others], 'exhausted', this.#expiredText(oldest));
  }

  #expiredText({ clientId, receiver }: WaitingEvent): string {
    const hours = Math.round(this.#limitsOf(clientId, receiver).giveUpMs / HOUR_MS);
    return `not delivered within ${hours} ${hours === 1 ? 'hour' : 'hours'}`;
  }

  /** Gives up events that have left the queue. Those that the store does not take stay until the next start. */
  async #drop(events: readonly WaitingEvent[], cause: DropCause, reason: string): Promise<void> {
    try {
      for (const event of events) {
        const body = event.body ?? (await this.#bodyOf(event));
        if (body === DAMAGED) await this.#options.store.remove(event.id);
        else if (body) await this.#giveUp(event, body, cause, reason);
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
    ...(receiverId && { receiverId }),
    deliveryId: id,
    clientId,
    chat,
    type,
    messageId,
    body,
    keptByCaller: false,
  };
}
