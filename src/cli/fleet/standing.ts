import { isTerminal, type SessionStatus } from '../../domain/session.js';
import { ageMs, spanText } from './ages.js';
import type { SessionRow } from './wire.js';

/** How a session stands, for people. */
export interface Standing {
  level: 'bad' | 'warn' | 'ok';
  /** Says the same as the level without any colour. */
  mark: string;
  /** Its state in a few words. */
  text: string;
  /** The smaller, the sooner somebody should look at it. */
  rank: number;
}

/** A connected number of which nothing was heard for so long (milliseconds) may be well, but should be looked at. */
export const SILENT_AFTER_MS = 10 * 60_000;

const WORDS: Readonly<Record<SessionStatus, string>> = {
  initializing: 'not paired',
  qr: 'waits for a scan',
  connected: 'connected',
  reconnecting: 'reconnecting',
  logged_out: 'logged out',
  replaced: 'replaced',
  banned: 'banned',
};

/** What is wrong with a session, the worst first. @param now by the daemon's clock */
export function standingOf(row: SessionRow, now: number): Standing {
  const text = WORDS[row.status] ?? row.status;
  if (isTerminal(row.status)) return { level: 'bad', mark: '✗', text, rank: 0 };
  if (row.podName === '') return { level: 'warn', mark: '!', text: 'held by no node', rank: 1 };
  if (row.status === 'connected') return connectedStanding(row, now);
  if (row.status === 'reconnecting')
    return { level: 'warn', mark: '!', text: retrying(text, row, now), rank: 2 };
  if (row.loggedIn) return { level: 'warn', mark: '!', text: 'connecting', rank: 2 };
  return { level: 'warn', mark: '○', text, rank: 4 };
}

function connectedStanding(row: SessionRow, now: number): Standing {
  if (!row.connected) return { level: 'warn', mark: '!', text: 'connected, unproven', rank: 1 };
  const silentMs = ageMs(row.lastStanzaAt || row.connectedAt, now) ?? 0;
  const isSilent = silentMs >= SILENT_AFTER_MS;
  const text = isSilent ? `connected, silent ${spanText(silentMs)}` : 'connected';
  if (hasWebhookTrouble(row)) return { level: 'warn', mark: '●', text, rank: 3 };
  return isSilent ? { level: 'warn', mark: '●', text, rank: 5 } : { level: 'ok', mark: '●', text, rank: 6 };
}

/** The receiver did not take the last event, or events wait to be sent again by hand. */
export function hasWebhookTrouble({ webhook }: SessionRow): boolean {
  return webhook.failed > 0 || (webhook.last !== undefined && webhook.last.outcome !== 'delivered');
}

function retrying(text: string, { retryAt }: SessionRow, now: number): string {
  const left = Date.parse(retryAt) - now;
  return left > 0 ? `${text} in ${spanText(left)}` : text;
}
