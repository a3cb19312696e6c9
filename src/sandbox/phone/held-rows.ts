import type { State } from '../state/state.js';

/** Beyond this a phone forgets the oldest. */
const MAX_ROWS = 10_000;
const SEQUENCE_DIGITS = 12;

/** Something that a phone keeps under a message's id. */
interface Held {
  messageId: string;
  /** The `proto.Message`, encoded. */
  source: Buffer;
}

/** What one phone keeps of a kind, oldest first: each a row of the kept state. */
export class HeldRows<Item extends Held> {
  readonly #rows = new Map<string, { row: string; item: Item }>();
  readonly #state: State;
  readonly #kind: 'message' | 'change';
  readonly #owner: string;
  #sequence = 0;

  /** @param owner the phone's key in the kept state. */
  constructor(kind: 'message' | 'change', owner: string, state: State) {
    this.#kind = kind;
    this.#owner = owner;
    this.#state = state;
  }

  get(messageId: string): Item | undefined {
    return this.#rows.get(messageId)?.item;
  }

  /** @returns id of the one that is too many; the caller removes it */
  add(item: Item): string | undefined {
    const row = `${this.#owner}/${String(++this.#sequence).padStart(SEQUENCE_DIGITS, '0')}`;
    this.#rows.set(item.messageId, { row, item });
    this.keep(item);
    const [oldest] = this.#rows.keys();
    return this.#rows.size > MAX_ROWS ? oldest : undefined;
  }

  /** Keeps what has changed in one. */
  keep(item: Item): void {
    const row = this.#rows.get(item.messageId)?.row;
    const serialise = () => JSON.stringify({ ...item, source: item.source.toString('base64') });
    if (row !== undefined) this.#state.put(this.#kind, row, serialise);
  }

  remove(messageId: string): void {
    const row = this.#rows.get(messageId)?.row;
    this.#rows.delete(messageId);
    if (row !== undefined) this.#state.remove(this.#kind, row);
  }

  /** Puts back a kept row. */
  restore(row: string, value: string): Item {
    const parsed = JSON.parse(value);
    const item: Item = { ...parsed, source: Buffer.from(parsed.source, 'base64') };
    this.#rows.set(item.messageId, { row, item });
    this.#sequence = Math.max(this.#sequence, Number(row.slice(row.lastIndexOf('/') + 1)));
    return item;
  }

  /** Oldest first. */
  *all(): Generator<Item> {
    for (const { item } of this.#rows.values()) yield item;
  }
}
