const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Up to this a coarser unit would say too little. */
const HOURS_SHOWN = 48;

/** Milliseconds since a moment (RFC 3339); undefined where it is not known. A clock that is behind makes none negative. */
export function ageMs(at: string, now: number): number | undefined {
  const moment = Date.parse(at);
  return Number.isNaN(moment) ? undefined : Math.max(0, now - moment);
}

/** A span of time, short: `12 s`, `14 min`, `3 h`, `5 d`. */
export function spanText(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < HOURS_SHOWN * HOUR) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** How long ago, or an en dash where it is not known. */
export function ageText(at: string, now: number): string {
  const age = ageMs(at, now);
  return age === undefined ? '–' : spanText(age);
}
