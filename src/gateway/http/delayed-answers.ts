import { type Clock, wait } from '../../domain/clock.js';

/** Delays answers to slow down callers above their limits. The number of delayed answers is bounded, per key and for the node. */
export class DelayedAnswers {
  readonly #clock: Clock;
  readonly #limits: { ofKey: number; ofNode: number };
  readonly #delayed = new Map<string, number>();
  #all = 0;

  constructor(clock: Clock, limits: { ofKey: number; ofNode: number }) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Number of answers that are delayed now. */
  get count(): number {
    return this.#all;
  }

  /**
   * Waits, unless too many answers are delayed already.
   * @param gone ends the wait when the caller has gone
   * @returns false, at once, if too many answers are delayed
   */
  async delay(key: string, ms: number, gone: AbortSignal): Promise<boolean> {
    const delayed = this.#delayed.get(key) ?? 0;
    if (delayed >= this.#limits.ofKey || this.#all >= this.#limits.ofNode) return false;
    this.#add(key, 1);
    await wait(this.#clock, ms, gone);
    this.#add(key, -1);
    return true;
  }

  #add(key: string, change: 1 | -1): void {
    const delayed = (this.#delayed.get(key) ?? 0) + change;
    if (delayed > 0) this.#delayed.set(key, delayed);
    else this.#delayed.delete(key);
    this.#all += change;
  }
}
