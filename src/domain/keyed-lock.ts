/** Runs work one at a time for each key, in the order of the calls. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const turn = before ? before.then(work, work) : work();
    // the tail never rejects: only the caller of `run` sees a failure
    const tail = turn.catch(() => undefined);
    this.#tails.set(key, tail);
    try {
      return await turn;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }

  /** Waits for the turn of a key. The caller must end it, once. */
  take(key: string): Promise<{ end(): void }> {
    return new Promise((resolve) => {
      void this.run(key, () => new Promise<void>((end) => resolve({ end })));
    });
  }

  /** Whether no work of a key is running or waiting. */
  isIdle(key: string): boolean {
    return !this.#tails.has(key);
  }

  /** Resolves when all work queued so far has ended, for a key or for all keys. Never rejects. */
  async idle(key?: string): Promise<void> {
    await Promise.all(key === undefined ? this.#tails.values() : [this.#tails.get(key)]);
  }
}
