import { randomInt } from 'node:crypto';

/** How a fuzz run is repeated and lengthened: SWITCHBOARD_FUZZ_SEED and SWITCHBOARD_FUZZ_CASES. */
export const FUZZ = {
  seed: Number(process.env.SWITCHBOARD_FUZZ_SEED ?? randomInt(2 ** 31)),
  cases: Number(process.env.SWITCHBOARD_FUZZ_CASES ?? 10_000),
};

/** Tells how to repeat the run. */
export function announceSeed(what: string): void {
  process.stdout.write(`    ${what}: SWITCHBOARD_FUZZ_SEED=${FUZZ.seed} (${FUZZ.cases} cases)\n`);
}

/** Random values that follow from a seed alone (mulberry32). */
export class Prng {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A source of its own for one case, so that a case does not depend on how many values others took. */
  static forCase(seed: number, index: number): Prng {
    const prng = new Prng(seed ^ Math.imul(index + 1, 0x9e3779b1));
    prng.fraction();
    return prng;
  }

  /** 0 up to, but not, 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, both ends included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.int(0, from.length - 1)];
    if (picked === undefined) throw new Error('there is nothing to pick from');
    return picked;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.int(0, 255)));
  }

  /** So many characters of an alphabet. */
  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet.charAt(this.int(0, alphabet.length - 1))).join('');
  }
}
