import type { Clock } from '../../domain/clock.js';

/** Milliseconds for which items are collected: a storm of events must not become one of drawings. */
const COLLECT_MS = 50;

/** Hands items on together, a moment after the first of them came. */
export class Batch<Item> {
  readonly #clock: Clock;
  readonly #take: (items: readonly Item[]) => void;
  #items: Item[] = [];
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, take: (items: readonly Item[]) => void) {
    this.#clock = clock;
    this.#take = take;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length === 1) this.#cancel = this.#clock.after(COLLECT_MS, () => this.#flush());
  }

  /** Forgets what has not been handed on. */
  clear(): void {
    this.#items = [];
    this.#cancel();
  }

  #flush(): void {
    const items = this.#items;
    this.#items = [];
    this.#take(items);
  }
}
