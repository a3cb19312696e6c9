import { type Clock, wait } from '../../../domain/clock.js';
import { doubling, pauseAfter } from '../../../domain/retry.js';

/** The pause after a load, as a multiple of its duration: loads take at most a quarter of the time. */
const PAUSE_FACTOR = 3;
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const RETRY = { pausesMs: doubling(1_000, 30_000), endless: true } as const;

interface CoalescedOptions {
  load(): Promise<void>;
  /** Called after a failed load. @returns false if a retry is pointless */
  failed(error: unknown): boolean;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Coalesces requests for a load: one load runs at a time, and one more serves all requests that came meanwhile. Retries a
 * failed load with backoff.
 */
export class CoalescedLoad {
  readonly #options: CoalescedOptions;
  #waiting: (() => void)[] = [];
  #running = false;
  #pause = new AbortController();
  #failures = 0;

  constructor(options: CoalescedOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#pause.abort(), { once: true });
  }

  /** Resolves after a load that began after this call, successful or not, or when the signal aborts. */
  request(): Promise<void> {
    const { signal } = this.#options;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#running) void this.#run();
    });
  }

  /** Skips the current pause. */
  hurry(): void {
    this.#pause.abort();
  }

  async #run(): Promise<void> {
    const { clock, signal } = this.#options;
    this.#running = true;
    while (this.#waiting.length > 0 && !signal.aborted) {
      const served = this.#waiting.splice(0);
      const startedAt = clock.now();
      const pause = (await this.#load()) ?? pauseFor(clock.now() - startedAt);
      for (const resolve of served) resolve();
      this.#pause = new AbortController();
      if (!signal.aborted) await wait(clock, pause, this.#pause.signal);
    }
    this.#running = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** @returns after a failure, the milliseconds until the retry */
  async #load(): Promise<number | undefined> {
    try {
      await this.#options.load();
      this.#failures = 0;
      return undefined;
    } catch (error) {
      if (this.#options.signal.aborted || !this.#options.failed(error)) return undefined;
      this.#waiting.push(() => undefined);
      this.#failures += 1;
      return pauseAfter(RETRY, this.#failures);
    }
  }
}

function pauseFor(tookMs: number): number {
  return Math.min(Math.max(tookMs * PAUSE_FACTOR, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}
