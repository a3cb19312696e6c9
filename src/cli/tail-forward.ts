import PQueue from 'p-queue';
import type { TailEntry } from '../delivery/tail.js';
import { shownUrl } from '../domain/shown-url.js';
import { type Forwarded, type ForwardTarget, forwardEvent } from './listen/forward.js';

/** Milliseconds for one call, as a webhook has. */
const CALL_TIMEOUT_MS = 15_000;
/** Calls at the same time, and events that wait for their turn. */
const CONCURRENCY = 8;
const WAITING = 1_000;
/** Milliseconds that calls under way have when the tail ends. */
const END_GRACE_MS = 2_000;

type EventEntry = Extract<TailEntry, { kind: 'event' }>;

/** What came of handing one of the tail's events on. */
export interface ForwardReport extends Forwarded {
  kind: 'forward';
  /** RFC 3339. */
  at: string;
  clientId: string;
  type: string;
  /** Empty for events that are no message's. */
  messageId: string;
  /** `dropped` when too many were waiting. */
  outcome: 'delivered' | 'failed' | 'dropped';
}

export interface TailForwarderOptions {
  target: ForwardTarget;
  /** Told once for each event, with the tail's id of it. */
  onReport(id: string, report: ForwardReport): void;
  waiting?: number;
}

/** Hands a tail's events on to another address; one that is slow or dead loses events, and never holds up the tail. */
export class TailForwarder {
  readonly #options: TailForwarderOptions;
  readonly #queue = new PQueue({ concurrency: CONCURRENCY });
  readonly #end = new AbortController();
  #lost = 0;

  constructor(options: TailForwarderOptions) {
    this.#options = options;
  }

  /** Takes an event; returns at once. */
  add(id: string, entry: EventEntry): void {
    if (this.#queue.size < (this.#options.waiting ?? WAITING)) {
      void this.#queue.add(() => this.#forward(id, entry));
      return;
    }
    const url = shownUrl(this.#options.target.url);
    const dropped = { url, status: 0, reason: 'too many events were waiting for this target', durationMs: 0 };
    this.#report(id, entry, dropped, 'dropped');
  }

  /** Gives up what waits, and soon after what is under way. @returns how many events did not get there in the end */
  async end(): Promise<number> {
    this.#lost += this.#queue.size;
    this.#queue.clear();
    const timer = setTimeout(() => this.#end.abort(), END_GRACE_MS);
    await this.#queue.onIdle();
    clearTimeout(timer);
    return this.#lost;
  }

  async #forward(id: string, entry: EventEntry): Promise<void> {
    const { event } = entry;
    const facts = { type: event.type, deliveryId: id, attempt: 1, body: JSON.stringify(event) };
    const { signal } = this.#end;
    const forwarded = await forwardEvent(this.#options.target, facts, { timeoutMs: CALL_TIMEOUT_MS, signal });
    this.#report(id, entry, forwarded, forwarded.reason ? 'failed' : 'delivered');
  }

  #report(id: string, entry: EventEntry, forwarded: Forwarded, outcome: ForwardReport['outcome']): void {
    if (outcome !== 'delivered') this.#lost += 1;
    const { clientId, event } = entry;
    const messageId = 'messageId' in event ? event.messageId : '';
    const at = new Date().toISOString();
    const of = { kind: 'forward', at, clientId, type: event.type, messageId } as const;
    this.#options.onReport(id, { ...of, outcome, ...forwarded });
  }
}
