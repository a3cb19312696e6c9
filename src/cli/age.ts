import { Flags } from '@oclif/core';
import { CliError } from './cli-error.js';

const HOUR_MS = 60 * 60_000;
const UNITS: Readonly<Record<string, number>> = {
  h: HOUR_MS,
  d: 24 * HOUR_MS,
  w: 7 * 24 * HOUR_MS,
  y: 365 * 24 * HOUR_MS,
};
const FORM = /^([1-9][0-9]{0,5})([hdwy])$/;

/** An age such as `90d`. */
export interface Age {
  /** As it was typed. */
  text: string;
  ms: number;
}

/** Hours, days, weeks or years: `36h`, `90d`, `12w`, `2y`. */
export const age = Flags.custom<Age>({
  helpValue: 'AGE',
  parse: async (text) => parseAge(text),
});

/** @throws CliError `usage` */
export function parseAge(text: string): Age {
  const [, count, unit] = FORM.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (Number.isNaN(ms)) {
    throw new CliError(
      'usage',
      `${text} is not an age such as 90d (h, d, w and y are hours, days, weeks, years)`,
    );
  }
  return { text, ms };
}
