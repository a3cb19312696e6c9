import { type Clock, wait } from '../../domain/clock.js';
import type { ExpectedFile } from '../../store/store.js';
import { Failures } from './retry.js';

/** A file on its way into the store. */
export class FileJob {
  readonly file: ExpectedFile;
  readonly failures = new Failures();
  /** What it is doing now; it never rejects. */
  work: Promise<void> = Promise.resolve();
  state: 'queued' | 'working' | 'pausing' | 'ended' = 'queued';
  readonly #abandoned = new AbortController();
  readonly #waiting = new Set<() => void>();
  #cancelPause: () => void = () => undefined;

  constructor(file: ExpectedFile) {
    this.file = file;
  }

  /** Aborted when nobody wants the file any more, or the gateway stops. */
  get abandoned(): AbortSignal {
    return this.#abandoned.signal;
  }

  /** @param cancel takes the end of the pause back */
  pause(cancel: () => void): void {
    this.state = 'pausing';
    this.#cancelPause = cancel;
  }

  /** It goes on, earlier than planned or as planned. */
  resume(): void {
    this.#cancelPause();
    this.state = 'queued';
  }

  end(): void {
    this.state = 'ended';
    this.#cancelPause();
    for (const tell of this.#waiting) tell();
  }

  /**
   * Waits until it is stored or lost, or the gateway stops before.
   * @param signal ends the waiting
   */
  async ended(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const stop = () => over.abort();
    if (signal.aborted || this.state === 'ended') return;
    // taken back in the end: many may ask, and the file may take days
    this.#waiting.add(stop);
    signal.addEventListener('abort', stop);
    await wait(clock, ms, over.signal);
    signal.removeEventListener('abort', stop);
    this.#waiting.delete(stop);
  }

  /** Breaks off whatever it does. */
  abandon(): void {
    this.#abandoned.abort();
    this.end();
  }
}
