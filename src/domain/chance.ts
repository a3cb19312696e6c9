const RANGE = 2 ** 32;

/** Randomness that can be repeated: the same seed gives the same draws (the generator mulberry32). */
export class SeededChance {
  readonly seed: number;
  #state: number;

  /** @param seed a whole number from 0 to 2^32 - 1 */
  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1));
  }

  /** Picks one of several values. */
  pick<T>(first: T, ...others: T[]): T {
    return [first, ...others][this.between(0, others.length)] ?? first;
  }

  /** Returns the entries in random order. */
  shuffled<T>(entries: readonly T[]): T[] {
    const left = [...entries];
    return entries.flatMap(() => left.splice(this.between(0, left.length - 1), 1));
  }

  /** Draws a number from 0 to 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
  }
}
