import type { AttemptReport } from '../../contract/events/stream-entry.js';
import type { MonotonicClock } from '../../domain/clock.js';
import { type Reason, reason, toFields } from '../../domain/reasons.js';
import { doubling, pauseAfter, type RetryPolicy } from '../../domain/retry.js';
import type { TraceContext } from '../../domain/tracing.js';
import type { PreviousToken } from '../../domain/webhook-headers.js';
import type { EventIdentity } from './event-id.js';
import type { QueuedJob } from './queue.js';
import type { SinkEvent } from './sinks/sink.js';
import { type CallResult, RETRY, type Target } from './webhook.js';

/** Why an event was dropped. */
export type DropCause =
  /** The receiver answered with a final rejection, or may not be called. */
  | 'rejected'
  /** The last attempt failed. */
  | 'exhausted'
  /** Too many events waited for this receiver. */
  | 'queue_full'
  /** The gateway stopped. */
  | 'stopping'
  /** Another node holds the session, and delivers the events of its journal. */
  | 'moved'
  /** The receiver is paused. */
  | 'paused';

/** Deviations of one receiver from the default retries. */
export interface RetrySchedule {
  /** Attempts for an event with `retry: contract`. */
  attempts?: number | undefined;
  /** Milliseconds between the attempts for an event with `retry: durable`; the last one is repeated. */
  pausesMs?: readonly number[] | undefined;
  /** Milliseconds after which an event with `retry: durable` is given up. */
  giveUpMs?: number | undefined;
}

/** A receiver of a session's events. */
export interface Receiver {
  /** Id of the receiver; absent for the webhook of the session. */
  receiverId?: string;
  url: string;
  /** Bearer token; empty if there is none. */
  token: string;
  /** The previous token, during a replacement: calls also carry a signature with it. */
  previous?: PreviousToken | undefined;
  /** `durable`: events are written down, and tried again until they arrive; otherwise four attempts. */
  retry?: 'contract' | 'durable';
  schedule?: RetrySchedule | undefined;
  /** Additional headers, by lower-case name. */
  headers?: Readonly<Record<string, string>>;
  /** Why the receiver is paused, for people. While it is set, events wait, or without durable retries become failed deliveries. */
  paused?: string;
  /** Called when nobody answers at `url`: the receiver to use instead; undefined drops the event. */
  unanswered?: () => Receiver | undefined;
  /** True if the receiver has gone: then an event without an answer is not retried. */
  gone?: () => boolean;
}

/** The receiver of a call, with the URL at that time; without an id the webhook. */
export interface CalledReceiver {
  clientId: string;
  receiverId?: string | undefined;
  url: string;
}

/** An event for one receiver. */
export interface DeliveryJob extends Receiver {
  deliveryId: string;
  clientId: string;
  /** Durable deliveries of one chat are made in order. */
  chat: string;
  /** The event's type and message. */
  type: string;
  messageId: string;
  /** The event as JSON. */
  body: Buffer;
  /** The caller keeps the event and announces it again after a restart. */
  keptByCaller: boolean;
  /** A sample that an operator sends: not listed as failed if the receiver does not accept it. */
  isSample?: boolean;
  /** The span of the delivery. */
  trace?: TraceContext | undefined;
}

/** How an event is delivered. */
export interface DeliveryOptions {
  /** Gives the delivery the same id each time the event is announced; without it the id is random. */
  identity?: EventIdentity | undefined;
  /** The caller announces an interrupted event again, so it must not be listed as failed. */
  keptByCaller?: boolean;
  /** A sample that an operator sends: not listed as failed if the receiver does not accept it. */
  isSample?: boolean;
  trace?: TraceContext | undefined;
}

/** The end of a delivery. */
export interface DeliveryResult {
  /** Empty if there is no webhook. */
  deliveryId: string;
  delivered: boolean;
  /** Why it was not delivered. */
  reason?: Reason | undefined;
  /** Not delivered, and kept only by the caller: the gateway stopped, the session moved, or the store was unreachable. */
  interrupted?: true;
  /** Not delivered yet: the event waits in the store until its receiver accepts it. */
  waiting?: true;
}

