import type { ChangeView } from '../api.js';
import type { State } from '../state/state.js';
import type { Sent } from './held-messages.js';

/** Beyond this a phone forgets the oldest: of changes only the tests of clients want to know more. */
const MAX_CHANGES = 10_000;

/** A change as a phone keeps it. */
export type HeldChange = ChangeView & Sent;

/** What changed the messages of one phone, oldest first. */
export class HeldChanges {
  readonly #changes = new Map<string, { row: string; change: HeldChange }>();
  readonly #state: State;
  readonly #owner: string;
  #sequence = 0;

  /** @param owner the phone's key in the kept state. */
  constructor(owner: string, state: State) {
    this.#owner = owner;
    this.#state = state;
  }

  get(messageId: string): HeldChange | undefined {
    return this.#changes.get(messageId)?.change;
  }

  add(change: HeldChange): void {
    const row = `${this.#owner}/${String(++this.#sequence).padStart(12, '0')}`;
    this.#changes.set(change.messageId, { row, change });
    this.#keep(row, change);
    const [oldest] = this.#changes.keys();
    if (this.#changes.size > MAX_CHANGES && oldest !== undefined) this.#forget(oldest);
  }

  /** Somebody has another number. */
  renumber(before: string, after: string): void {
    for (const { row, change } of this.#changes.values()) {
      if (change.from !== before && change.to !== before) continue;
      if (change.from === before) change.from = after;
      if (change.to === before) change.to = after;
      this.#keep(row, change);
    }
  }

  views(): ChangeView[] {
    return [...this.#changes.values()].map(({ change }) => viewChange(change));
  }

  restore(row: string, value: string): void {
    const parsed = JSON.parse(value);
    const change: HeldChange = { ...parsed, source: Buffer.from(parsed.source, 'base64') };
    this.#changes.set(change.messageId, { row, change });
    this.#sequence = Math.max(this.#sequence, Number(row.slice(row.lastIndexOf('/') + 1)));
  }

  #keep(row: string, change: HeldChange): void {
    this.#state.put('change', row, () =>
      JSON.stringify({ ...change, source: change.source.toString('base64') }),
    );
  }

  #forget(messageId: string): void {
    const row = this.#changes.get(messageId)?.row;
    this.#changes.delete(messageId);
    if (row !== undefined) this.#state.remove('change', row);
  }
}

export function viewChange({ source: _, shape: __, ...view }: HeldChange): ChangeView {
  return view;
}
