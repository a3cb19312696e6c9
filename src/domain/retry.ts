import type { Clock } from './clock.js';

/** Number of repetitions after failures, and the pauses between them. */
export interface RetryPolicy {
  /** Milliseconds before each repetition. */
  readonly pausesMs: readonly number[];
  /** Continue with the last pause after the end of the list; otherwise stop there. */
  readonly endless: boolean;
  /** Share of a pause by which it varies in both directions, so that many do not repeat at the same moment. */
  readonly jitter?: number;
}

/** A rate limit: a burst, and then one per interval. */
export interface RateLimit {
  readonly burst: number;
  /** Milliseconds until one more is allowed. */
  readonly everyMs: number;
}

/** Pauses that double, from the first up to the longest. */
export function doubling(firstMs: number, longestMs: number): number[] {
  const pausesMs: number[] = [];
  for (let pauseMs = firstMs; pauseMs < longestMs; pauseMs *= 2) pausesMs.push(pauseMs);
  return [...pausesMs, longestMs];
}

/**
 * Milliseconds to wait before the next repetition.
 * @param failures in a row, 1 after the first
 * @param random draws a number from 0 to 1
 * @returns undefined when there is no further repetition
 */
export function pauseAfter(
  policy: RetryPolicy & { endless: true },
  failures: number,
  random?: () => number,
): number;
export function pauseAfter(policy: RetryPolicy, failures: number, random?: () => number): number | undefined;
export function pauseAfter(
  { pausesMs, endless, jitter = 0 }: RetryPolicy,
  failures: number,
  random: () => number = Math.random,
): number | undefined {
  const pauseMs = pausesMs[failures - 1] ?? (endless ? pausesMs.at(-1) : undefined);
  return pauseMs === undefined ? undefined : Math.round(pauseMs * (1 + jitter * (2 * random() - 1)));
}

/** The longest pause of a policy, for failures that an earlier repetition cannot help. */
export function longestPause(policy: RetryPolicy, random?: () => number): number {
  const { pausesMs, ...rest } = policy;
  return pauseAfter({ ...rest, pausesMs: pausesMs.slice(-1), endless: true }, 1, random);
}

/** Counts down a rate limit. */
export class RateBudget {
  readonly #limit: RateLimit;
  readonly #clock: Pick<Clock, 'now'>;
  #left: number;
  #countedAt: number;

  constructor(limit: RateLimit, clock: Pick<Clock, 'now'>) {
    this.#limit = limit;
    this.#clock = clock;
    this.#left = limit.burst;
    this.#countedAt = clock.now();
  }

  /** Uses the budget once. @returns false if none is left */
  take(): boolean {
    const now = this.#clock.now();
    const { burst, everyMs } = this.#limit;
    this.#left = Math.min(burst, this.#left + Math.max(0, now - this.#countedAt) / everyMs);
    this.#countedAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
