/**
 * Tracks the reads of a connection. After `close()` no read starts; `idle()` resolves when the running ones have finished, so that
 * the next connection of the session finds all keys and journal entries.
 */
export class InboundGate {
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  /**
   * Runs work that reads a message. After `close` the result never settles, so that the library can acknowledge nothing: the network
   * then delivers the message again.
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) return new Promise(() => undefined);
    const running = work();
    const settled = running
      .catch(() => undefined)
      .then(() => {
        this.#running.delete(settled);
      });
    this.#running.add(settled);
    return running;
  }

  /** Lets no further work begin. */
  close(): void {
    this.#closed = true;
  }

  /** Resolves when the work that has begun has ended. Never rejects. */
  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }
}
