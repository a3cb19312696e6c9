/** The immutable state of a screen, with change listeners. */
export class StateBox<State> {
  readonly #listeners = new Set<() => void>();
  #state: State;
  #closed = false;

  constructor(state: State) {
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  /** Calls back after every change. @returns the unsubscribe function */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Replaces the state; notifies only if it is a new value. */
  update(change: (state: State) => State): void {
    const next = change(this.#state);
    if (this.#closed || next === this.#state) return;
    this.#state = next;
    for (const listener of this.#listeners) listener();
  }

  /** Resolves with true when the state matches, with false when the signal aborts. */
  until(fits: (state: State) => boolean, signal: AbortSignal): Promise<boolean> {
    if (fits(this.#state)) return Promise.resolve(true);
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (fit: boolean) => {
        unsubscribe();
        signal.removeEventListener('abort', abort);
        resolve(fit);
      };
      const abort = () => end(false);
      const unsubscribe = this.subscribe(() => fits(this.#state) && end(true));
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  /** Ignores further updates. */
  close(): void {
    this.#closed = true;
    this.#listeners.clear();
  }
}
