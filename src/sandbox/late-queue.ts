import type { Clock } from '../domain/clock.js';

/** Holds things back for a while, and hands them on in the order in which they came. */
export class LateQueue<Thing> {
  readonly #clock: Clock;
  readonly #handOn: (thing: Thing) => void;
  #waiting: { thing: Thing; due: number }[] = [];
  #cancel?: () => void;

  constructor(clock: Clock, handOn: (thing: Thing) => void) {
    this.#clock = clock;
    this.#handOn = handOn;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Holds a thing for so many milliseconds, and longer if others are before it. */
  add(thing: Thing, ms: number): void {
    this.#waiting.push({ thing, due: this.#clock.now() + ms });
    if (this.#waiting.length === 1) this.#await();
  }

  /** Drops everything. */
  clear(): void {
    this.#cancel?.();
    this.#waiting = [];
  }

  #await(): void {
    const [first] = this.#waiting;
    if (!first) return;
    this.#cancel = this.#clock.after(Math.max(0, first.due - this.#clock.now()), () => {
      this.#waiting.shift();
      this.#handOn(first.thing);
      this.#await();
    });
  }
}
