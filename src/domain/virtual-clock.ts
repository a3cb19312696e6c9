import { type Clock, callAt, type MonotonicClock, systemClock, wait } from './clock.js';

interface Appointment {
  time: number;
  callback: () => void;
  cancel: () => void;
}

/**
 * A clock that can be moved forward, and never goes back. `now` and `callAt` follow it; `after` and `monotonic` measure
 * durations, and are not affected.
 */
export class VirtualClock implements MonotonicClock {
  readonly #base: Clock;
  /** Appointments in the order of their creation. */
  readonly #appointments = new Set<Appointment>();
  #aheadMs: number;

  /** @param base the clock that runs by itself @param aheadMs milliseconds by which it was moved before */
  constructor(base: Clock = systemClock, aheadMs = 0) {
    this.#base = base;
    this.#aheadMs = aheadMs;
  }

  /** Milliseconds by which this clock is ahead of its base clock. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  now(): number {
    return this.#base.now() + this.#aheadMs;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(ms: number, callback: () => void): () => void {
    return this.#base.after(ms, callback);
  }

  at(time: number, callback: () => void): () => void {
    const appointment: Appointment = {
      time,
      callback: () => {
        this.#appointments.delete(appointment);
        callback();
      },
      cancel: () => undefined,
    };
    this.#appointments.add(appointment);
    this.#arm(appointment);
    return () => {
      this.#appointments.delete(appointment);
      appointment.cancel();
    };
  }

  /**
   * Moves the clock forward in one jump, as when a computer wakes up. Resolves when all due callbacks have run, in the
   * order of their times.
   * @throws RangeError if `ms` is no positive number
   */
  async advance(ms: number): Promise<void> {
    if (!(ms > 0 && Number.isFinite(ms))) throw new RangeError(`a clock cannot be moved by ${ms} ms`);
    this.#aheadMs += ms;
    const inOrder = [...this.#appointments].sort((one, other) => one.time - other.time);
    // timers without a delay run in the order in which they are set, each followed by the microtasks of its callback
    for (const appointment of inOrder) this.#arm(appointment);
    await wait(this.#base, 0);
  }

  #arm(appointment: Appointment): void {
    appointment.cancel();
    const { time, callback } = appointment;
    const unmoved: Clock = { now: () => this.now(), after: (ms, then) => this.after(ms, then) };
    appointment.cancel = callAt(unmoved, time, callback);
  }
}
