import type { ExpectedFile } from '../../store/store.js';
import { Failures } from './retry.js';

/** A file on its way into the store. */
export class FileJob {
  readonly failures = new Failures();
  /** Resolves when it is stored or lost, or the gateway stops before. */
  readonly ended: Promise<void>;
  /** What it is doing now; it never rejects. */
  work: Promise<void> = Promise.resolve();
  state: 'queued' | 'working' | 'pausing' | 'ended' = 'queued';
  readonly #abandoned = new AbortController();
  #end: () => void = () => undefined;
  #cancelPause: () => void = () => undefined;

  constructor(readonly file: ExpectedFile) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
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
    this.#end();
  }

  /** Breaks off whatever it does. */
  abandon(): void {
    this.#abandoned.abort();
    this.end();
  }
}
