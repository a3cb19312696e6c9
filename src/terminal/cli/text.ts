/** The first `length` characters, with `…` if the text was longer. */
export function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

/** Escapes a text for XML, between tags and in quoted attributes. */
export function xmlText(text: string): string {
  const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (character) => named[character] ?? character);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Longer spans are shown in days. */
const HOURS_SHOWN = 48;

/** Milliseconds since a time (RFC 3339), at least 0; undefined if unknown. */
export function ageMs(at: string, now: number): number | undefined {
  const moment = Date.parse(at);
  return Number.isNaN(moment) ? undefined : Math.max(0, now - moment);
}

/** A span of time for people, such as `12 s`, `14 min`, `3 h`, `5 d`. */
export function spanText(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < HOURS_SHOWN * HOUR) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** Time since then, or `–` if unknown. */
export function ageText(at: string, now: number): string {
  const age = ageMs(at, now);
  return age === undefined ? '–' : spanText(age);
}

/** Explains the status code of a change of a group's member. */
export function explainChange(error: number): string {
  return EXPLANATIONS[error] ?? `refused (${error})`;
}

const EXPLANATIONS: Readonly<Record<number, string>> = {
  0: 'done',
  403: 'lets only admins of their choice add them: send the invite link instead',
  404: 'not on the network, or not in the group',
  408: 'left a short while ago: send the invite link instead',
  409: 'is so already',
};

/** A count with its noun, such as `1 file`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
