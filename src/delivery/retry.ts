/**
 * The retry policy as data, and the small questions that are asked of it. Four attempts: the first at once, the others
 * after these delays, each up to `jitter` longer or shorter, so that receivers that come back are not met by a crowd.
 */
export const RETRY = {
  /** Milliseconds before the second, third and fourth attempt. */
  delaysMs: [500, 1_000, 2_000],
  /** Share of a delay by which it varies in both directions. */
  jitter: 0.2,
} as const;

/** What came of one attempt: `rejected` is for good, `failed` may be tried again. */
export type Outcome = 'delivered' | 'rejected' | 'failed';

const TOO_MANY_REQUESTS = 429;

/** What a receiver's HTTP status means. A redirect is a rejection: following it would be another receiver. */
export function outcomeOf(status: number): Outcome {
  if (isDelivered(status)) return 'delivered';
  return isWorthRetrying(status) ? 'failed' : 'rejected';
}

export function isDelivered(status: number): boolean {
  return status >= 200 && status < 300;
}

export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

export function isWorthRetrying(status: number): boolean {
  return status === TOO_MANY_REQUESTS || status >= 500;
}

/**
 * Milliseconds between an attempt and the next.
 * @param attempt the one that failed, from 1
 * @param random a number from 0 to 1
 * @returns undefined when it was the last
 */
export function delayAfter(attempt: number, random: number): number | undefined {
  const delay = RETRY.delaysMs[attempt - 1];
  return delay === undefined ? undefined : delay * (1 + RETRY.jitter * (2 * random - 1));
}
