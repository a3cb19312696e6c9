/** Runs work one at a time for each key, in the order of asking. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const turn = before ? before.then(work, work) : work();
    // the tail never rejects: a failure belongs to whoever asked for that work
    const tail = turn.catch(() => undefined);
    this.#tails.set(key, tail);
    try {
      return await turn;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
