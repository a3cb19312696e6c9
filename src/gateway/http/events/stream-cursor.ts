import { STREAM_POSITIONS } from '../../../contract/event-stream.js';
import { BETWEEN_PLACES, placesIn } from '../../delivery/tail.js';

/** Gone nodes whose positions an id keeps: a node may only have lost its connection. */
const GONE_KEPT = 8;

/**
 * One client's position in the stream of each node. Its text is the id of the client's last entry, with which it resumes at
 * any node: `<epoch>-<number>` for each node, separated by dots.
 */
export class StreamCursor {
  /** Numbers by epoch; gone nodes in the order in which they left. */
  readonly #numbers: Map<string, number>;
  readonly #here = new Set<string>();

  /** @param earlier the `Last-Event-ID` of the client */
  constructor(earlier = '') {
    this.#numbers = new Map(placesIn(earlier).map(({ epoch, number }) => [epoch, number]));
  }

  /** Adds a node whose stream begins after that id, unless the client already has a position at that node. */
  join(id: string): void {
    for (const { epoch, number } of placesIn(id)) {
      if (!this.#numbers.has(epoch)) this.#numbers.set(epoch, number);
      this.#here.add(epoch);
    }
  }

  /** Notes that a node's stream has ended. */
  leave(id: string): void {
    for (const { epoch } of placesIn(id)) {
      const number = this.#numbers.get(epoch);
      this.#here.delete(epoch);
      this.#numbers.delete(epoch);
      if (number !== undefined) this.#numbers.set(epoch, number);
    }
    this.forgetGone();
  }

  /** Keeps the positions of the last few gone nodes only. */
  forgetGone(): void {
    const gone = [...this.#numbers.keys()].filter((epoch) => !this.#here.has(epoch));
    for (const epoch of gone.slice(0, Math.max(0, gone.length - GONE_KEPT))) this.#numbers.delete(epoch);
  }

  /** Moves the position to the entry with that id. */
  advance(id: string): void {
    for (const { epoch, number } of placesIn(id)) this.#numbers.set(epoch, number);
  }

  toString(): string {
    const places = [...this.#numbers].slice(0, STREAM_POSITIONS);
    return places.map(([epoch, number]) => `${epoch}-${number}`).join(BETWEEN_PLACES);
  }
}
