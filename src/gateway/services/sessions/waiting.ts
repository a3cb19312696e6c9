import PQueue from 'p-queue';
import type { Clock } from '../../../domain/clock.js';
import { RateBudget, type RateLimit } from '../../../domain/retry.js';

/** Links that connect at the same time: a restart with many numbers must not open all connections at once. */
const CONCURRENT_CONNECTS = 8;

/** Lost links of all sessions of a node that come back at once; the others wait as after failed logins. */
export const NODE_RETURNS: RateLimit = { burst: 200, everyMs: 1_000 };

/** Opens connections a few at a time; those that a caller waits for come first. */
export class Admission {
  readonly #queue = new PQueue({ concurrency: CONCURRENT_CONNECTS });
  readonly #returns: RateBudget;

  constructor(clock: Clock) {
    this.#returns = new RateBudget(NODE_RETURNS, clock);
  }

  /** Whether one more lost link may come back at once; uses the node's budget. */
  mayReturn(): boolean {
    return this.#returns.take();
  }

  /**
   * Runs `open` as soon as fewer than the limit are running.
   * @param open opens a connection; resolves when it is open or has failed
   */
  enter(open: () => Promise<void>, options: { urgent: boolean }): void {
    void this.#queue.add(open, { priority: options.urgent ? 1 : 0 });
  }

  /** Drops waiting connections. */
  clear(): void {
    this.#queue.clear();
  }
}

/** Lets requests wait for a condition of a session. */
export class Waiters {
  readonly #clock: Clock;
  readonly #checks = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Checks every waiting condition again. */
  notify(): void {
    for (const check of this.#checks) check();
  }

  /** Resolves when the condition holds, after `timeoutMs` milliseconds, or when the caller is gone. */
  until(condition: () => boolean, timeoutMs: number, gone?: AbortSignal): Promise<void> {
    if (condition() || gone?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        gone?.removeEventListener('abort', finish);
        this.#checks.delete(check);
        resolve();
      };
      const check = () => {
        if (condition()) finish();
      };
      const cancel = this.#clock.after(timeoutMs, finish);
      gone?.addEventListener('abort', finish);
      this.#checks.add(check);
    });
  }
}
