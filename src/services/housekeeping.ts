import type { Clock } from '../domain/clock.js';
import { LIMITS } from '../domain/limits.js';
import type { Logger } from '../log.js';
import type { Store } from '../store/store.js';

/** Milliseconds between two rounds. */
const INTERVAL_MS = 60 * 60_000;

type Cleaned = Pick<Store, 'journal' | 'sends' | 'idempotency' | 'failedDeliveries'>;

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

  start(): void {
    this.#cancel = this.#clock.after(INTERVAL_MS, () => {
      this.start();
      this.clean().catch((error: unknown) => this.#log.warn({ err: error }, 'housekeeping failed'));
    });
  }

  stop(): void {
    this.#cancel();
  }

  /** One round. */
  async clean(): Promise<void> {
    const now = this.#clock.now();
    await this.#store.journal.prune(now - LIMITS.closedJournalTtlMs);
    await this.#store.sends.prune(now - LIMITS.sentMessageTtlMs);
    await this.#store.idempotency.prune(now - LIMITS.idempotencyTtlMs);
    await this.#store.failedDeliveries.prune(now - LIMITS.failedDeliveryTtlMs);
  }
}
