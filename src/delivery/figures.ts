import type { AttemptReport } from './tail.js';

/** The last POST to a session's receiver. */
interface LastAttempt {
  /** RFC 3339. */
  at: string;
  /** Scheme, host and port of the receiver; empty if its address is invalid. */
  origin: string;
  type: string;
  attempt: number;
  outcome: AttemptReport['outcome'];
  /** The receiver's HTTP status; 0 without an answer. */
  status: number;
  /** For people; empty if delivered. */
  reason: string;
  durationMs: number;
}

/** Counts of a session's deliveries. */
export interface DeliveryFigures {
  /** Deliveries that wait for a connection or for their next attempt. */
  waiting: number;
  /** Calls in flight. */
  inFlight: number;
  /** Events delivered and dropped since the start. */
  delivered: number;
  dropped: number;
  /** Since the start; absent before the first. */
  last?: LastAttempt;
}

interface Entry {
  open: number;
  inFlight: number;
  delivered: number;
  dropped: number;
  last: LastAttempt | undefined;
  /** The session was deleted: drop the entry when its last delivery ends. */
  forgotten: boolean;
}

const NONE: DeliveryFigures = { waiting: 0, inFlight: 0, delivered: 0, dropped: 0 };

/** Counts deliveries by session as they happen, so that reading the counts is cheap. */
export class FiguresBySession {
  readonly #entries = new Map<string, Entry>();

  of(clientId: string): DeliveryFigures {
    const entry = this.#entries.get(clientId);
    if (!entry) return NONE;
    const { open, inFlight, delivered, dropped, last } = entry;
    return { waiting: Math.max(0, open - inFlight), inFlight, delivered, dropped, ...(last && { last }) };
  }

  begun(clientId: string): void {
    const entry = this.#entry(clientId);
    entry.open += 1;
    entry.forgotten = false;
  }

  /** Counts a call as in flight while it runs. */
  async during<T>(clientId: string, call: () => Promise<T>): Promise<T> {
    const entry = this.#entry(clientId);
    entry.inFlight += 1;
    try {
      return await call();
    } finally {
      entry.inFlight -= 1;
    }
  }

  attempted(clientId: string, at: string, report: AttemptReport): void {
    const { url, type, attempt, outcome, status, reason, durationMs } = report;
    const origin = URL.canParse(url) ? new URL(url).origin : '';
    this.#entry(clientId).last = { at, origin, type, attempt, outcome, status, reason, durationMs };
  }

  ended(clientId: string, delivered: boolean): void {
    this.count(clientId, delivered);
    this.handedOver(clientId);
  }

  /** The delivery ends here without a result: the durable deliveries, or the caller, continue it. */
  handedOver(clientId: string): void {
    const entry = this.#entry(clientId);
    entry.open -= 1;
    if (entry.forgotten && entry.open === 0) this.#entries.delete(clientId);
  }

  /** Counts an event of a durable queue, which is not counted as begun. */
  count(clientId: string, delivered: boolean): void {
    this.#entry(clientId)[delivered ? 'delivered' : 'dropped'] += 1;
  }

  forget(clientId: string): void {
    const entry = this.#entries.get(clientId);
    if (!entry) return;
    if (entry.open === 0) this.#entries.delete(clientId);
    else Object.assign(entry, { forgotten: true, delivered: 0, dropped: 0, last: undefined });
  }

  #entry(clientId: string): Entry {
    const known = this.#entries.get(clientId);
    if (known) return known;
    const entry = { open: 0, inFlight: 0, delivered: 0, dropped: 0, last: undefined, forgotten: false };
    this.#entries.set(clientId, entry);
    return entry;
  }
}
