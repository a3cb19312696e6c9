import { setImmediate } from 'node:timers/promises';
import { boundedCache } from '../../domain/bounded-cache.js';
import { type MonotonicClock, wait } from '../../domain/clock.js';
import { LIMITS } from '../../domain/limits.js';

/** Milliseconds between two requests of one secret in the long run. */
const INTERVAL_MS = 1_000 / LIMITS.requestsPerSecondOfSecret;
/** Milliseconds by which a secret may exceed that rate for a short time. */
const AHEAD_MS = LIMITS.requestsAheadOfSecret * INTERVAL_MS;
/** Milliseconds that a request waits at most. */
const LONGEST_MS = 10_000;
/**
 * Turns of the event loop between the starts of two requests of one secret: almost no time on an idle node, and on a
 * busy one as long as the work of earlier requests.
 */
const TURNS_APART = 16;
/** Milliseconds during which the requests of a secret yield after a request of another caller. */
const RECENT_MS = 100;
/** A yielding request waits this many times the duration of these turns, and at most `LONGEST_YIELD_MS`. */
const YIELD = 4;
const LONGEST_YIELD_MS = 75;
/** Secrets that are remembered. */
const MAX_SECRETS = 10_000;

/**
 * Spreads the requests of each per-session secret over time, so that a node serves other callers in between. Requests
 * that arrive together start one after another, and later if the node is busy with other callers. The limit of requests
 * in flight bounds the number of waiting requests.
 */
export class TenantThrottle {
  readonly #clock: MonotonicClock;
  /** The time up to which each secret has used its rate, on the monotonic clock. */
  readonly #usedUntil = boundedCache<number>(MAX_SECRETS);
  /** By secret: resolves when the next request may start. */
  readonly #begins = new Map<string, Promise<void>>();
  /** The last request that did not wait, and the last one of a different caller, on the monotonic clock. */
  #latest = { caller: '', at: Number.NEGATIVE_INFINITY };
  #former = this.#latest;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  /**
   * Resolves when a request may begin.
   * @param bodyBytes length of its body, for which later requests wait; 0 if the caller does not declare it
   * @param gone ends the wait when the caller has gone
   */
  async begin(secret: string, bodyBytes: number, gone: AbortSignal): Promise<void> {
    const waitMs = this.#use(secret, INTERVAL_MS) - AHEAD_MS - this.#clock.monotonic();
    this.addBody(secret, bodyBytes);
    if (waitMs > 0) await wait(this.#clock, waitMs, gone);
    else if (!this.#begins.has(secret)) this.note(secret);
    if (gone.aborted) this.#use(secret, -INTERVAL_MS);
    // the limit of requests in flight bounds this queue
    else await this.#turn(secret, gone);
  }

  /** Notes a request that starts without waiting; requests of other callers then yield. @param caller empty for the master token */
  note(caller = ''): void {
    if (caller !== this.#latest.caller) this.#former = this.#latest;
    this.#latest = { caller, at: this.#clock.monotonic() };
  }

  /** Resolves when the previous request of the secret has left time to other callers, or at once if there is none. */
  #turn(secret: string, gone: AbortSignal): Promise<void> {
    const before = this.#begins.get(secret) ?? Promise.resolve();
    const after = before
      .then(() => this.#leaveTime(secret, gone))
      .then(() => {
        if (this.#begins.get(secret) === after) this.#begins.delete(secret);
      });
    this.#begins.set(secret, after);
    return before;
  }

  async #leaveTime(secret: string, gone: AbortSignal): Promise<void> {
    const start = this.#clock.monotonic();
    for (let turn = 0; turn < TURNS_APART; turn++) await setImmediate();
    const now = this.#clock.monotonic();
    const other = this.#latest.caller === secret ? this.#former : this.#latest;
    const yieldMs = now - other.at < RECENT_MS ? Math.min((now - start) * YIELD, LONGEST_YIELD_MS) : 0;
    if (yieldMs > 0) await wait(this.#clock, yieldMs, gone);
  }

  /** Counts a body of undeclared length; later requests wait longer for it. */
  addBody(secret: string, bytes: number): void {
    // an injected request has no count of bytes
    if (!Number.isFinite(bytes)) return;
    this.#use(secret, Math.floor(bytes / LIMITS.bytesAsRequest) * INTERVAL_MS);
  }

  #use(secret: string, ms: number): number {
    const now = this.#clock.monotonic();
    const until = Math.max(this.#usedUntil.get(secret) ?? 0, now) + ms;
    const bounded = Math.min(until, now + AHEAD_MS + LONGEST_MS);
    this.#usedUntil.set(secret, bounded);
    return bounded;
  }
}
