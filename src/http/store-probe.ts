import type { Clock } from '../domain/clock.js';

/** Milliseconds after which a store that does not answer counts as unreachable. */
const PING_TIMEOUT_MS = 2_000;

/** Asks whether the store answers; one question at a time, however many ask. */
export class StoreProbe {
  readonly #ping: () => Promise<void>;
  readonly #clock: Clock;
  #underWay: Promise<boolean> | undefined;

  constructor(health: { ping(): Promise<void> }, clock: Clock) {
    this.#ping = () => health.ping();
    this.#clock = clock;
  }

  reachable(): Promise<boolean> {
    this.#underWay ??= this.#ask().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  #ask(): Promise<boolean> {
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
