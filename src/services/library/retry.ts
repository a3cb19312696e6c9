import { type ErrorCode, isGatewayError } from '../../domain/errors.js';

/** Milliseconds before each repetition of what failed; after the last of them there is none. */
const PAUSES_MS = [2_000, 15_000, 60_000, 10 * 60_000, 60 * 60_000] as const;
const LONGEST_MS = 60 * 60_000;
/** Milliseconds for which a file is waited for whose failures say nothing of it. */
const PATIENCE_MS = 14 * 24 * 60 * 60_000;
/** Failures that the session's next connection may end. */
const WITHOUT_LINK: readonly ErrorCode[] = [
  'session_not_connected',
  'session_unpaired',
  'send_not_connected',
];
/** Failures that say nothing of the file. */
const NOT_ITS_OWN: readonly ErrorCode[] = [
  ...WITHOUT_LINK,
  'media_phone_silent',
  'store_unavailable',
  'session_elsewhere',
];

/** Failures that would be the same the next time. */
const FINAL: readonly ErrorCode[] = ['media_gone', 'media_too_large'];

/** How often something was tried in vain. */
export class Failures {
  /** True when the last one was that the session is not connected. */
  needsLink = false;
  #count = 0;
  #ownCount = 0;

  /**
   * Notes a failure.
   * @param waitedMs since it was begun
   * @returns milliseconds until it is tried again; undefined when it is given up
   */
  note(error: unknown, waitedMs: number): number | undefined {
    const isItsOwn = !isOneOf(NOT_ITS_OWN, error);
    this.needsLink = isOneOf(WITHOUT_LINK, error);
    this.#count += 1;
    if (isItsOwn) this.#ownCount += 1;
    if (isOneOf(FINAL, error)) return undefined;
    if (isItsOwn ? this.#ownCount > PAUSES_MS.length : waitedMs > PATIENCE_MS) return undefined;
    return PAUSES_MS[this.#count - 1] ?? LONGEST_MS;
  }
}

function isOneOf(codes: readonly ErrorCode[], error: unknown): boolean {
  return codes.some((code) => isGatewayError(error, code));
}
