import { setImmediate } from 'node:timers/promises';
import { boundedCache } from '../domain/bounded-cache.js';
import { type MonotonicClock, wait } from '../domain/clock.js';
import { LIMITS } from '../domain/limits.js';

/** Milliseconds between two requests of one secret in the long run. */
const INTERVAL_MS = 1_000 / LIMITS.requestsPerSecondOfSecret;
/** Milliseconds by which a secret may be ahead of that. */
const AHEAD_MS = LIMITS.requestsAheadOfSecret * INTERVAL_MS;
/** Milliseconds that a request waits at most. */
const LONGEST_MS = 10_000;
/**
 * Turns of the event loop between the beginnings of two requests of one secret: next to nothing on an idle node, and as long as the
 * work of the requests before on a busy one.
 */
const TURNS_APART = 16;
/** Milliseconds for which a request of somebody else makes the requests of a secret yield. */
const RECENT_MS = 100;
/** How many times as long as these turns took such a request waits further, and for how many milliseconds at most. */
const YIELD = 4;
const LONGEST_YIELD_MS = 75;
/** Secrets that are remembered. */
const MAX_SECRETS = 10_000;

/**
 * Spreads the requests of each per-session secret over time, so that a node has time for the others between them: those that came at
 * once begin one after another, the later the busier the node is with others. The limit of requests in flight bounds how many wait.
 */
export class Pace {
  readonly #clock: MonotonicClock;
  /** When the time that a secret has used up ends, on the monotonic clock. */
  readonly #usedUntil = boundedCache<number>(MAX_SECRETS);
  /** By secret: resolves when the next request may begin. */
  readonly #begins = new Map<string, Promise<void>>();
  /** The last request that did not wait, and the last one of another caller, on the monotonic clock. */
  #latest = { caller: '', at: Number.NEGATIVE_INFINITY };
  #former = this.#latest;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  /**
   * Resolves when a request may begin.
   * @param bodyBytes length of its body, for which later requests wait; 0 where the caller does not declare it
   * @param gone ends the wait when the caller has gone
   */
  async begin(secret: string, bodyBytes: number, gone: AbortSignal): Promise<void> {
    const waitMs = this.#use(secret, INTERVAL_MS) - AHEAD_MS - this.#clock.monotonic();
    this.addBody(secret, bodyBytes);
    if (waitMs > 0) await wait(this.#clock, waitMs, gone);
    else if (!this.#begins.has(secret)) this.note(secret);
    if (gone.aborted) this.#use(secret, -INTERVAL_MS);
    // bounded by the limit of requests in flight
    else await this.#turn(secret, gone);
  }

  /** Notes a request that begins at once: those of others that came at once yield. @param caller empty for the master token */
  note(caller = ''): void {
    if (caller !== this.#latest.caller) this.#former = this.#latest;
    this.#latest = { caller, at: this.#clock.monotonic() };
  }

  /** Resolves when the request before has left time to others, at once where none came right before. */
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

  /** Notes a body whose length was not declared: later requests wait for it. */
  addBody(secret: string, bytes: number): void {
    // a request that did not come over a socket has no count
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
