import PQueue from 'p-queue';

/** Links that may be on their way up at the same time, so that a restart with many numbers is no stampede. */
const CONCURRENT_CONNECTS = 8;

/** Lets connections be opened a few at a time; what an operator asked for goes before what comes back by itself. */
export class Admission {
  readonly #queue = new PQueue({ concurrency: CONCURRENT_CONNECTS });

  /**
   * Runs `open` when there is room.
   * @param open opens a connection and resolves when it is up or has failed.
   */
  enter(open: () => Promise<void>, options: { urgent: boolean }): void {
    void this.#queue.add(open, { priority: options.urgent ? 1 : 0 });
  }

  /** Forgets what has not begun. */
  clear(): void {
    this.#queue.clear();
  }
}
