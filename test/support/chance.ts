import { randomInt } from 'node:crypto';

const RANGE = 2 ** 32;

/**
 * Randomness that can be repeated: the same seed gives the same draws. Tests put the seed into their titles, and
 * `TEST_SEED` sets it.
 */
export class Chance {
  readonly seed: number;
  #state: number;

  constructor(seed = Number(process.env.TEST_SEED ?? randomInt(RANGE))) {
    this.seed = seed;
    this.#state = seed;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1));
  }

  /** One of several. */
  pick<T>(first: T, ...others: T[]): T {
    return [first, ...others][this.between(0, others.length)] ?? first;
  }

  /** From 0 to 1, by the generator mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
  }
}
