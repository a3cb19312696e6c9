/** The decrypted content is no message: the sender cannot help by encrypting it again. */
export class MalformedContent extends Error {}

/** Code: the session in which the message was encrypted is unknown. */
export const NO_SESSION = 1;

/**
 * The `error` of a retry receipt for a failure of the Signal library, by its text. The numbers are those of the official
 * client (zapo `retry/constants`, whatsapp-rust `RetryReason`).
 */
const REASONS: readonly [RegExp, number][] = [
  // no session of the sender fits
  [/no matching sessions/i, 4],
  [/no session|no senderkeyrecord|no sender message key/i, NO_SESSION],
  [/invalid prekey id|missing signedprekey/i, 3],
  [/invalid (public|private) key|untrusted identity/i, 2],
  [/invalid signature/i, 5],
  [/messages into the future/i, 6],
  [/bad mac/i, 7],
  [/chain closed|incompatible version|session required/i, 8],
  [/key used already|old counter/i, 9],
  [/invalid/i, 4],
];

/** The code for a failure; 0 if it is of no known kind. */
export function retryReason(error: unknown): number {
  const text = error instanceof Error ? `${error.name} ${error.message}` : '';
  return REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 0;
}

/** True when the key of the message was used before. */
export function isOldCounter(error: unknown): boolean {
  return error instanceof Error && /key used already|old counter/i.test(error.message);
}
