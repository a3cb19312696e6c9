import { type Clock, wait } from '../domain/clock.js';

/** Requests under way, by session. */
export class Entries {
  readonly #open = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** A request begins; the returned function ends it, also when it is called more than once. */
  enter(clientId: string): () => void {
    this.#open.set(clientId, this.count(clientId) + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#leave(clientId);
    };
  }

  count(clientId: string): number {
    return this.#open.get(clientId) ?? 0;
  }

  /** Resolves when no request of the session is under way, or after a time (milliseconds). */
  async idle(clientId: string, clock: Clock, longestMs: number): Promise<void> {
    if (this.count(clientId) === 0) return;
    const done = new AbortController();
    const waiting = this.#waiting.get(clientId) ?? [];
    waiting.push(() => done.abort());
    this.#waiting.set(clientId, waiting);
    await wait(clock, longestMs, done.signal);
  }

  #leave(clientId: string): void {
    const left = this.count(clientId) - 1;
    if (left > 0) {
      this.#open.set(clientId, left);
      return;
    }
    this.#open.delete(clientId);
    const waiting = this.#waiting.get(clientId) ?? [];
    this.#waiting.delete(clientId);
    for (const tell of waiting) tell();
  }
}
