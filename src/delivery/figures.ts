import type { AttemptReport } from './tail.js';

/** What came of the last POST to a session's receiver. */
export interface LastAttempt {
  /** RFC 3339. */
  at: string;
  /** Scheme, host and port of the receiver; empty when its address is none. */
  origin: string;
  type: string;
  attempt: number;
  outcome: AttemptReport['outcome'];
  /** The receiver's HTTP status; 0 when there was no answer. */
  status: number;
  /** For people; empty when delivered. */
  reason: string;
  durationMs: number;
}

/** A session's deliveries, in numbers. */
export interface DeliveryFigures {
  /** For a free place, or for their next attempt. */
  waiting: number;
  /** Calls under way. */
  inFlight: number;
  /** Since the start: events that arrived, and that were given up. */
  delivered: number;
  dropped: number;
  /** Since the start; absent while there was none. */
  last?: LastAttempt;
}

interface Entry {
  open: number;
  inFlight: number;
  delivered: number;
  dropped: number;
  last: LastAttempt | undefined;
  /** Its session is gone; what is still open of it is not worth keeping. */
  forgotten: boolean;
}

const NONE: DeliveryFigures = { waiting: 0, inFlight: 0, delivered: 0, dropped: 0 };

/** Counts deliveries by session as things happen: a few numbers for each, so that asking costs nothing. */
export class FiguresBySession {
  readonly #entries = new Map<string, Entry>();

  of(clientId: string): DeliveryFigures {
    const entry = this.#entries.get(clientId);
    if (!entry) return NONE;
    const { open, inFlight, delivered, dropped, last } = entry;
    return { waiting: Math.max(0, open - inFlight), inFlight, delivered, dropped, ...(last && { last }) };
  }

  /** A delivery has begun. */
  begun(clientId: string): void {
    const entry = this.#entry(clientId);
    entry.open += 1;
    entry.forgotten = false;
  }

  /** Counts a call as under way while it is. */
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

  /** A delivery has ended. */
  ended(clientId: string, delivered: boolean): void {
    const entry = this.#entry(clientId);
    entry.open -= 1;
    entry[delivered ? 'delivered' : 'dropped'] += 1;
    if (entry.forgotten && entry.open === 0) this.#entries.delete(clientId);
  }

  /** The session is gone. */
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
