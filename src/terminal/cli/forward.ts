import PQueue from 'p-queue';
import type { TailEntry } from '../../contract/events/stream-entry.js';
import { shownUrl } from '../../domain/text.js';
import { type WebhookFacts, webhookHeaders } from '../../domain/webhook-headers.js';
import { CliError } from './errors.js';
import { exchange } from './http.js';

export interface ForwardTarget {
  url: string;
  /** Bearer token and signing key; empty for no authentication. */
  token: string;
}

/** Result of a forwarded call. */
export interface Forwarded {
  /** URL without secrets. */
  url: string;
  /** The HTTP status; 0 when there was no answer. */
  status: number;
  /** Why the target did not accept the event; empty if it replied with 2xx. */
  reason: string;
  durationMs: number;
}

/** POSTs an event as the gateway would. Redirects are not followed. Never rejects. */
export async function forwardEvent(
  { url, token }: ForwardTarget,
  event: Omit<WebhookFacts, 'token' | 'body'> & { body: string },
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<Forwarded> {
  const headers = webhookHeaders({ ...event, token, body: Buffer.from(event.body) }, Date.now());
  const { status, problem, ms } = await post(new URL(url), { headers, body: event.body, timeoutMs, signal });
  const refusal = status >= 200 && status < 300 ? '' : `answered ${status}`;
  return { url: shownUrl(url), status, reason: problem || refusal, durationMs: ms };
}

/** Answer of a receiver. */
export interface Answer {
  /** HTTP status; 0 without an answer. */
  status: number;
  /** Why there was no answer. */
  problem: string;
  ms: number;
}

/** Makes one call to a receiver. Redirects are not followed. Never rejects. */
export async function post(
  url: URL,
  {
    headers,
    body,
    timeoutMs,
    signal,
  }: { headers: Readonly<Record<string, string>>; body: string; timeoutMs: number; signal?: AbortSignal },
): Promise<Answer> {
  const startedAt = performance.now();
  const ended = (status: number, problem = ''): Answer => {
    return { status, problem, ms: Math.round(performance.now() - startedAt) };
  };
  const deadline = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  try {
    const { status } = await exchange(url, { method: 'POST', headers, body, timeoutMs, signal: either });
    return ended(status);
  } catch (error) {
    if (deadline.aborted && !signal?.aborted) return ended(0, `no answer within ${timeoutMs / 1_000} s`);
    return ended(0, error instanceof CliError ? error.message : String(error));
  }
}

/** Milliseconds that a receiver has for one call. */
export const CALL_TIMEOUT_MS = 15_000;
/** Calls at the same time, and waiting events. */
const CONCURRENCY = 8;
const WAITING = 1_000;
/** Milliseconds for calls in flight when the tail ends. */
const END_GRACE_MS = 2_000;

type EventEntry = Extract<TailEntry, { kind: 'event' }>;

/** Result of forwarding an event of the tail. */
export interface ForwardReport extends Forwarded {
  kind: 'forward';
  /** RFC 3339. */
  at: string;
  clientId: string;
  type: string;
  /** Empty for events without a message. */
  messageId: string;
  /** `dropped` if too many events were waiting. */
  outcome: 'delivered' | 'failed' | 'dropped';
}

/** Forwards events of the tail to a URL. A slow target loses events but never delays the tail. */
export class TailForwarder {
  readonly #target: ForwardTarget;
  readonly #onReport: (id: string, report: ForwardReport) => void;
  readonly #waiting: number;
  readonly #queue = new PQueue({ concurrency: CONCURRENCY });
  readonly #end = new AbortController();
  #lost = 0;

  /**
   * @param onReport called once per event, with its id in the tail
   * @param waiting events that may wait
   */
  constructor(
    target: ForwardTarget,
    onReport: (id: string, report: ForwardReport) => void,
    waiting: number = WAITING,
  ) {
    this.#target = target;
    this.#onReport = onReport;
    this.#waiting = waiting;
  }

  /** Takes an event; returns at once. */
  add(id: string, entry: EventEntry): void {
    if (this.#queue.size < this.#waiting) {
      void this.#queue.add(() => this.#forward(id, entry));
      return;
    }
    const url = shownUrl(this.#target.url);
    const dropped = { url, status: 0, reason: 'too many events are waiting for this target', durationMs: 0 };
    this.#report(id, entry, dropped, 'dropped');
  }

  /** Drops waiting events and soon aborts calls in flight. @returns the number of events that were not delivered */
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
    const forwarded = await forwardEvent(this.#target, facts, { timeoutMs: CALL_TIMEOUT_MS, signal });
    this.#report(id, entry, forwarded, forwarded.reason ? 'failed' : 'delivered');
  }

  #report(id: string, entry: EventEntry, forwarded: Forwarded, outcome: ForwardReport['outcome']): void {
    if (outcome !== 'delivered') this.#lost += 1;
    const { clientId, event } = entry;
    const messageId = 'messageId' in event ? event.messageId : '';
    const at = new Date().toISOString();
    const of = { kind: 'forward', at, clientId, type: event.type, messageId } as const;
    this.#onReport(id, { ...of, outcome, ...forwarded });
  }
}
