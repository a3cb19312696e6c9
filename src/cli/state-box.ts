/** The one state of a screen, an immutable value, and those who want to know when it changes. */
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

  /** Calls back after every change; the returned function ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes what a change makes of the state; the same state tells nobody. */
  update(change: (state: State) => State): void {
    const next = change(this.#state);
    if (this.#closed || next === this.#state) return;
    this.#state = next;
    for (const listener of this.#listeners) listener();
  }

  /** Resolves when the state fits; early, with false, when the signal aborts. */
  until(fits: (state: State) => boolean, signal: AbortSignal): Promise<boolean> {
    if (fits(this.#state)) return Promise.resolve(true);
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (fit: boolean) => {
        unsubscribe();
        signal.removeEventListener('abort', giveUp);
        resolve(fit);
      };
      const giveUp = () => end(false);
      const unsubscribe = this.subscribe(() => fits(this.#state) && end(true));
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Nothing changes any more. */
  close(): void {
    this.#closed = true;
    this.#listeners.clear();
  }
}
