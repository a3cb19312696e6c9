import type { AttemptReport } from '../../contract/events/stream-entry.js';
import type { ReasonFields } from '../../domain/reasons.js';
import { originOf } from '../../domain/text.js';
import type { DeliveryJob } from './job.js';

/** The last POST to a receiver. */
interface LastAttempt extends ReasonFields {
  /** RFC 3339. */
  at: string;
  /** Scheme, host and port of the receiver; empty if its address is invalid. */
  origin: string;
  type: string;
  attempt: number;
  outcome: AttemptReport['outcome'];
  /** The receiver's HTTP status; 0 without an answer. */
  status: number;
  durationMs: number;
}

/** Counts of the deliveries to a receiver. */
export interface DeliveryFigures {
  /** Deliveries that wait for a connection or for their next attempt. */
  waiting: number;
  /** Calls in flight. */
  inFlight: number;
  /** Events delivered and dropped since the start. */
  delivered: number;
  dropped: number;
  /** The last attempt since the start; absent before the first one. */
  last?: LastAttempt;
}

interface Entry {
  open: number;
  inFlight: number;
  delivered: number;
  dropped: number;
  last: (AttemptReport & { at: string }) | undefined;
  /** The session or the receiver was deleted: drop the entry when its last delivery ends. */
  forgotten: boolean;
}

const NONE: DeliveryFigures = { waiting: 0, inFlight: 0, delivered: 0, dropped: 0 };

/** Names the receiver of a delivery; without an id the webhook. */
type To = Pick<DeliveryJob, 'clientId' | 'receiverId'>;

/** Counts deliveries by receiver as they happen, so that reading the counts is cheap. */
export class FiguresByReceiver {
  readonly #entries = new Map<string, Entry>();

  of(to: To): DeliveryFigures {
    const entry = this.#entries.get(keyOf(to));
    if (!entry) return NONE;
    const { open, inFlight, delivered, dropped, last } = entry;
    const waiting = Math.max(0, open - inFlight);
    if (!last) return { waiting, inFlight, delivered, dropped };
    const { at, url, type, attempt, outcome, status, reason, reasonCode, reasonValues, durationMs } = last;
    const shown = { at, origin: originOf(url), type, attempt, outcome, status, reason, durationMs };
    const coded = reasonCode && { reasonCode, reasonValues };
    return { waiting, inFlight, delivered, dropped, last: { ...shown, ...coded } };
  }

  begun(to: To): void {
    const entry = this.#entry(to);
    entry.open += 1;
    entry.forgotten = false;
  }

  /** Counts a call as in flight while it runs. */
  async during<T>(to: To, call: () => Promise<T>): Promise<T> {
    const entry = this.#entry(to);
    entry.inFlight += 1;
    try {
      return await call();
    } finally {
      entry.inFlight -= 1;
    }
  }

  attempted(to: To, at: string, report: AttemptReport): void {
    this.#entry(to).last = { ...report, at };
  }

  ended(to: To, delivered: boolean): void {
    this.count(to, delivered);
    this.handedOver(to);
  }

  /** Ends the count of a delivery without a result: the durable deliveries, or the caller, continue it. */
  handedOver(to: To): void {
    const entry = this.#entry(to);
    entry.open -= 1;
    if (entry.forgotten && entry.open === 0) this.#entries.delete(keyOf(to));
  }

  /** Counts the result of an event of a durable queue; its begin was not counted. */
  count(to: To, delivered: boolean): void {
    this.#entry(to)[delivered ? 'delivered' : 'dropped'] += 1;
  }

  /** Drops the counts of a session, or of one of its receivers. */
  forget(clientId: string, receiverId?: string): void {
    const only = receiverId === undefined ? undefined : keyOf({ clientId, receiverId });
    for (const [key, entry] of this.#entries) {
      if (only === undefined ? key.split(' ', 1)[0] !== clientId : key !== only) continue;
      if (entry.open === 0) this.#entries.delete(key);
      else Object.assign(entry, { forgotten: true, delivered: 0, dropped: 0, last: undefined });
    }
  }

  #entry(to: To): Entry {
    const key = keyOf(to);
    const known = this.#entries.get(key);
    if (known) return known;
    const entry = { open: 0, inFlight: 0, delivered: 0, dropped: 0, last: undefined, forgotten: false };
    this.#entries.set(key, entry);
    return entry;
  }
}

function keyOf({ clientId, receiverId }: To): string {
  return receiverId === undefined ? clientId : `${clientId} ${receiverId}`;
}
