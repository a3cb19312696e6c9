import type { ChangeView } from '../api.js';
import type { State } from '../state/state.js';
import type { Sent } from './held-messages.js';
import { HeldRows } from './held-rows.js';

/** A change as a phone keeps it. */
export type HeldChange = ChangeView & Sent;

/** What changed the messages of one phone, oldest first. */
export class HeldChanges {
  readonly #changes: HeldRows<HeldChange>;

  /** @param owner the phone's key in the kept state. */
  constructor(owner: string, state: State) {
    this.#changes = new HeldRows('change', owner, state);
  }

  get(messageId: string): HeldChange | undefined {
    return this.#changes.get(messageId);
  }

  add(change: HeldChange): void {
    const oldest = this.#changes.add(change);
    if (oldest !== undefined) this.#changes.remove(oldest);
  }

  /** Somebody has another number. */
  renumber(before: string, after: string): void {
    for (const change of this.#changes.all()) {
      if (change.from !== before && change.to !== before) continue;
      if (change.from === before) change.from = after;
      if (change.to === before) change.to = after;
      this.#changes.keep(change);
    }
  }

  views(): ChangeView[] {
    return [...this.#changes.all()].map(viewChange);
  }

  restore(row: string, value: string): void {
    this.#changes.restore(row, value);
  }
}

export function viewChange({ source: _, shape: __, ...view }: HeldChange): ChangeView {
  return view;
}
