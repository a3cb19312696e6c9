import type { Clock } from '../../domain/clock.js';

/** Lets requests wait until something about a session holds. */
export class Waiters {
  readonly #clock: Clock;
  readonly #checks = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Looks at every waiting condition again. */
  notify(): void {
    for (const check of this.#checks) check();
  }

  /** Resolves when the condition holds, or after `timeoutMs` milliseconds. */
  until(condition: () => boolean, timeoutMs: number): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.#checks.delete(check);
        resolve();
      };
      const check = () => {
        if (condition()) finish();
      };
      const cancel = this.#clock.after(timeoutMs, finish);
      this.#checks.add(check);
    });
  }
}
