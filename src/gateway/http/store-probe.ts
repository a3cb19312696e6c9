import type { Clock } from '../../domain/clock.js';

/** Milliseconds after which a store that does not answer counts as unreachable. */
const PING_TIMEOUT_MS = 2_000;

/** Checks whether the store answers; callers share one check at a time. */
export class StoreProbe {
  readonly #ping: () => Promise<void>;
  readonly #clock: Clock;
  #checking: Promise<boolean> | undefined;

  constructor(health: { ping(): Promise<void> }, clock: Clock) {
    this.#ping = () => health.ping();
    this.#clock = clock;
  }

  reachable(): Promise<boolean> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  #check(): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(PING_TIMEOUT_MS, () => resolve(false));
      const answer = (reachable: boolean) => {
        cancel();
        resolve(reachable);
      };
      this.#ping().then(
        () => answer(true),
        () => answer(false),
      );
    });
  }
}
