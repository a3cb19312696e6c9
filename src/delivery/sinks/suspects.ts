import type { Clock } from '../../domain/clock.js';

/** Milliseconds after which an earlier suspicion no longer counts. */
const FORGOTTEN_MS = 24 * 60 * 60_000;
/** Each further suspicion takes so many times as many good attempts. */
const GROWTH = 4;
const MOST_ATTEMPTS = 4_096;

interface Suspicion {
  /** Good attempts alone until the broker shares a process again. */
  left: number;
  /** Those that the last suspicion took. */
  took: number;
  /** Milliseconds since the epoch. */
  since: number;
}

/**
 * Brokers, by their addresses, that were connected when a process ended: one of them is the cause. The next 1, 4, 16, … attempts of each
 * run alone, more of them each time that it is suspected again, so that a broker which behaves while it is alone cannot disturb the
 * others for ever.
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

  /** An attempt alone ended without a crash. */
  passed(url: string): void {
    const known = this.#all.get(url);
    if (known) known.left = Math.max(0, known.left - 1);
  }
}
