import { type Clock, wait } from '../../domain/clock.js';

/** Milliseconds between looks for a session that is on its way from one node to another. */
const STEPS_MS = [100, 200, 300, 400, 500, 700, 800];
/** Milliseconds; looking takes time too. */
const LONGEST_MS = 3_000;

/** How long a request waits for the node of its session. */
export class Patience {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #since: number;
  readonly #steps = STEPS_MS.values();

  /** @param signal nobody waits any more */
  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#since = clock.now();
  }

  /** Waits a little. False when that would be too long, or for nobody. */
  async more(): Promise<boolean> {
    const { value: ms } = this.#steps.next();
    if (ms === undefined || this.#clock.now() - this.#since >= LONGEST_MS) return false;
    await wait(this.#clock, ms, this.#signal);
    return !this.#signal.aborted;
  }
}
