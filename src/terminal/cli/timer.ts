import { CliError } from './errors.js';

/** The times after which WhatsApp lets messages disappear, in seconds. */
export const TIMERS = { off: 0, '1d': 86_400, '7d': 604_800, '90d': 7_776_000 } as const;

/** The names of the times, for arguments and flags. */
export const TIMER_NAMES = ['off', '1d', '7d', '90d'] as const;

/** A timer in seconds; 0 for `off`. @throws CliError `usage` */
export function timerSeconds(name: string): (typeof TIMERS)[keyof typeof TIMERS] {
  const known = TIMER_NAMES.find((one) => one === name);
  if (known) return TIMERS[known];
  throw new CliError('usage', `choose one of ${TIMER_NAMES.join(', ')}`);
}

/** The name of a timer, such as `7d` for 604800; seconds for any other time. */
export function timerName(seconds: number): string {
  return TIMER_NAMES.find((name) => TIMERS[name] === seconds) ?? `${seconds} s`;
}
