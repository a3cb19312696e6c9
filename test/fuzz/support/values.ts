import { randomInt } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const STRANGE_TEXTS = [
  '',
  ' ',
  '\0',
  '\u0007\u001b[31m',
  '\r\nX-Injected: 1',
  '\ud800',
  '\u202e\u2066',
  'ﷺ'.repeat(50),
  '👨‍👩‍👧‍👦',
  '../../../../etc/passwd',
  '%00%ff',
  '#{7*7}',
  '{{constructor}}',
  '<script>',
  "'; DROP TABLE sessions; --",
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  'null',
  '+',
  '@',
  '@lid',
  '1@lid',
  '@g.us',
  '1:2:3@lid',
  '15550000002@s.whatsapp.net',
  '120363000000000000@g.us',
  'status@broadcast',
  '123@newsletter',
  '+15550000002',
  '9'.repeat(30),
  'a'.repeat(129),
];
const NUMBERS = [0, -0, 1, -1, 0.1, 1e21, -1e308, 2 ** 31, 2 ** 53, 65_536, 1e-320];
const LONG_TEXT = 70_000;
const DEEP = 500;

/** Text that somebody may send by mistake or on purpose. */
export function strangeText(prng: Prng): string {
  if (prng.chance(0.01)) return prng.pick(['x', '\n', '€', '\0']).repeat(prng.int(300, LONG_TEXT));
  if (prng.chance(0.5)) return prng.pick(STRANGE_TEXTS);
  return Array.from({ length: prng.int(0, 40) }, () => String.fromCharCode(prng.int(0, 0xffff))).join('');
}

/** Any JSON value. */
export function strangeValue(prng: Prng, depth = 0): unknown {
  const kind = prng.int(0, depth > 3 ? 4 : 7);
  if (kind === 0) return strangeText(prng);
  if (kind === 1) return prng.pick(NUMBERS);
  if (kind === 2) return prng.chance(0.5);
  if (kind === 3) return null;
  if (kind === 4) return prng.pick([[], {}]);
  if (kind === 5) return Array.from({ length: prng.int(0, 5) }, () => strangeValue(prng, depth + 1));
  if (kind === 6 && prng.chance(0.05)) return nested(prng);
  return strangeObject(prng, depth);
}

/** An object of any shape. */
export function strangeObject(prng: Prng, depth = 0): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let fields = prng.int(0, 4); fields > 0; fields--) {
    Object.defineProperty(object, strangeText(prng), {
      value: strangeValue(prng, depth + 1),
      enumerable: true,
      configurable: true,
    });
  }
  return object;
}

function nested(prng: Prng): unknown {
  let value: unknown = 1;
  const wrap = prng.chance(0.5) ? (inner: unknown) => [inner] : (inner: unknown) => ({ a: inner });
  for (let depth = prng.int(10, DEEP); depth > 0; depth--) value = wrap(value);
  return value;
}

/** A run of random cases. SWITCHBOARD_FUZZ_SEED repeats one, SWITCHBOARD_FUZZ_CASES makes all of them longer or shorter. */
export class FuzzRun {
  readonly seed = Number(process.env.SWITCHBOARD_FUZZ_SEED ?? randomInt(2 ** 31));
  readonly cases: number;

  /** @param cases unless the environment says otherwise */
  constructor(cases: number) {
    this.cases = Number(process.env.SWITCHBOARD_FUZZ_CASES ?? cases);
  }

  /** Tells how to repeat the run. */
  announce(what: string): void {
    process.stdout.write(`    ${what}: SWITCHBOARD_FUZZ_SEED=${this.seed} (${this.cases} cases)\n`);
  }
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

/** Bytes of the heap and of buffers that are in use, garbage collected first. */
export function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  const gc: () => void = runInNewContext('gc');
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
