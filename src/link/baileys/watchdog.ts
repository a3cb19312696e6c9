import type { WASocket } from '@whiskeysockets/baileys';
import type { Clock } from '../../domain/clock.js';
import type { LinkVitals } from '../link.js';
import type { Verdict } from './reasons.js';

/** Milliseconds from the start to a QR code or an open connection; the library has no bound of its own. */
const CONNECT_MS = 30_000;
/** Milliseconds between two pings, unless said otherwise. */
const PING_EVERY_MS = 25_000;
/** Milliseconds that a ping has to be answered. */
const PONG_MS = 10_000;

/** Ends a link that does not come up, or whose peer is gone without saying so. */
export class Watchdog {
  readonly vitals: LinkVitals = { lastStanzaAt: 0, lastPongAt: 0 };
  readonly #clock: Clock;
  readonly #bark: (verdict: Verdict) => void;
  readonly #pingEveryMs: number;
  #cancel: () => void = () => undefined;
  #stopped = false;

  /** @param pingEveryMs milliseconds between two pings */
  constructor(clock: Clock, bark: (verdict: Verdict) => void, pingEveryMs = PING_EVERY_MS) {
    this.#clock = clock;
    this.#bark = bark;
    this.#pingEveryMs = pingEveryMs;
  }

  /** The connection is being made, or made again by the network after a pairing. */
  expectProgress(detail: string): void {
    this.#next(CONNECT_MS, () => this.#bark({ reason: 'connect_timeout', detail }));
  }

  /** The connection waits for a person, for as long as that takes. */
  rest(): void {
    this.#cancel();
  }

  /** The connection is open: prove it, now and again and again. */
  watch(sock: WASocket): void {
    this.#next(PONG_MS, () =>
      this.#bark({ reason: 'connection_silent', detail: 'The network did not answer a ping.' }),
    );
    const ping = { tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' } };
    sock
      .query({ ...ping, content: [{ tag: 'ping', attrs: {} }] })
      .then((pong: unknown) => {
        if (!pong || this.#stopped) return;
        this.vitals.lastPongAt = this.#clock.now();
        this.#next(this.#pingEveryMs, () => this.watch(sock));
      })
      // the connection is going down, or the deadline ends it
      .catch(() => undefined);
  }

  stanzaCame(): void {
    this.vitals.lastStanzaAt = this.#clock.now();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #next(ms: number, then: () => void): void {
    this.#cancel();
    if (!this.#stopped) this.#cancel = this.#clock.after(ms, then);
  }
}
