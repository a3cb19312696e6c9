/** Reasons why a receiver is paused, with sentences for people. */
export const PAUSES = {
  operator: 'an operator paused it',
  gone: 'it answered 410',
  broker_crash: 'its client crashed, hung or used too much memory while it ran alone',
  broker_flood: 'the broker sent far more than it was asked for',
} as const;
export type PauseCode = keyof typeof PAUSES;
export const PAUSE_CODES: readonly PauseCode[] = ['operator', 'gone', 'broker_crash', 'broker_flood'];

/** The code of a pause that an earlier release stored only as a sentence. */
export function pauseCodeOf(words: string): PauseCode {
  return PAUSE_CODES.find((code) => PAUSES[code] === words) ?? 'operator';
}
