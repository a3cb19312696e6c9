import type { FleetState } from './model.js';

const EMPTY: FleetState = {
  connection: { state: 'connecting' },
  loading: true,
  clockAheadMs: 0,
  nodes: [],
  sessions: [],
  opened: undefined,
  notice: undefined,
};

/** The one state of a fleet, and those who want to know when it changes. */
export class FleetBox {
  readonly #listeners = new Set<() => void>();
  #state = EMPTY;

  get state(): FleetState {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  update(changes: Partial<FleetState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}
