/** Reasons why a receiver is paused, with sentences for people. */
export const PAUSES = {
  operator: 'an operator paused it',
  gone: 'it answered 410',
  broker_crash: 'its client crashed, hung or used too much memory while it ran alone',
  broker_flood: 'the broker sent far more than it was asked for',
} as const;
export type PauseCode = keyof typeof PAUSES;
export const PAUSE_CODES: readonly PauseCode[] = ['operator', 'gone', 'broker_crash', 'broker_flood'];

/** The code of a stored pause: earlier releases wrote the words. Undefined for an empty text. */
export function pauseCodeOf(stored: string): PauseCode | undefined {
  if (stored === '') return undefined;
  return PAUSE_CODES.find((code) => code === stored || PAUSES[code] === stored) ?? 'operator';
}

/** The words of a stored pause; empty for an empty text. */
export function pauseText(stored: string): string {
  const code = pauseCodeOf(stored);
  return code ? PAUSES[code] : '';
}
