import { type Clock, wait } from '../../domain/clock.js';
import { isGatewayError } from '../../domain/errors.js';
import { doubling, pauseAfter } from '../../domain/retry.js';
import type { Store } from '../store/store.js';

/** Pauses between two pings of an unavailable store. */
const PING = { pausesMs: doubling(250, 5_000), endless: true } as const;
/** Repetitions of one step; if the store answers pings but the step still fails, the store is not the cause. */
const MAX_REPETITIONS = 10;

/** The daemon stops, or the session has left this node: the next start, or the session's next owner, does the work. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted: the daemon stops, or the session has left this node');
  }
}

/** Repeats steps that need the store while it is unavailable. All waiting steps share one ping. */
export class StoreRetry {
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
   * Runs a step, and repeats it while the store is away. The step must be idempotent.
   * @param signal asked before each repetition
   * @throws Interrupted when the signal is aborted; what the step throws, but `store_unavailable` only after the last
   * repetition or after the stop
   */
  async run<T>(step: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let repetition = 1; ; repetition++) {
      try {
        await this.#return;
        if (signal?.aborted) throw new Interrupted();
        return await step();
      } catch (error) {
        const over = this.stopped || repetition > MAX_REPETITIONS;
        if (over || !isGatewayError(error, 'store_unavailable')) throw error;
        await this.back();
      }
    }
  }

  /** Resolves after a pause, when the store answers; or at the stop. */
  back(): Promise<void> {
    this.#return ??= this.#untilBack().finally(() => {
      this.#return = undefined;
    });
    return this.#return;
  }

  /** Ends all current and future waiting for the store. */
  stop(): void {
    this.#stopping.abort();
  }

  async #untilBack(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pings = 1; ; pings++) {
      await wait(this.#clock, pauseAfter(PING, pings), signal);
      if (signal.aborted) return;
      const answers = await this.#store.ping().then(
        () => true,
        () => false,
      );
      if (answers) return;
    }
  }
}

/** Whether failed work still has to be done: here, when the store is back, or by the node that holds the session now. */
export function isStillToDo(error: unknown): boolean {
  if (error instanceof Interrupted) return true;
  return isGatewayError(error, 'store_unavailable') || isGatewayError(error, 'session_elsewhere');
}
