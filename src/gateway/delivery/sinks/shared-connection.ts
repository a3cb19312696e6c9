import { once, setMaxListeners } from 'node:events';
import { type Clock, endsWithin } from '../../../domain/clock.js';
import { BrokerError } from './broker-process.js';
import { PUBLISH_TIMEOUT_MS, type SinkConnection } from './sink.js';

/** Milliseconds without an event after which a connection is closed. */
const IDLE_MS = 60_000;
/** Milliseconds for a clean close. */
const CLOSE_MS = 2_000;

/** A connection and its users. */
export class SharedConnection {
  readonly #clock: Clock;
  readonly #end = new AbortController();
  readonly #opening: Promise<SinkConnection>;
  readonly #retired: (closed: Promise<void>) => void;
  #users = 0;
  #isRetired = false;
  #closed: () => void = () => undefined;
  #cancelIdle: () => void = () => undefined;

  /**
   * @param options.open opens the connection; `lost` is called when the broker ends it
   * @param options.retired called once, when the connection gets no further users; the promise resolves when it is closed
   */
  constructor(options: {
    clock: Clock;
    open(signal: AbortSignal, lost: () => void): Promise<SinkConnection>;
    retired(closed: Promise<void>): void;
  }) {
    this.#clock = options.clock;
    // each event in flight adds a listener
    setMaxListeners(Number.POSITIVE_INFINITY, this.#end.signal);
    this.#retired = (closed) => options.retired(closed);
    this.#opening = options.open(this.#end.signal, () => this.#retire());
    // `use` reports the error to each user
    this.#opening.catch(() => undefined);
  }

  /** @throws Error of the work, or of a timeout */
  async use(work: (connection: SinkConnection) => Promise<void>): Promise<void> {
    this.#cancelIdle();
    this.#users++;
    try {
      await this.#inTime(this.#opening.then(work));
    } catch (error) {
      // `refused` concerns this event only; if the connection ended too, `lost` retires it
      if (!(error instanceof BrokerError && error.failure === 'refused')) this.#retire();
      throw error;
    } finally {
      this.#users--;
      if (this.#users === 0) this.#rest();
    }
  }

  /** Aborts the connection and the events in flight. */
  abort(): void {
    this.#end.abort();
    this.#retire();
  }

  async #inTime(work: Promise<void>): Promise<void> {
    // reject on abort, because a client may not report its end
    const ended = new AbortController();
    const over = new Promise<never>((_, reject) => {
      const cancel = this.#clock.after(PUBLISH_TIMEOUT_MS, () =>
        reject(new Error(`no answer within ${PUBLISH_TIMEOUT_MS / 1_000} s`)),
      );
      const abort = () => reject(new Error('the connection was closed'));
      this.#end.signal.addEventListener('abort', abort, { signal: ended.signal });
      ended.signal.addEventListener('abort', cancel, { once: true });
    });
    try {
      await Promise.race([work, over]);
    } finally {
      ended.abort();
    }
  }

  #rest(): void {
    if (this.#isRetired) return void this.#close();
    this.#cancelIdle = this.#clock.after(IDLE_MS, () => this.#retire());
  }

  /** Takes no further users; current users may finish. */
  #retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#cancelIdle();
    this.#retired(
      new Promise((resolve) => {
        this.#closed = resolve;
      }),
    );
    if (this.#users === 0) void this.#close();
  }

  async #close(): Promise<void> {
    const goodBye = this.#opening.then((connection) => connection.close()).catch(() => undefined);
    // an aborted client may never report its close
    const { signal } = this.#end;
    const aborted = signal.aborted ? Promise.resolve() : once(signal, 'abort');
    await endsWithin(this.#clock, CLOSE_MS, Promise.race([goodBye, aborted]));
    this.#end.abort();
    this.#closed();
  }
}
