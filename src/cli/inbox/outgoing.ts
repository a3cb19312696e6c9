import type { StateBox } from '../state-box.js';
import type { InboxState, OutgoingItem } from './model.js';

/** What is on its way, as the state shows it. */
export class Outgoing {
  readonly #box: StateBox<InboxState>;
  #count = 0;

  constructor(box: StateBox<InboxState>) {
    this.#box = box;
  }

  /** @returns its id */
  add(item: Omit<OutgoingItem, 'id'>): number {
    const id = ++this.#count;
    this.#box.update((state) => ({ ...state, outgoing: [...state.outgoing, { id, ...item }] }));
    return id;
  }

  /** How many bytes have gone. */
  progress(id: number, sent: number, total: number): void {
    this.#box.update((state) => ({
      ...state,
      outgoing: state.outgoing.map((item) =>
        item.id === id ? { ...item, progress: { sent: Math.min(sent, total), total } } : item,
      ),
    }));
  }

  /** It has arrived, or failed. */
  remove(id: number): void {
    this.#box.update((state) =>
      state.outgoing.some((item) => item.id === id)
        ? { ...state, outgoing: state.outgoing.filter((item) => item.id !== id) }
        : state,
    );
  }
}
