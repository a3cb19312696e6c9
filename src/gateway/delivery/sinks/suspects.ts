import type { Clock, EpochMs } from '../../../domain/clock.js';

/** Milliseconds after which an earlier suspicion no longer counts. */
const FORGOTTEN_MS = 24 * 60 * 60_000;
/** Factor by which each further suspicion raises the number of required good attempts. */
const GROWTH = 4;
const MOST_ATTEMPTS = 4_096;

interface Suspicion {
  /** Successful isolated attempts that are still required before the broker shares a process again. */
  left: number;
  /** Isolated attempts that the last suspicion required. */
  took: number;
  since: EpochMs;
}

/**
 * Brokers, by their addresses, that were connected when a process ended: one of them is the cause. The next 1, 4, 16, …
 * attempts of each suspect run isolated, more with each new suspicion, so that a broker that behaves well in isolation
 * cannot disturb the others for ever.
 */
export class Suspects {
  readonly #clock: Clock;
  readonly #all = new Map<string, Suspicion>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the next attempt must be made alone. */
  has(url: string): boolean {
    return (this.#all.get(url)?.left ?? 0) > 0;
  }

  add(urls: readonly string[]): void {
    const since = this.#clock.now();
    for (const [url, known] of this.#all) if (since - known.since > FORGOTTEN_MS) this.#all.delete(url);
    for (const url of urls) {
      const took = Math.min((this.#all.get(url)?.took ?? 1 / GROWTH) * GROWTH, MOST_ATTEMPTS);
      this.#all.set(url, { left: took, took, since });
    }
  }

  /** Counts an isolated attempt that ended without a crash. */
  passed(url: string): void {
    const known = this.#all.get(url);
    if (known) known.left = Math.max(0, known.left - 1);
  }
}
