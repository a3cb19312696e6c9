import type { Clock } from '../domain/clock.js';
import { shownUrl } from '../domain/shown-url.js';
import type { QueuedJob } from './queue.js';
import { delayAfter } from './retry.js';
import type { AttemptReport } from './tail.js';
import type { CallResult, Target, WebhookCall } from './webhook.js';

/** Why an event did not arrive. */
export type DropCause =
  /** The receiver answered that it never will take it, or may not be called. */
  | 'rejected'
  /** The last attempt failed. */
  | 'exhausted'
  /** Too many were waiting for this receiver. */
  | 'queue_full'
  /** The gateway stopped first. */
  | 'stopping'
  /** Another node has the session, and delivers what this one has not. */
  | 'moved';

/** What is delivered, to whom. */
export interface Parcel {
  deliveryId: string;
  clientId: string;
  /** The event's type and message. */
  type: string;
  messageId: string;
  url: string;
  token: string;
  /** The event as JSON. */
  body: Buffer;
  /** The caller keeps the event and announces it again after a stop. */
  keptByCaller: boolean;
  /** Asked when nobody answers at the address: where the event goes instead, if anywhere. */
  unanswered?: () => Receiver | undefined;
  gone?: () => boolean;
}

/** Where a session's events go. */
export interface Receiver {
  url: string;
  /** Empty when there is none. */
  token: string;
  /** Asked when nobody answers there: where the event goes instead; it is given up when that is undefined. */
  unanswered?: () => Receiver | undefined;
  /** True once nobody is there any more: an event that got no answer does not wait for attempts that will get none. */
  gone?: () => boolean;
}

/** What a delivery needs of its surroundings. */
export interface DeliveryRoom {
  clock: Clock;
  /** A number from 0 to 1 that spreads retries. */
  random(): number;
  /** The gateway stops: an attempt that fails now says nothing of the receiver. */
  stopping(): boolean;
  /** The session is another node's, which delivers what its journal keeps. */
  moved(parcel: Parcel): boolean;
  /** Makes one call; never rejects. */
  post(parcel: Parcel, call: WebhookCall): Promise<CallResult>;
  /** Told of each attempt. */
  attempted(parcel: Parcel, report: AttemptReport): void;
  /** Told when nobody answered: true when the event is on its way to another receiver, and this delivery is over. */
  redirected(parcel: Parcel): boolean;
  /** Told once, at the end. */
  delivered(parcel: Parcel): void;
  /** Told once, at the end. `reason` is for people. */
  dropped(parcel: Parcel, cause: DropCause, reason: string, attempts: number): void;
}

const GIVEN_UP = {
  queue_full: 'too many events were waiting for this receiver',
  stopping: 'the gateway stopped before the event was delivered',
  moved: 'the session moved to another node before the event was delivered',
} as const;

/** One event on its way to one receiver. */
export class Delivery implements QueuedJob {
  readonly #parcel: Parcel;
  readonly #target: Target;
  readonly #room: DeliveryRoom;
  #attempts = 0;
  #lastReason = '';
  #answered = false;

  constructor(parcel: Parcel, target: Target, room: DeliveryRoom) {
    this.#parcel = parcel;
    this.#target = target;
    this.#room = room;
  }

  get origin(): string {
    return this.#target.origin;
  }

  async attempt(): Promise<number | undefined> {
    if (this.#parcel.keptByCaller && this.#room.moved(this.#parcel)) {
      this.giveUp('moved');
      return undefined;
    }
    if (!this.#answered && this.#parcel.gone?.() && this.#room.redirected(this.#parcel)) return undefined;
    const startedAt = this.#room.clock.now();
    const { token, deliveryId, type, body } = this.#parcel;
    const attempt = ++this.#attempts;
    const call = { target: this.#target, token, deliveryId, type, body, attempt };
    const result = await this.#room.post(this.#parcel, call);
    this.#answered ||= result.status !== 0;
    this.#report(result, startedAt);
    return this.#decide(result);
  }

  giveUp(cause: keyof typeof GIVEN_UP): void {
    const last = this.#lastReason && ` (last attempt: ${this.#lastReason})`;
    this.#room.dropped(this.#parcel, cause, GIVEN_UP[cause] + last, this.#attempts);
  }

  #report(result: CallResult, startedAt: number): void {
    const { deliveryId, type, messageId, url } = this.#parcel;
    const { outcome, status, reason } = result;
    const durationMs = this.#room.clock.now() - startedAt;
    const attempt = this.#attempts;
    this.#lastReason = reason;
    this.#room.attempted(this.#parcel, {
      deliveryId,
      type,
      messageId,
      url: shownUrl(url),
      attempt,
      outcome,
      status,
      reason,
      durationMs,
    });
  }

  /** Ends the delivery, or tells in how many milliseconds it goes on. */
  #decide({ outcome, status, reason }: CallResult): number | undefined {
    if (outcome === 'delivered') {
      this.#room.delivered(this.#parcel);
      return undefined;
    }
    if (outcome === 'failed' && this.#room.stopping()) {
      this.giveUp('stopping');
      return undefined;
    }
    const delay = outcome === 'failed' ? delayAfter(this.#attempts, this.#room.random()) : undefined;
    if (delay === undefined && !(status === 0 && this.#room.redirected(this.#parcel))) {
      const cause = outcome === 'rejected' ? 'rejected' : 'exhausted';
      this.#room.dropped(this.#parcel, cause, reason, this.#attempts);
    }
    return delay;
  }
}
