import type { WASocket } from '@whiskeysockets/baileys';
import type { Clock, MonotonicClock } from '../../../domain/clock.js';
import { reason } from '../../../domain/reasons.js';
import type { LinkVitals } from '../link.js';
import type { Verdict } from './reasons.js';
import { terminate } from './socket.js';

/** Milliseconds that the closing handshake may take before the connection is cut. */
const CLOSING_MS = 1_500;
const CLOSED: Verdict = { reason: reason('connection_closed') };

interface EndingOptions {
  clock: Clock;
  /** The socket; undefined before it exists. */
  socket(): WASocket | undefined;
  /** Called as soon as the end is certain; must be idempotent. */
  onCertain(): void;
  /** Frees what the connection holds, while the socket still exists. */
  release(): Promise<void>;
  /** Called once, after the release. */
  onEnded(verdict: Verdict): void;
}

/** Ends a connection once, with one verdict, in bounded time, whichever side begins. */
export class Ending {
  /** Resolves when the connection is gone. */
  readonly gone: Promise<void>;
  readonly #options: EndingOptions;
  #verdict: Verdict | undefined;
  #concluding = false;
  #resolveGone: () => void = () => undefined;
  #cancelCut: () => void = () => undefined;

  constructor(options: EndingOptions) {
    this.#options = options;
    this.gone = new Promise((resolve) => {
      this.#resolveGone = resolve;
    });
  }

  /** True once the end is certain, which may be before the socket closes. */
  get certain(): boolean {
    return this.#concluding || this.#verdict !== undefined;
  }

  get verdict(): Verdict | undefined {
    return this.#verdict;
  }

  /** Destroys the socket at once, so that the library cannot acknowledge anything more. */
  fail(verdict: Verdict): void {
    if (this.certain) return;
    this.#verdict = verdict;
    this.#options.onCertain();
    const sock = this.#options.socket();
    if (!sock) return void this.conclude(verdict);
    this.#cut(sock, verdict);
  }

  /** Ends the link with a closing handshake, so that frames written before still arrive. */
  finish(verdict: Verdict): void {
    if (this.certain) return;
    const sock = this.#options.socket();
    if (!sock) {
      this.fail(verdict);
      return;
    }
    this.cutSoon(sock);
    this.#verdict = verdict;
    this.#options.onCertain();
    void sock.end(undefined);
  }

  /** Closes with a closing handshake. */
  close(): Promise<void> {
    this.#options.onCertain();
    const sock = this.#options.socket();
    if (!sock) return this.conclude(CLOSED);
    this.cutSoon(sock);
    void sock.end(undefined);
    return this.gone;
  }

  /** Gives the library time for a closing handshake, then cuts the connection. */
  cutSoon(sock: WASocket): void {
    // already cut: keep the timer that waits for the library's report
    if (this.certain) return;
    this.#cancelCut();
    this.#cancelCut = this.#options.clock.after(CLOSING_MS, () => this.#cut(sock, CLOSED));
  }

  /** Frees the connection and reports its end. */
  async conclude(verdict: Verdict): Promise<void> {
    if (this.#concluding) return this.gone;
    this.#concluding = true;
    this.#verdict ??= verdict;
    this.#options.onCertain();
    this.#cancelCut();
    const released = this.#options.release();
    const { ws } = this.#options.socket() ?? {};
    // the library leaves open queries to their timeouts; this ends them now, because the release waits for work that may wait for them
    ws?.emit('error', new Error('the connection has ended'));
    await released;
    ws?.removeAllListeners();
    // a socket that is destroyed while it connects still emits an error
    ws?.on('error', () => undefined);
    this.#options.onEnded(this.#verdict);
    this.#resolveGone();
  }

  /** Destroys the socket; concludes after a delay, should the library never report the end. */
  #cut(sock: WASocket, verdict: Verdict): void {
    terminate(sock);
    this.#cancelCut();
    this.#cancelCut = this.#options.clock.after(CLOSING_MS, () => void this.conclude(verdict));
  }
}

/** Milliseconds from the start to a QR code or an open connection; the library has no such limit. */
const CONNECT_MS = 30_000;
/** Milliseconds between two pings, by default. */
const PING_EVERY_MS = 25_000;
/** Milliseconds to wait for the answer to a ping. */
const PONG_MS = 10_000;

/** Ends a link that does not open, or whose peer has gone silent. */
export class Watchdog {
  #lastStanzaAt = 0;
  #lastPongAt = 0;
  /** Time of the last sign of life from the network, on the monotonic clock. */
  #provenAt = Number.NEGATIVE_INFINITY;
  readonly #clock: MonotonicClock;
  readonly #onSilence: (verdict: Verdict) => void;
  readonly #pingEveryMs: number;
  #cancel: () => void = () => undefined;
  #stopped = false;

  /** @param pingEveryMs milliseconds between two pings */
  constructor(clock: MonotonicClock, onSilence: (verdict: Verdict) => void, pingEveryMs = PING_EVERY_MS) {
    this.#clock = clock;
    this.#onSilence = onSilence;
    this.#pingEveryMs = pingEveryMs;
  }

  /** Waits for the connection to open, at the start or after a pairing. */
  expectProgress(of: 'open' | 'restart'): void {
    this.#next(CONNECT_MS, () => this.#onSilence({ reason: reason('connect_timeout', { kind: of }) }));
  }

  /** Stops waiting: a person has to act, and may take any time. */
  rest(): void {
    this.#cancel();
  }

  /** Pings an open connection, now and at intervals. */
  watch(sock: WASocket): void {
    this.#next(PONG_MS, () => this.#onSilence({ reason: reason('connection_silent', { kind: 'ping' }) }));
    const ping = { tag: 'iq', attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:p' } };
    sock
      .query({ ...ping, content: [{ tag: 'ping', attrs: {} }] })
      .then((pong: unknown) => {
        if (!pong || this.#stopped) return;
        this.#lastPongAt = this.#clock.now();
        this.#provenAt = this.#clock.monotonic();
        this.#next(this.#pingEveryMs, () => this.watch(sock));
      })
      // the connection is closing, or the deadline ends it
      .catch(() => undefined);
  }

  stanzaCame(): void {
    this.#lastStanzaAt = this.#clock.now();
    this.#provenAt = this.#clock.monotonic();
  }

  vitals(): LinkVitals {
    const silentMs = this.#clock.monotonic() - this.#provenAt;
    return { lastStanzaAt: this.#lastStanzaAt, lastPongAt: this.#lastPongAt, silentMs };
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
