import { type MonotonicClock, systemClock } from '../../src/domain/clock.js';

/** The system's time, moved on as a test wants, as when somebody sets the clock. Timers take as long as ever. */
export class ShiftedClock implements MonotonicClock {
  #offset = 0;

  now(): number {
    return systemClock.now() + this.#offset;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(ms: number, callback: () => void): () => void {
    return systemClock.after(ms, callback);
  }

  /** @param ms milliseconds */
  shift(ms: number): void {
    this.#offset += ms;
  }
}
