import type { Clock } from '../domain/clock.js';

/**
 * A silence is counted in ticks of that part of it: a sandbox that was held up itself for a while does not take its own
 * absence for the client's.
 */
const TICKS = 4;

/** Notices a client that has said nothing for a while. */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #tickMs: number;
  #quietTicks = 0;
  #cancel: () => void = () => undefined;

  /** @param lastsMs milliseconds that a silence lasts at least; it is noticed within a quarter more */
  constructor(clock: Clock, lastsMs: number) {
    this.#clock = clock;
    this.#tickMs = lastsMs / TICKS;
  }

  /** Calls back, once, when nothing has been heard for that long. */
  start(onSilent: () => void): void {
    this.#cancel = this.#clock.after(this.#tickMs, () => {
      this.#quietTicks += 1;
      if (this.#quietTicks > TICKS) onSilent();
      else this.start(onSilent);
    });
  }

  /** The client has said something. */
  heard(): void {
    this.#quietTicks = 0;
  }

  stop(): void {
    this.#cancel();
  }
}
