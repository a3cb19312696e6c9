import { ageText, spanText } from '../../../cli/fleet/ages.js';
import { numberText, webhookText } from '../../../cli/fleet/cells.js';
import { standingOf } from '../../../cli/fleet/standing.js';
import type { SessionRow } from '../../../cli/fleet/wire.js';
import { cleanLine } from '../../text/foreign.js';
import { beside, cutText, fitLine, fitLines, type Line } from '../../text/line.js';
import { LEVEL_COLORS } from './level-colors.js';

type Fact = readonly [label: string, value: string];

const LABEL = 15;
/** From so many columns on facts stand in two columns. */
const TWO_COLUMNS_FROM = 72;

/** All that is known of a session, as lines of exactly these columns. What is empty is left out. */
export function factLines(row: SessionRow, now: number, columns: number): Line[] {
  const sentences = present(sentencesOf(row)).map((fact) => fitLine(factLine(fact, columns), columns));
  const facts = present(factsOf(row, now));
  return [...sentences, ...inColumns(facts, columns)];
}

/** The session's name and state. */
export function titleLine(row: SessionRow, now: number): Line {
  const { level, mark, text } = standingOf(row, now);
  const since = row.since ? ` for ${ageText(row.since, now)}` : '';
  return [
    { text: ` ${row.clientId}  `, bold: true },
    { text: `${mark} ${text}`, color: LEVEL_COLORS[level], bold: true },
    { text: since, dim: true },
  ];
}

function sentencesOf({ status, reason, lastDisconnect, webhook }: SessionRow): Fact[] {
  return [
    ['reason', status === 'connected' ? '' : reason],
    ['last disconnect', lastDisconnect],
    ['webhook', webhook.origin || 'off'],
    ['webhook says', webhook.last?.reason ?? ''],
  ];
}

function factsOf(row: SessionRow, now: number): Fact[] {
  const { webhook, history } = row;
  return [
    ['number', numberText(row)],
    ['node', row.podName || 'none'],
    ['held for', heldText(row)],
    ['workspace', row.orgId],
    ['connected for', row.connectedAt && ageText(row.connectedAt, now)],
    ['last stanza', row.lastStanzaAt && `${ageText(row.lastStanzaAt, now)} ago`],
    ['next attempt', retryText(row, now)],
    ['reconnects', String(row.reconnects)],
    ['open journal', String(row.openJournal)],
    ['group events', row.enableGroupAi ? 'on' : 'off'],
    ['past taken in', history ? `${history.progress} % (${history.messages} messages)` : ''],
    ['last call', webhook.last ? `${webhookText(webhook, now)}, ${took(row)}` : ''],
    ['on their way', `${webhook.waiting} waiting, ${webhook.inFlight} in flight`],
    ['since the start', `${webhook.delivered} arrived, ${webhook.dropped} lost`],
  ];
}

function heldText({ lease }: SessionRow): string {
  return lease ? `${spanText(lease.ageSeconds * 1_000)} (epoch ${lease.epoch})` : '';
}

function took({ webhook: { last } }: SessionRow): string {
  return `${Math.round(last?.durationMs ?? 0)} ms`;
}

function retryText({ retryAt }: SessionRow, now: number): string {
  const left = Date.parse(retryAt) - now;
  return left > 0 ? `in ${spanText(left)}` : '';
}

function present(facts: readonly Fact[]): Fact[] {
  return facts.flatMap(([label, value]) => (value === '' ? [] : [[label, cleanLine(value)] as const]));
}

function inColumns(facts: readonly Fact[], columns: number): Line[] {
  if (columns < TWO_COLUMNS_FROM) return facts.map((fact) => fitLine(factLine(fact, columns), columns));
  const half = Math.floor(columns / 2);
  const rows = Math.ceil(facts.length / 2);
  const block = (part: readonly Fact[], width: number) =>
    fitLines(
      part.map((fact) => factLine(fact, width)),
      width,
      rows,
    );
  return beside(block(facts.slice(0, rows), half), block(facts.slice(rows), columns - half));
}

function factLine([label, value]: Fact, columns: number): Line {
  return [
    { text: ` ${label.padEnd(LABEL)} `, dim: true },
    { text: cutText(value, Math.max(1, columns - LABEL - 2)), foreign: true },
  ];
}
