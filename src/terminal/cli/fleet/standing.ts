import type { FleetReceiver, FleetSession } from '../../../contract/index.js';
import { isTerminal, type SessionStatus } from '../../../domain/session.js';
import { reasonText } from '../reason-text.js';
import { ageMs, spanText } from '../text.js';

export interface Condition {
  level: 'bad' | 'warn' | 'ok';
  /** Shows the level without colour. */
  mark: string;
  text: string;
  /** Sort order: 0 is most urgent. */
  rank: number;
}

/** Milliseconds without traffic that deserve a warning. */
const SILENT_AFTER_MS = 10 * 60_000;

const WORDS: Readonly<Record<SessionStatus, string>> = {
  initializing: 'not paired',
  qr: 'waits for a scan',
  connected: 'connected',
  reconnecting: 'reconnecting',
  logged_out: 'logged out',
  replaced: 'replaced',
  banned: 'banned',
};

/**
 * The words for a state on all screens. Before the first connection they depend on whether the number is paired.
 * @param isPaired true if the number is paired, so that the session only has to connect
 */
export function stateWords(status: SessionStatus, isPaired: boolean): string {
  if (isPaired && (status === 'initializing' || status === 'qr')) return 'connecting';
  return WORDS[status] ?? status;
}

/** @param now by the daemon's clock */
export function conditionOf(row: FleetSession, now: number): Condition {
  const text = stateWords(row.status, row.loggedIn);
  if (isTerminal(row.status)) return { level: 'bad', mark: '✗', text, rank: 0 };
  if (row.podName === '') return { level: 'warn', mark: '!', text: 'held by no node', rank: 1 };
  if (row.status === 'connected') return connectedStanding(row, now);
  if (row.status === 'reconnecting')
    return { level: 'warn', mark: '!', text: retrying(text, row, now), rank: 2 };
  if (row.loggedIn) return { level: 'warn', mark: '!', text, rank: 2 };
  return { level: 'warn', mark: '○', text, rank: 4 };
}

function connectedStanding(row: FleetSession, now: number): Condition {
  if (row.restriction) return { level: 'bad', mark: '⊘', text: restricted(row.restriction, now), rank: 0.5 };
  if (!row.connected) return { level: 'warn', mark: '!', text: 'connected, unproven', rank: 1 };
  if (row.warning) return { level: 'warn', mark: '⊘', text: 'connected, warned', rank: 1.5 };
  const silentMs = ageMs(row.lastStanzaAt || row.connectedAt, now) ?? 0;
  const isSilent = silentMs >= SILENT_AFTER_MS;
  const text = isSilent ? `connected, silent ${spanText(silentMs)}` : 'connected';
  if (hasWebhookTrouble(row)) return { level: 'warn', mark: '●', text, rank: 3 };
  return isSilent ? { level: 'warn', mark: '●', text, rank: 5 } : { level: 'ok', mark: '●', text, rank: 6 };
}

/** True if a receiver is paused or down, or its last call failed. */
export function hasReceiverTrouble({ paused, waiting, last }: FleetReceiver): boolean {
  return (
    paused !== undefined || waiting?.circuit === 'open' || (last && last.outcome !== 'delivered') === true
  );
}

/** True if the webhook or another receiver has trouble, or there are failed deliveries. */
export function hasWebhookTrouble({ webhook, webhookPaused, receivers = [] }: FleetSession): boolean {
  if (webhookPaused || receivers.some(hasReceiverTrouble)) return true;
  return webhook.failed > 0 || (webhook.last !== undefined && webhook.last.outcome !== 'delivered');
}

/** The restriction of a connected number, with its end if the network says it. */
function restricted({ until }: NonNullable<FleetSession['restriction']>, now: number): string {
  const left = Date.parse(until) - now;
  return left > 0 ? `restricted, ${spanText(left)} left` : 'restricted';
}

/** Why a session has trouble, in the words of the command line: its restriction, or why it is not connected. */
export function reasonOf(session: FleetSession): string {
  if (session.restriction) return session.restriction.reason;
  return session.status === 'connected' ? '' : reasonText(session, session.clientId);
}

function retrying(text: string, { retryAt }: FleetSession, now: number): string {
  const left = Date.parse(retryAt) - now;
  return left > 0 ? `${text} in ${spanText(left)}` : text;
}

/** Sort orders, in the order in which a key cycles through them. */
export const SORTS = ['trouble', 'name', 'last stanza', 'failed', 'node'] as const;
export type Sort = (typeof SORTS)[number];

type Compare = (a: FleetSession, b: FleetSession) => number;

const byName: Compare = (a, b) => a.clientId.localeCompare(b.clientId, 'en', { numeric: true });

/** Filters and sorts the sessions; ties go by name. */
export function arranged(
  sessions: readonly FleetSession[],
  { sort, filter, now }: { sort: Sort; filter: string; now: number },
): FleetSession[] {
  const compare = comparisonOf(sort, now);
  return sessions.filter((row) => matches(row, filter, now)).sort((a, b) => compare(a, b) || byName(a, b));
}

function comparisonOf(sort: Sort, now: number): Compare {
  if (sort === 'trouble') return by((row) => conditionOf(row, now).rank);
  if (sort === 'failed') return by((row) => -row.webhook.failed);
  // longest silence first; no traffic ever counts as longest
  if (sort === 'last stanza') return by((row) => -(ageMs(row.lastStanzaAt, now) ?? Number.MAX_SAFE_INTEGER));
  // grouped by node; sessions without a node first
  if (sort === 'node') return (a, b) => a.podName.localeCompare(b.podName, 'en', { numeric: true });
  return byName;
}

function by(key: (row: FleetSession) => number): Compare {
  return (a, b) => key(a) - key(b);
}

/** True if every word of the filter occurs in the shown text. */
function matches(row: FleetSession, filter: string, now: number): boolean {
  const { clientId, podName, jid, status, webhook } = row;
  const shown = [clientId, podName, jid, status, conditionOf(row, now).text, reasonOf(row), webhook.origin];
  const text = shown.join(' ').toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
