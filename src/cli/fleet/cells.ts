import { isTerminal } from '../../domain/session.js';
import { sessionCount } from '../nodes.js';
import { ageText, spanText } from './ages.js';
import type { AttemptRow, NodeRow, SessionRow, WebhookRow } from './wire.js';

const MARKS: Readonly<Record<AttemptRow['outcome'], string>> = { delivered: '✓', rejected: '✗', failed: '!' };

/** What came of the last call of a receiver: `✓ 200, 3 s ago`. */
export function webhookText({ origin, last }: WebhookRow, now: number): string {
  if (!last) return origin ? 'not called yet' : 'off';
  const answer = last.status || 'no answer';
  return `${MARKS[last.outcome] ?? '?'} ${answer}, ${ageText(last.at, now)} ago`;
}

/** What is on its way: `12+3` are 12 that wait and 3 in flight; empty when there is nothing. */
export function queueText({ waiting, inFlight }: WebhookRow): string {
  return waiting + inFlight > 0 ? `${waiting}+${inFlight}` : '';
}

export function countText(count: number): string {
  return count > 0 ? String(count) : '';
}

/** The own number: `+15550000001`; empty before it is paired. */
export function numberText({ jid }: SessionRow): string {
  const [user = ''] = jid.split('@');
  return user && `+${user}`;
}

/** A node in one line. @param among how many nodes there are: one of several tells how much of the whole it holds */
export function nodeText(node: NodeRow, now: number, among = 1): string {
  const { podName, version, startedAt, memory, sessions } = node;
  const parts = [
    podName,
    version,
    `up ${ageText(startedAt, now)}`,
    ...(among > 1 ? [sessionCount(sessions.total)] : []),
    ...(node.draining ? ['DRAINING'] : []),
    ...(memory ? [`${Math.round(memory.rss / 1_048_576)} MB`] : []),
    ...healthTexts(node),
  ];
  return parts.join(' · ');
}

function healthTexts({ reachable, silentSeconds, store, network }: NodeRow): string[] {
  const texts: string[] = [];
  if (!reachable) texts.push(`DOES NOT ANSWER, last heard of ${spanText(silentSeconds * 1_000)} ago`);
  if (store) texts.push(`store ${store.name} ${store.reachable ? `ok, ${store.ms} ms` : 'UNREACHABLE'}`);
  if (network) texts.push(`network ${network.state === 'down' ? 'DOWN' : network.state}`);
  return texts;
}

/** A node is in trouble when it does not answer, or its store or its network does not. */
export function isNodeWell({ reachable, store, network }: NodeRow): boolean {
  return reachable && store?.reachable !== false && network?.state !== 'down';
}

/** All sessions in one line: how many there are, and how they stand. */
export function totalsText(sessions: readonly SessionRow[]): string {
  const count = (counts: (row: SessionRow) => boolean) => sessions.filter(counts).length;
  const sum = (pick: (webhook: WebhookRow) => number) =>
    sessions.reduce((total, { webhook }) => total + pick(webhook), 0);
  const connected = count((row) => row.connected);
  const stopped = count((row) => !row.connected && isTerminal(row.status));
  const failed = sum((webhook) => webhook.failed);
  const queued = sum(({ waiting, inFlight }) => waiting + inFlight);
  return [
    sessionCount(sessions.length),
    `${connected} connected`,
    `${sessions.length - connected - stopped} down`,
    ...(stopped ? [`${stopped} stopped`] : []),
    ...(queued ? [`${queued} deliveries on their way`] : []),
    ...(failed ? [`${failed} failed`] : []),
  ].join(' · ');
}
