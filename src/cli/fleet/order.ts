import { ageMs } from './ages.js';
import { standingOf } from './standing.js';
import type { SessionRow } from './wire.js';

/** What the sessions can be ordered by, in the order in which a key goes through them. */
export const SORTS = ['trouble', 'name', 'last stanza', 'failed', 'node'] as const;
export type Sort = (typeof SORTS)[number];

type Compare = (a: SessionRow, b: SessionRow) => number;

const byName: Compare = (a, b) => a.clientId.localeCompare(b.clientId, 'en', { numeric: true });

/** The sessions that contain the words, in an order; those that are equal in it go by name. */
export function arranged(
  sessions: readonly SessionRow[],
  { sort, filter, now }: { sort: Sort; filter: string; now: number },
): SessionRow[] {
  const compare = comparisonOf(sort, now);
  return sessions.filter((row) => matches(row, filter, now)).sort((a, b) => compare(a, b) || byName(a, b));
}

function comparisonOf(sort: Sort, now: number): Compare {
  if (sort === 'trouble') return by((row) => standingOf(row, now).rank);
  if (sort === 'failed') return by((row) => -row.webhook.failed);
  // the longest silence first: those never heard of have the longest
  if (sort === 'last stanza') return by((row) => -(ageMs(row.lastStanzaAt, now) ?? Number.MAX_SAFE_INTEGER));
  // each node's together, those that none holds first
  if (sort === 'node') return (a, b) => a.podName.localeCompare(b.podName, 'en', { numeric: true });
  return byName;
}

function by(key: (row: SessionRow) => number): Compare {
  return (a, b) => key(a) - key(b);
}

/** Every word is somewhere in what is shown of the session. */
function matches(row: SessionRow, filter: string, now: number): boolean {
  const { clientId, podName, jid, status, reason, webhook } = row;
  const shown = [clientId, podName, jid, status, standingOf(row, now).text, reason, webhook.origin];
  const text = shown.join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
