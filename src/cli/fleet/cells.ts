import { ageText } from './ages.js';
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

/** A node in one line. */
export function nodeText(
  { podName, version, startedAt, memory, store, network }: NodeRow,
  now: number,
): string {
  const parts = [
    podName,
    version,
    `up ${ageText(startedAt, now)}`,
    ...(memory ? [`${Math.round(memory.rss / 1_048_576)} MB`] : []),
    store.reachable ? `store ${store.name} ok, ${store.ms} ms` : `store ${store.name} UNREACHABLE`,
    `network ${network.state === 'down' ? 'DOWN' : network.state}`,
  ];
  return parts.join(' · ');
}

/** A node is in trouble when its store or its network is. */
export function isNodeWell({ store, network }: NodeRow): boolean {
  return store.reachable && network.state !== 'down';
}

/** All sessions in one line: how many there are, and how they stand. */
export function totalsText(nodes: readonly NodeRow[]): string {
  const sum = (pick: (node: NodeRow) => number) => nodes.reduce((total, node) => total + pick(node), 0);
  const total = sum(({ sessions }) => sessions.total);
  const stopped = sum(({ sessions }) => sessions.terminal);
  const failed = sum(({ deliveries }) => deliveries.failed);
  const queued = sum(({ deliveries }) => deliveries.waiting + deliveries.inFlight);
  return [
    `${total} ${total === 1 ? 'session' : 'sessions'}`,
    `${sum(({ sessions }) => sessions.connected)} connected`,
    `${sum(({ sessions }) => sessions.down)} down`,
    ...(stopped ? [`${stopped} stopped`] : []),
    ...(queued ? [`${queued} deliveries on their way`] : []),
    ...(failed ? [`${failed} failed`] : []),
  ].join(' · ');
}
