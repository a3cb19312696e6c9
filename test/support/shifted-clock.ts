import { type Clock, systemClock } from '../../src/domain/clock.js';

/** The system's time, moved on as a test wants. Timers take as long as ever. */
export class ShiftedClock implements Clock {
  #offset = 0;

  now(): number {
    return systemClock.now() + this.#offset;
  }

  after(ms: number, callback: () => void): () => void {
    return systemClock.after(ms, callback);
  }

  /** @param ms milliseconds */
  shift(ms: number): void {
    this.#offset += ms;
  }
}
