import type { Clock } from '../domain/clock.js';
import { LIMITS } from '../domain/limits.js';
import type { Logger } from '../log.js';
import type { Store } from '../store/store.js';

/** Milliseconds between two rounds. */
const INTERVAL_MS = 60 * 60_000;

type Cleaned = Pick<Store, 'journal' | 'sends' | 'traces' | 'history' | 'idempotency' | 'failedDeliveries'>;

/** Deletes what has outlived its use, once an hour, so that nothing grows without a bound. */
export class Housekeeping {
  readonly #store: Cleaned;
  readonly #clock: Clock;
  readonly #log: Logger;
  #cancel: () => void = () => undefined;

  constructor(options: { store: Cleaned; clock: Clock; log: Logger }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Begins with a round at once: a daemon that is restarted often must clean up too. */
  start(): void {
    void this.clean();
    this.#cancel = this.#clock.after(INTERVAL_MS, () => this.start());
  }

  stop(): void {
    this.#cancel();
  }

  /** One round; what fails is logged, and tried again in the next. */
  async clean(): Promise<void> {
    const now = this.#clock.now();
    const { journal, sends, traces, history, idempotency, failedDeliveries } = this.#store;
    const results = await Promise.allSettled([
      journal.prune(now - LIMITS.closedJournalTtlMs),
      sends.prune(now - LIMITS.sentMessageTtlMs),
      traces.prune(now - LIMITS.traceTtlMs),
      history.prunePending(now - LIMITS.traceTtlMs),
      idempotency.prune(now - LIMITS.idempotencyTtlMs),
      failedDeliveries.prune(now - LIMITS.failedDeliveryTtlMs),
    ]);
    for (const result of results) {
      if (result.status === 'rejected') this.#log.warn({ err: result.reason }, 'housekeeping failed');
    }
  }
}
