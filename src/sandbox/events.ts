import type { NetworkEvent } from './api.js';

/** Spreads what happens on the network to whoever listens. Events are only made when somebody does. */
export class EventHub {
  readonly #listeners = new Set<(event: NetworkEvent) => void>();

  /** @returns a function that ends it. */
  listen(listener: (event: NetworkEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(make: () => NetworkEvent): void {
    if (this.#listeners.size === 0) return;
    const event = make();
    for (const listener of this.#listeners) listener(event);
  }
}
