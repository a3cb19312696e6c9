import type {
  FleetAnswer,
  FleetNode,
  FleetReceiver,
  FleetSession,
  FleetWebhook,
  WebhookAttempt,
} from '../../../contract/index.js';
import { isTerminal } from '../../../domain/session.js';
import { plainLine } from '../../../domain/text.js';
import { waitingText } from '../failed.js';
import { sessionCount } from '../nodes.js';
import type { Paint, Style } from '../output.js';
import { ageText, spanText } from '../text.js';
import { arranged, type Condition, conditionOf, hasReceiverTrouble, reasonOf } from './standing.js';

export const FLEET_HEAD = [
  'SESSION',
  'STATE',
  'SINCE',
  'LAST STANZA',
  'RECONNECTS',
  'WEBHOOK',
  'QUEUE',
  'FAILED',
  'OPEN',
  'NUMBER',
  'NODE',
  'REASON',
] as const;

const STYLES: Readonly<Record<Condition['level'], Style>> = { bad: 'red', warn: 'yellow', ok: 'green' };

/** Table rows of the fleet, problems first. */
export function fleetRows({ at, sessions }: FleetAnswer, paint: Paint): string[][] {
  const now = Date.parse(at);
  return arranged(sessions, { sort: 'trouble', filter: '', now }).map((row) => {
    const { level, mark, text } = conditionOf(row, now);
    return [
      row.clientId,
      paint(STYLES[level], `${mark} ${text}`),
      ageText(row.since, now),
      ageText(row.lastStanzaAt, now),
      countText(row.reconnects),
      webhookStateText(row, now),
      queueText(row),
      countText(row.webhook.failed),
      countText(row.openJournal),
      numberText(row),
      row.proxy ? `${row.podName} via proxy` : row.podName,
      plainLine(reasonOf(row)),
    ];
  });
}

const MARKS: Readonly<Record<WebhookAttempt['outcome'], string>> = {
  delivered: '✓',
  rejected: '✗',
  failed: '!',
};

/** Last call of the webhook, such as `✓ 200, 3 s ago`. */
export function webhookText({ origin, last }: Pick<FleetWebhook, 'origin' | 'last'>, now: number): string {
  if (!last) return origin ? 'not called yet' : 'off';
  const answer = last.status || 'no answer';
  return `${MARKS[last.outcome] ?? '?'} ${answer}, ${ageText(last.at, now)} ago`;
}

/** The last call of the webhook or its pause, and the number of other receivers with trouble. */
function webhookStateText({ webhook, webhookPaused, receivers = [] }: FleetSession, now: number): string {
  const text = webhookPaused ? 'paused' : webhookText(webhook, now);
  const troubled = receivers.filter(hasReceiverTrouble).length;
  return troubled > 0 ? `${text}; ${troubled} of ${receivers.length} others in trouble` : text;
}

/** A receiver beside the webhook, such as `https://example.com: paused, it answered 410`. */
export function receiverText({ origin, paused, waiting, last }: FleetReceiver, now: number): string {
  const call = last ? webhookText({ origin, last }, now) : 'not called yet';
  const state = paused ? `paused, ${paused}` : call;
  return `${origin}: ${state}${waiting ? `; ${waitingText(waiting)}` : ''}`;
}

/** Queue of all receivers: `12+3` means 12 waiting and 3 in flight; empty if none. */
export function queueText(row: Pick<FleetSession, 'webhook' | 'receivers'>): string {
  const { waiting, inFlight } = queueOf(row);
  return waiting + inFlight > 0 ? `${waiting}+${inFlight}` : '';
}

/** Deliveries to all receivers of a session. */
function queueOf({ webhook, receivers = [] }: Pick<FleetSession, 'webhook' | 'receivers'>): {
  waiting: number;
  inFlight: number;
} {
  const others = receivers.map(({ waiting, inFlight }) => ({
    waiting: Math.max(0, (waiting?.events ?? 0) - inFlight),
    inFlight,
  }));
  return [webhook, ...others].reduce<{ waiting: number; inFlight: number }>(
    (sum, one) => ({ waiting: sum.waiting + one.waiting, inFlight: sum.inFlight + one.inFlight }),
    { waiting: 0, inFlight: 0 },
  );
}

export function countText(count: number): string {
  return count > 0 ? String(count) : '';
}

/** Phone number, such as `+15550000001`; empty before pairing. */
export function numberText({ jid }: FleetSession): string {
  const [user = ''] = jid.split('@');
  return user && `+${user}`;
}

/** A node in one line. @param among number of nodes; with several, shows the number of sessions */
export function nodeText(node: FleetNode, now: number, among = 1): string {
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

function healthTexts({ reachable, silentSeconds, store, network, waVersion }: FleetNode): string[] {
  const texts: string[] = [];
  if (!reachable) texts.push(`DOES NOT ANSWER, last heartbeat ${spanText(silentSeconds * 1_000)} ago`);
  if (store) texts.push(`store ${store.name} ${store.reachable ? `ok, ${store.ms} ms` : 'UNREACHABLE'}`);
  if (network) texts.push(`network ${network.state === 'down' ? 'DOWN' : network.state}`);
  if (waVersion) texts.push(`WhatsApp ${waVersion.version}`);
  return texts;
}

/** True if the node, its store and its network answer. */
export function isNodeWell({ reachable, store, network }: FleetNode): boolean {
  return reachable && store?.reachable !== false && network?.state !== 'down';
}

/** A number of sessions or deliveries, with a level if it signals trouble. */
export interface Total {
  text: string;
  level?: Condition['level'];
}

/** Totals of all sessions in one line. */
export function totalsText(sessions: readonly FleetSession[]): string {
  return totalsOf(sessions)
    .map(({ text }) => text)
    .join(' · ');
}

/** Totals of all sessions, each with its level. */
export function totalsOf(sessions: readonly FleetSession[]): Total[] {
  const count = (counts: (row: FleetSession) => boolean) => sessions.filter(counts).length;
  const sum = (pick: (webhook: FleetWebhook) => number) =>
    sessions.reduce((total, { webhook }) => total + pick(webhook), 0);
  const connected = count((row) => row.connected);
  const stopped = count((row) => !row.connected && isTerminal(row.status));
  const restricted = count((row) => row.restriction !== undefined);
  const failed = sum((webhook) => webhook.failed);
  const queued = sessions.map(queueOf).reduce((total, one) => total + one.waiting + one.inFlight, 0);
  const held = sessions.reduce((total, row) => total + (row.held ?? 0), 0);
  const down = sessions.length - connected - stopped;
  const bad = (text: string): Total => ({ text, level: 'bad' });
  return [
    { text: sessionCount(sessions.length) },
    { text: `${connected} connected` },
    { text: `${down} down`, level: down > 0 ? ('warn' as const) : undefined },
    ...(stopped ? [bad(`${stopped} stopped`)] : []),
    ...(restricted ? [bad(`${restricted} restricted`)] : []),
    ...(held ? [{ text: `${held} held by policies` }] : []),
    ...(queued ? [{ text: `${queued} deliveries queued` }] : []),
    ...(failed ? [bad(`${failed} failed`)] : []),
  ];
}
