const DAY_NAMES = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const DAY_NAMES_WITH_YEAR = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});
const WEEKDAYS = new Intl.DateTimeFormat('en-GB', { weekday: 'short' });
const SHORT_DAYS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAYS_OF_A_WEEK = 6;

/** Formats the time of day in five columns. */
export function clockTime(moment: Date): string {
  return `${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** The local day: equal for two moments on the same day. */
export function dayKey(moment: Date): string {
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** Formats a day as a heading. */
export function dayName(moment: Date, now: Date): string {
  const days = daysBetween(moment, now);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return (moment.getFullYear() === now.getFullYear() ? DAY_NAMES : DAY_NAMES_WITH_YEAR).format(moment);
}

/** Formats the last activity of a room as short as possible. */
export function shortMoment(moment: Date, now: Date): string {
  const days = daysBetween(moment, now);
  if (days === 0) return clockTime(moment);
  if (days > 0 && days <= DAYS_OF_A_WEEK) return WEEKDAYS.format(moment);
  return moment.getFullYear() === now.getFullYear()
    ? SHORT_DAYS.format(moment)
    : String(moment.getFullYear());
}

/** Formats a moment in full. */
export function fullMoment(moment: Date): string {
  return `${dayKey(moment)} ${clockTime(moment)}:${two(moment.getSeconds())}`;
}

function daysBetween(moment: Date, now: Date): number {
  const midnight = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return (midnight(now) - midnight(moment)) / 86_400_000;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
