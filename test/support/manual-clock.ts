import { type MonotonicClock, systemClock } from '../../src/domain/clock.js';

interface Timer {
  due: number;
  delay: number;
  callback: () => void;
}

interface Waiter {
  delay: number;
  resolve: () => void;
}

/** Time that stands still until a test moves it. */
export class ManualClock implements MonotonicClock {
  readonly #timers = new Set<Timer>();
  readonly #waiters = new Set<Waiter>();
  #now: number;

  /** @param now milliseconds since the epoch */
  constructor(now = Date.UTC(2026, 0, 2, 3, 4, 5)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { due: this.#now + ms, delay: ms, callback };
    this.#timers.add(timer);
    for (const waiter of this.#waiters) {
      if (waiter.delay !== ms) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
    return () => this.#timers.delete(timer);
  }

  /** Milliseconds for which each pending timer was set, in the order in which they are due. */
  pending(): number[] {
    return this.#inOrder().map((timer) => timer.delay);
  }

  /** Resolves when a timer of exactly so many milliseconds is pending; at once when there is one. */
  scheduled(ms: number): Promise<void> {
    if (this.pending().includes(ms)) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.add({ delay: ms, resolve }));
  }

  /** Moves time on and calls back all timers that become due, in their order, those set meanwhile included. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#inOrder()[0];
      if (!next || next.due > end) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
    }
    this.#now = end;
  }

  #inOrder(): Timer[] {
    return [...this.#timers].sort((a, b) => a.due - b.due);
  }
}

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
