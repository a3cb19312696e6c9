import type { WASocket } from '@whiskeysockets/baileys';
import type { Clock } from '../../domain/clock.js';
import type { Verdict } from './reasons.js';
import { terminate } from './socket.js';

/** Milliseconds that the closing handshake may take before the connection is cut. */
const CLOSING_MS = 1_500;
const CLOSED: Verdict = { reason: 'connection_closed', detail: 'The connection was closed.' };

export interface EndingOptions {
  clock: Clock;
  /** The socket, once there is one. */
  socket(): WASocket | undefined;
  /** Told as soon as the end is certain, and perhaps again. */
  onCertain(): void;
  /** Frees what the connection holds; the socket still stands. */
  release(): Promise<void>;
  /** Told once, when nothing is left. */
  onEnded(verdict: Verdict): void;
}

/** The end of a connection, whoever begins it: it comes once, with one verdict, and in bounded time. */
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

  /** True from the moment at which the end is certain. */
  get certain(): boolean {
    return this.#concluding || this.#verdict !== undefined;
  }

  get verdict(): Verdict | undefined {
    return this.#verdict;
  }

  /** Ends the link from our side. The socket is dead at once, so that nothing more can be acknowledged. */
  fail(verdict: Verdict): void {
    if (this.certain) return;
    this.#verdict = verdict;
    this.#options.onCertain();
    const sock = this.#options.socket();
    if (!sock) return void this.conclude(verdict);
    this.#cut(sock, verdict);
  }

  /** Closes in good order. */
  close(): Promise<void> {
    this.#options.onCertain();
    const sock = this.#options.socket();
    if (!sock) return this.conclude(CLOSED);
    this.cutSoon(sock);
    void sock.end(undefined);
    return this.gone;
  }

  /** Leaves the library the time for an orderly end. */
  cutSoon(sock: WASocket): void {
    // cut already: what waits for the library's report of it must go on waiting
    if (this.certain) return;
    this.#cancelCut();
    this.#cancelCut = this.#options.clock.after(CLOSING_MS, () => this.#cut(sock, CLOSED));
  }

  /** The connection has ended. */
  async conclude(verdict: Verdict): Promise<void> {
    if (this.#concluding) return this.gone;
    this.#concluding = true;
    this.#verdict ??= verdict;
    this.#options.onCertain();
    this.#cancelCut();
    await this.#options.release();
    const { ws } = this.#options.socket() ?? {};
    // the library leaves its open queries to their timeouts; this ends them, and their timers, now
    ws?.emit('error', new Error('the connection has ended'));
    ws?.removeAllListeners();
    // a socket that is torn down while it connects still reports that as an error
    ws?.on('error', () => undefined);
    this.#options.onEnded(this.#verdict);
    this.#resolveGone();
  }

  /** Should the library never report the end, the link does without. */
  #cut(sock: WASocket, verdict: Verdict): void {
    terminate(sock);
    this.#cancelCut();
    this.#cancelCut = this.#options.clock.after(CLOSING_MS, () => void this.conclude(verdict));
  }
}
