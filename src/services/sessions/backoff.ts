/** Delays between attempts to connect: they double up to a cap, and are spread so that many sessions never move as one. */
export interface BackoffOptions {
  /** Milliseconds before the first repetition. */
  baseMs: number;
  /** Milliseconds at most. */
  capMs: number;
  /** A number from 0 to 1; replaced in tests. */
  random: () => number;
}

export const DEFAULT_BACKOFF: BackoffOptions = { baseMs: 1_000, capMs: 60_000, random: Math.random };

/** A link that held this long (milliseconds) ends a row of failures. */
export const STABLE_AFTER_MS = 30_000;

const JITTER = 0.25;

/**
 * Milliseconds to wait before the next attempt.
 * @param failures failed attempts in a row, 1 for the first.
 */
export function backoffDelay(failures: number, options: BackoffOptions = DEFAULT_BACKOFF): number {
  const exponential = options.baseMs * 2 ** Math.max(0, failures - 1);
  return spread(Math.min(exponential, options.capMs), options);
}

/** The longest delay, for what sooner cannot help. */
export function longestDelay(options: BackoffOptions = DEFAULT_BACKOFF): number {
  return spread(options.capMs, options);
}

function spread(delay: number, { random }: BackoffOptions): number {
  return Math.round(delay * (1 - JITTER + 2 * JITTER * random()));
}