/** Dependencies of a delivery. */
export interface DeliveryContext {
  clock: MonotonicClock;
  /** A number from 0 to 1 that spreads retries. */
  random: () => number;
  /** True while the gateway stops: a failed attempt then says nothing about the receiver. */
  stopping(): boolean;
  /** True if another node holds the session. */
  moved(job: DeliveryJob): boolean;
  /** Makes one call; never rejects. */
  post(job: DeliveryJob, target: Target, event: SinkEvent): Promise<CallResult>;
  /** Reports each attempt. */
  attempted(job: DeliveryJob, report: AttemptReport): void;
  /** Called if nobody answered: true if the event goes to another receiver, which ends this delivery. */
  redirected(job: DeliveryJob): boolean;
  /** Called once, at the end. */
  delivered(job: DeliveryJob): void;
  /** Called once, at the end. */
  dropped(job: DeliveryJob, cause: DropCause, why: Reason, attempts: number): void;
}

/** Longest pause between attempts, for a receiver with its own number of attempts. */
const LONGEST_PAUSE_MS = 8_000;

function policyOf({ schedule }: Receiver): RetryPolicy {
  const { attempts } = schedule ?? {};
  if (attempts === undefined) return RETRY;
  return { ...RETRY, pausesMs: doubling(RETRY.pausesMs[0], LONGEST_PAUSE_MS).slice(0, attempts - 1) };
}

export function reportOf(
  { deliveryId, type, messageId, receiverId }: DeliveryJob,
  { shown: url }: Target,
  { outcome, status, reason }: CallResult,
  attempt: number,
  durationMs: number,
): AttemptReport {
  const report = { deliveryId, type, messageId, url, attempt, outcome, status, ...toFields(reason) };
  return { ...report, durationMs, receiver: receiverId || undefined };
}

/** A reason, with that of the last attempt if there was one. */
export function afterAttempt(why: Reason, last: Reason | undefined): Reason {
  return last ? reason('after_attempt', { why, last }) : why;
}

/** The attempts to deliver one event to one receiver. */
export class Delivery implements QueuedJob {
  readonly #job: DeliveryJob;
  readonly #target: Target;
  readonly #context: DeliveryContext;
  #attempts = 0;
  #last: Reason | undefined;
  #answered = false;

  constructor(job: DeliveryJob, target: Target, context: DeliveryContext) {
    this.#job = job;
    this.#target = target;
    this.#context = context;
  }

  get origin(): string {
    return this.#target.origin;
  }

  async attempt(): Promise<number | undefined> {
    if (this.#job.keptByCaller && this.#context.moved(this.#job)) {
      this.drop('moved');
      return undefined;
    }
    if (!this.#answered && this.#job.gone?.() && this.#context.redirected(this.#job)) return undefined;
    const startedAt = this.#context.clock.monotonic();
    const { token, previous, headers, deliveryId, clientId, chat, type, body } = this.#job;
    const attempt = ++this.#attempts;
    const result = await this.#context.post(this.#job, this.#target, {
      token,
      previous,
      headers,
      deliveryId,
      clientId,
      chat,
      type,
      body,
      attempt,
      of: this.#job,
    });
    this.#answered ||= result.status !== 0;
    this.#report(result, startedAt);
    return this.#pauseOrEnd(result);
  }

  drop(cause: 'queue_full' | 'stopping' | 'moved'): void {
    this.#context.dropped(this.#job, cause, afterAttempt(reason(cause), this.#last), this.#attempts);
  }

  #report(result: CallResult, startedAt: number): void {
    this.#last = result.reason;
    const durationMs = Math.round(this.#context.clock.monotonic() - startedAt);
    this.#context.attempted(this.#job, reportOf(this.#job, this.#target, result, this.#attempts, durationMs));
  }

  /** Ends the delivery, or returns the milliseconds until the next attempt. */
  #pauseOrEnd({ outcome, status, reason: why }: CallResult): number | undefined {
    if (outcome === 'delivered') {
      this.#context.delivered(this.#job);
      return undefined;
    }
    if (outcome === 'failed' && this.#context.stopping()) {
      this.drop('stopping');
      return undefined;
    }
    const { random } = this.#context;
    const pause = outcome === 'failed' ? pauseAfter(policyOf(this.#job), this.#attempts, random) : undefined;
    if (pause === undefined && !(status === 0 && this.#context.redirected(this.#job))) {
      const cause = outcome === 'rejected' ? 'rejected' : 'exhausted';
      this.#context.dropped(this.#job, cause, why, this.#attempts);
    }
    return pause;
  }
}
