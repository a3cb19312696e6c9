import { type Clock, wait } from '../domain/clock.js';
import { isGatewayError } from '../domain/errors.js';
import type { Store } from '../store/store.js';

/** Milliseconds between two looks whether the store is back: at first, and at most. */
const FIRST_LOOK_MS = 250;
const LONGEST_LOOK_MS = 5_000;
/** Times that one step is repeated: a store that answers, but never to this, is no outage. */
const MAX_REPETITIONS = 10;

/**
 * Steps that must reach the store, however long it is away: what was taken in or sent must be noted some time. Only one
 * look at the store is under way, however many steps wait for it.
 */
export class StoreSteps {
  readonly #store: Pick<Store, 'ping'>;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #return: Promise<void> | undefined;

  constructor(store: Pick<Store, 'ping'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  get stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /**
   * Does a step, again and again while the store is away. It must not matter when it is done twice.
   * @throws what the step throws, but `store_unavailable` only when it did not help to wait, or after the stop
   */
  async run<T>(step: () => Promise<T>): Promise<T> {
    for (let repetition = 1; ; repetition++) {
      try {
        await this.#return;
        return await step();
      } catch (error) {
        const over = this.stopped || repetition > MAX_REPETITIONS;
        if (over || !isGatewayError(error, 'store_unavailable')) throw error;
        await this.back();
      }
    }
  }

  /** Resolves when the store answers, after a pause; or at the stop. */
  back(): Promise<void> {
    this.#return ??= this.#look().finally(() => {
      this.#return = undefined;
    });
    return this.#return;
  }

  /** Waits for nothing any more. */
  stop(): void {
    this.#stopping.abort();
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_LOOK_MS)) {
      await wait(this.#clock, pauseMs, signal);
      if (signal.aborted) return;
      const answers = await this.#store.ping().then(
        () => true,
        () => false,
      );
      if (answers) return;
    }
  }
}

/** Whether what failed is still to be done: here, when the store is back, or by the node that has the session now. */
export function isStillToDo(error: unknown): boolean {
  return isGatewayError(error, 'store_unavailable') || isGatewayError(error, 'session_elsewhere');
}
