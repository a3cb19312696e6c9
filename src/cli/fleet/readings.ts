import { type Clock, wait } from '../../domain/clock.js';

/** Milliseconds between two readings, and between two that were asked for. */
export const READ_EVERY_MS = 3_000;
const READ_AGAIN_MS = 250;

/** Carries out a reading again and again, one at a time, and sooner when it is asked for. */
export class Readings {
  readonly #read: () => Promise<void>;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #wake = new AbortController();

  /** @param read never rejects. */
  constructor(options: { read(): Promise<void>; clock: Clock; signal: AbortSignal }) {
    this.#read = options.read;
    this.#clock = options.clock;
    this.#signal = options.signal;
    this.#signal.addEventListener('abort', () => this.#wake.abort(), { once: true });
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      this.#wake = new AbortController();
      await this.#read();
      await wait(this.#clock, READ_EVERY_MS, this.#wake.signal);
      // a storm of events must not become one of readings
      if (this.#wake.signal.aborted) await wait(this.#clock, READ_AGAIN_MS, this.#signal);
    }
  }

  /** What is shown is out of date. */
  soon(): void {
    this.#wake.abort();
  }
}
