import type { HistoricMessage } from '../../port/history.js';

/** Messages of one second that are held back at most. */
const MAX_HELD = 200;

/**
 * Puts the messages of one second into the order in which they were written. A history tells the newest first, but the
 * network's time counts whole seconds, and whoever reads on can only go by the order.
 */
export class SameSecond {
  #held: HistoricMessage[] = [];

  /** @returns what is in order now: the messages of the second before. */
  add(message: HistoricMessage): HistoricMessage[] {
    const [first] = this.#held;
    const isSame = first?.chat === message.chat && first.timestamp === message.timestamp;
    if (isSame && this.#held.length < MAX_HELD) {
      this.#held.push(message);
      return [];
    }
    const isForward = first?.chat === message.chat && first.timestamp < message.timestamp;
    const ordered = isForward ? this.#held : this.#held.reverse();
    this.#held = [message];
    return ordered;
  }

  /** Nothing comes any more. */
  end(): HistoricMessage[] {
    return this.#held.reverse();
  }
}
