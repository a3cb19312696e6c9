import { type Clock, wait } from '../../../domain/clock.js';
import { type ErrorCode, isGatewayError } from '../../../domain/errors.js';
import { pauseAfter } from '../../../domain/retry.js';
import type { ExpectedFile } from '../../store/store.js';
import type { LocalFile } from './spool.js';

const RETRY = { pausesMs: [2_000, 15_000, 60_000, 10 * 60_000, 60 * 60_000], endless: true } as const;
/** Failures of the file itself after which the download is abandoned. */
const MAX_OWN_FAILURES = RETRY.pausesMs.length;
/** Milliseconds after which the download is abandoned, whatever the cause of its failures. */
const MAX_WAIT_MS = 14 * 24 * 60 * 60_000;
/** Failures that the session's next connection may end. */
const WITHOUT_LINK: readonly ErrorCode[] = [
  'session_not_connected',
  'session_unpaired',
  'session_suspended',
  'send_not_connected',
  'proxy_failed',
];
/** Failures that are not caused by the file. */
const OTHER_CAUSES: readonly ErrorCode[] = [
  ...WITHOUT_LINK,
  'media_phone_silent',
  'store_unavailable',
  'session_elsewhere',
];
/** Failures that would repeat. */
const FINAL: readonly ErrorCode[] = ['media_gone', 'media_too_large'];

/** The work of storing one file: its state, its failures and its waiting callers. */
export class FileJob {
  readonly file: ExpectedFile;
  /** The attempt in flight; never rejects. */
  work: Promise<void> = Promise.resolve();
  state: 'queued' | 'working' | 'pausing' | 'ended' = 'queued';
  /** The last attempt failed because the session is not connected. */
  needsLink = false;
  #failures = 0;
  #ownFailures = 0;
  #local: LocalFile | undefined;
  readonly #abandoned = new AbortController();
  readonly #waiting = new Set<() => void>();
  #cancelPause: () => void = () => undefined;

  /** @param local the file itself, if this node has just sent it */
  constructor(file: ExpectedFile, local?: LocalFile) {
    this.file = file;
    this.#local = local;
  }

  /** The file on this machine's disk, once: whoever takes it discards it. */
  takeLocal(): LocalFile | undefined {
    const local = this.#local;
    this.#local = undefined;
    return local;
  }

  /** Aborted when the session ends or the gateway stops. */
  get abandoned(): AbortSignal {
    return this.#abandoned.signal;
  }

  /**
   * Counts a failed attempt.
   * @returns milliseconds until the next attempt; undefined when the file is given up
   */
  failed(error: unknown, now: number): number | undefined {
    const isItsOwn = !isOneOf(OTHER_CAUSES, error);
    this.needsLink = isOneOf(WITHOUT_LINK, error);
    this.#failures += 1;
    if (isItsOwn) this.#ownFailures += 1;
    if (isOneOf(FINAL, error)) return undefined;
    const isOver = isItsOwn ? this.#ownFailures > MAX_OWN_FAILURES : now - this.file.since > MAX_WAIT_MS;
    return isOver ? undefined : pauseAfter(RETRY, this.#failures);
  }

  /** @param cancel cancels the timer that ends the pause */
  pause(cancel: () => void): void {
    this.state = 'pausing';
    this.#cancelPause = cancel;
  }

  /** Ends the pause, also before its time. */
  resume(): void {
    this.#cancelPause();
    this.state = 'queued';
  }

  end(): void {
    this.state = 'ended';
    this.#cancelPause();
    for (const stopWaiting of this.#waiting) stopWaiting();
  }

  /** Waits until the file is stored or given up, the gateway stops, `ms` are over or `signal` is aborted. */
  async ended(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const stopWaiting = () => over.abort();
    if (signal.aborted || this.state === 'ended') return;
    // must be removed afterwards: many callers may wait for a file that takes days
    this.#waiting.add(stopWaiting);
    signal.addEventListener('abort', stopWaiting);
    await wait(clock, ms, over.signal);
    signal.removeEventListener('abort', stopWaiting);
    this.#waiting.delete(stopWaiting);
  }

  /** Aborts the attempt in flight. */
  abandon(): void {
    this.#abandoned.abort();
    this.end();
  }
}

function isOneOf(codes: readonly ErrorCode[], error: unknown): boolean {
  return codes.some((code) => isGatewayError(error, code));
}
