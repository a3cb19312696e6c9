import { BETWEEN_PLACES, placesIn } from '../../delivery/tail.js';

/** Nodes that are gone, of which an id still tells how far the client had come: they may only have been cut off. */
const GONE_KEPT = 8;
/** Nodes that an id names. */
const MAX_PLACES = 128;
/** Characters of the longest place, with the dot behind it. */
const PLACE_LENGTH = 33;
/** Characters of an id. */
export const ID_LENGTH = MAX_PLACES * PLACE_LENGTH;

/**
 * How far one client has come at each node. Its text is the id of what the client was told last, from which it goes on
 * at any node: of one node `<epoch>-<number>`, of several those, with dots in between.
 */
export class Places {
  /** By epoch; nodes that are gone in the order in which they went. */
  readonly #numbers: Map<string, number>;
  readonly #here = new Set<string>();

  /** @param earlier the id that a client comes back with */
  constructor(earlier = '') {
    this.#numbers = new Map(placesIn(earlier).map(({ epoch, number }) => [epoch, number]));
  }

  /** The node of that id tells what comes after it. What the client was told of it before counts more. */
  join(id: string): void {
    for (const { epoch, number } of placesIn(id)) {
      if (!this.#numbers.has(epoch)) this.#numbers.set(epoch, number);
      this.#here.add(epoch);
    }
  }

  /** The node of that id tells nothing any more. */
  leave(id: string): void {
    for (const { epoch } of placesIn(id)) {
      const number = this.#numbers.get(epoch);
      this.#here.delete(epoch);
      this.#numbers.delete(epoch);
      if (number !== undefined) this.#numbers.set(epoch, number);
    }
    this.forgetGone();
  }

  /** Of the nodes that do not tell anything, only the last ones are worth naming. */
  forgetGone(): void {
    const gone = [...this.#numbers.keys()].filter((epoch) => !this.#here.has(epoch));
    for (const epoch of gone.slice(0, Math.max(0, gone.length - GONE_KEPT))) this.#numbers.delete(epoch);
  }

  /** The client is told the entry of that id. */
  advance(id: string): void {
    for (const { epoch, number } of placesIn(id)) this.#numbers.set(epoch, number);
  }

  toString(): string {
    const places = [...this.#numbers].slice(0, MAX_PLACES);
    return places.map(([epoch, number]) => `${epoch}-${number}`).join(BETWEEN_PLACES);
  }
}
