import { type Clock, wait } from '../../domain/clock.js';

/** A load is followed by a pause of so many times its own time, so that it takes a daemon a quarter of it at most. */
const PAUSE_FACTOR = 3;
const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

export interface CoalescedOptions {
  load(): Promise<void>;
  /** Told of a load that failed; false when trying again is of no use. */
  failed(error: unknown): boolean;
  clock: Clock;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * A load that is asked for far more often than it can be carried out: one runs at a time, and one more for everybody who
 * asked meanwhile. One that failed is tried again by itself, after longer and longer pauses.
 */
export class Coalesced {
  readonly #options: CoalescedOptions;
  #waiting: (() => void)[] = [];
  #running = false;
  #pause = new AbortController();
  #retryMs = FIRST_RETRY_MS;

  constructor(options: CoalescedOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#pause.abort(), { once: true });
  }

  /** Resolves when a load has ended, well or not, that began after this call; and when it is all over. */
  request(): Promise<void> {
    const { signal } = this.#options;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#running) void this.#run();
    });
  }

  /** Ends the pause that is under way: what made it necessary is over, or somebody waits. */
  hurry(): void {
    this.#pause.abort();
  }

  async #run(): Promise<void> {
    const { clock, signal } = this.#options;
    this.#running = true;
    while (this.#waiting.length > 0 && !signal.aborted) {
      const served = this.#waiting.splice(0);
      const startedAt = clock.now();
      const pause = (await this.#load()) ?? pauseAfter(clock.now() - startedAt);
      for (const resolve of served) resolve();
      this.#pause = new AbortController();
      if (!signal.aborted) await wait(clock, pause, this.#pause.signal);
    }
    this.#running = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** @returns how long to wait for the next attempt after a failure */
  async #load(): Promise<number | undefined> {
    try {
      await this.#options.load();
      this.#retryMs = FIRST_RETRY_MS;
      return undefined;
    } catch (error) {
      if (this.#options.signal.aborted || !this.#options.failed(error)) return undefined;
      this.#waiting.push(() => undefined);
      const pause = this.#retryMs;
      this.#retryMs = Math.min(pause * 2, LONGEST_RETRY_MS);
      return pause;
    }
  }
}

function pauseAfter(tookMs: number): number {
  return Math.min(Math.max(tookMs * PAUSE_FACTOR, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
}
