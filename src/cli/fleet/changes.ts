import type { TailEntry } from '../../delivery/tail.js';
import { originOf } from '../../domain/shown-url.js';
import type { SessionRow } from './wire.js';

type AttemptEntry = Extract<TailEntry, { kind: 'attempt' }>;

/**
 * The sessions after an entry of the live stream. Counts are left to the next reading of the route: an entry may be one
 * that was read with it already.
 */
export function afterEntry(sessions: readonly SessionRow[], entry: TailEntry): readonly SessionRow[] {
  if (entry.kind === 'attempt') return changed(sessions, entry.clientId, (row) => afterAttempt(row, entry));
  if (entry.kind !== 'event' || entry.event.event !== 'session.status') return sessions;
  const { status, reason, timestamp } = entry.event;
  return changed(sessions, entry.clientId, (row) => {
    if (row.since > timestamp) return row;
    const since = row.status === status ? row.since : timestamp;
    return { ...row, status, reason, since, connected: status === 'connected', retryAt: '' };
  });
}

/** True when figures have changed that no entry tells. */
export function callsForReading(entry: TailEntry): boolean {
  return entry.kind === 'dropped' || (entry.kind === 'event' && entry.event.event === 'session.status');
}

function afterAttempt(row: SessionRow, entry: AttemptEntry): SessionRow {
  const { at, type, attempt, outcome, status, reason, durationMs, url } = entry;
  if ((row.webhook.last?.at ?? '') > at) return row;
  const last = { at, origin: originOf(url), type, attempt, outcome, status, reason, durationMs };
  return { ...row, webhook: { ...row.webhook, last } };
}

function changed(
  sessions: readonly SessionRow[],
  clientId: string,
  change: (row: SessionRow) => SessionRow,
): readonly SessionRow[] {
  const place = sessions.findIndex((row) => row.clientId === clientId);
  const row = sessions[place];
  return row ? sessions.with(place, change(row)) : sessions;
}
