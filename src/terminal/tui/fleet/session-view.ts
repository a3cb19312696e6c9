import type { FailedDelivery, FleetSession } from '../../../contract/index.js';
import { waitingText } from '../../cli/failed.js';
import { numberText, receiverText, webhookText } from '../../cli/fleet/cells.js';
import type { FleetState, OpenedSession } from '../../cli/fleet/model.js';
import { conditionOf, reasonOf } from '../../cli/fleet/standing.js';
import { reasonText } from '../../cli/reason-text.js';
import { lastDisconnectOf, proxyText } from '../../cli/sessions.js';
import { tailLine } from '../../cli/tail-lines.js';
import { ageText, spanText } from '../../cli/text.js';
import { type Pane, paneLines } from '../pane.js';
import { cleanLine } from '../text/foreign.js';
import { beside, type Color, cutText, fitLine, fitLines, type Line, styled } from '../text/line.js';
import { windowStart } from '../widgets.js';
import { LEVEL_COLORS } from './table-view.js';

/** Visible failed deliveries, at most. */
const FAILED_ROWS = 6;

interface SessionPicture {
  fleet: FleetState;
  opened: OpenedSession;
  /** Index of the selected failed delivery. */
  failed: number;
  now: number;
  columns: number;
  rows: number;
}

/** Draws one session in three panes: its facts, its failed deliveries, and its live events. */
export function sessionPanes(
  { fleet, opened, failed, now, columns, rows }: SessionPicture,
  { color, about }: Pick<Pane, 'color' | 'about'>,
): Line[] {
  const row = fleet.sessions.find(({ clientId }) => clientId === opened.clientId);
  const inside = columns - EDGES;
  const pane = (title: Line, lines: readonly Line[], rest: Partial<Pane> = {}): Line[] =>
    paneLines({ title, isFocused: false, color, columns, rows: lines.length + EDGES, ...rest }, lines);
  if (!row) return pane([{ text: opened.clientId }], [missing(opened)], { rows, isFocused: true });
  const all = factLines(row, now, inside);
  const facts = all.slice(0, Math.max(FEWEST_FACTS, rows - 2 * (EDGES + 1) - EDGES - USUAL_EVENTS));
  const most = Math.max(1, Math.min(FAILED_ROWS, rows - facts.length - 3 * EDGES - 1));
  const deliveries = failedLines(opened, failed, now, inside, most);
  const upper = [
    ...pane(titleLine(row, now), facts, { ...(about && { about }) }),
    ...pane(
      [{ text: 'Failed deliveries' }, { text: opened.failed ? ` ${opened.failed.length}` : '', dim: true }],
      deliveries.length > 0 ? deliveries : [[{ text: ` ${failedText(opened)}`, dim: true }]],
      { isFocused: true },
    ),
  ];
  const left = Math.max(1, rows - upper.length - EDGES);
  const events = fitLines(entryLines(opened, left), inside, left);
  return fitLines([...upper, ...pane([{ text: 'Live events and attempts' }], events)], columns, rows);
}

/** Rows or columns of the two edges of a pane. */
const EDGES = 2;
/** Rows of facts even on a small screen, and of events before less important facts get any. */
const FEWEST_FACTS = 3;
const USUAL_EVENTS = 5;

/** Draws the same without frames, for small terminals. */
export function sessionLines({ fleet, opened, failed, now, columns, rows }: SessionPicture): Line[] {
  const row = fleet.sessions.find(({ clientId }) => clientId === opened.clientId);
  if (!row) return fitLines([missing(opened)], columns, rows);
  const facts = factLines(row, now, columns).slice(0, Math.max(FEWEST_FACTS, Math.floor(rows / 2)));
  const deliveries = failedLines(opened, failed, now, columns, FAILED_ROWS);
  const count = deliveries.length > 0 ? `Failed deliveries ${opened.failed?.length}` : failedText(opened);
  const top = [fitLine(titleLine(row, now), columns), ...facts, headingLine(count), ...deliveries];
  const left = Math.max(0, rows - top.length - 1);
  const heading = headingLine('Live events and attempts');
  return fitLines([...top, heading, ...entryLines(opened, left)], columns, rows);
}

function missing({ clientId }: OpenedSession): Line {
  return [{ text: ` There is no session ${clientId}` }];
}

function failedText({ failed }: OpenedSession): string {
  return failed === undefined ? 'Reading the failed deliveries …' : 'No failed deliveries';
}

function failedLines(
  { failed = [], resending }: OpenedSession,
  selected: number,
  now: number,
  columns: number,
  most: number,
): Line[] {
  const chosen = Math.min(selected, failed.length - 1);
  const start = windowStart(failed.length, chosen, most);
  return failed.slice(start, start + most).map((one, place) => {
    const isChosen = start + place === chosen;
    const line = failedLine(one, now, { isChosen, isResending: resending.includes(one.id) });
    return isChosen ? styled(fitLine(line, columns), { back: 'selected' }) : fitLine(line, columns);
  });
}

function failedLine(
  { type, reason, attempts, failedAt, messageId }: FailedDelivery,
  now: number,
  { isChosen, isResending }: { isChosen: boolean; isResending: boolean },
): Line {
  return [
    { text: isChosen ? '› ' : '  ', bold: true },
    { text: isResending ? '… ' : '✗ ', color: isResending ? 'yellow' : 'red' },
    { text: `${ageText(failedAt, now)} ago`.padEnd(12), dim: true },
    { text: `${type}  `, bold: true },
    { text: `${cleanLine(reason)}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}  `, foreign: true },
    { text: cleanLine(messageId), dim: true },
  ];
}

/** Draws the newest entries, the latest at the bottom. */
function entryLines({ entries }: OpenedSession, rows: number): Line[] {
  if (entries.length === 0) return [[{ text: '  nothing yet', dim: true }]];
  return entries.slice(Math.max(0, entries.length - rows)).map((entry) => {
    const color = colorOf(entry);
    return [{ text: ' ' }, { text: cleanLine(tailLine(entry, plain)), foreign: true, color }];
  });
}

function colorOf(entry: OpenedSession['entries'][number]): Color | undefined {
  if (entry.kind === 'dropped') return 'red';
  if (entry.kind === 'attempt') return ATTEMPT_COLORS[entry.outcome];
  return entry.event.event === 'session.status' ? 'magenta' : undefined;
}

const ATTEMPT_COLORS: Readonly<Record<string, Color>> = {
  delivered: 'green',
  rejected: 'red',
  failed: 'yellow',
};

function headingLine(text: string): Line {
  return [{ text: ` ${text}`, bold: true, underline: true }];
}

function plain(_style: string, text: string): string {
  return text;
}

type Fact = readonly [label: string, value: string];

const LABEL = 15;
/** Minimum width for facts in two columns. */
const TWO_COLUMNS_FROM = 72;

/** Draws the facts of a session that are not empty, as lines of exactly these columns. */
function factLines(row: FleetSession, now: number, columns: number): Line[] {
  const sentences = present(sentencesOf(row, now)).map((fact) => fitLine(factLine(fact, columns), columns));
  const facts = present(factsOf(row, now));
  return [...sentences, ...inColumns(facts, columns)];
}

/** The session's name and state. */
function titleLine(row: FleetSession, now: number): Line {
  const { level, mark, text } = conditionOf(row, now);
  const since = row.since ? ` for ${ageText(row.since, now)}` : '';
  return [
    { text: `${row.clientId}  `, bold: true },
    { text: `${mark} ${text}`, color: LEVEL_COLORS[level], bold: true },
    { text: since, dim: true },
  ];
}

function sentencesOf(row: FleetSession, now: number): Fact[] {
  const { clientId, webhook, receivers = [] } = row;
  return [
    ['reason', reasonOf(row)],
    ['last disconnect', reasonText(lastDisconnectOf(row), clientId)],
    ['webhook', webhook.origin || 'off'],
    ['last result', webhook.last?.reason ?? ''],
    ...receivers.map((one): Fact => [`receiver ${one.id}`, receiverText(one, now)]),
  ];
}

function factsOf(row: FleetSession, now: number): Fact[] {
  const { webhook, history } = row;
  return [
    ['number', numberText(row)],
    ['node', row.podName || 'none'],
    ['proxy', row.proxy ? proxyText(row.proxy) : ''],
    ['held for', heldText(row)],
    ['workspace', row.orgId],
    ['connected for', row.connectedAt && ageText(row.connectedAt, now)],
    ['last stanza', row.lastStanzaAt && `${ageText(row.lastStanzaAt, now)} ago`],
    ['next attempt', retryText(row, now)],
    ['reconnects', String(row.reconnects)],
    ['open journal', String(row.openJournal)],
    ['group events', row.enableGroupAi ? 'on' : 'off'],
    ['history import', history ? `${history.progress} % (${history.messages} messages)` : ''],
    ['webhook paused', row.webhookPaused ?? ''],
    ['last call', webhook.last ? `${webhookText(webhook, now)}, ${took(row)}` : ''],
    ['deliveries', `${webhook.waiting} waiting, ${webhook.inFlight} in flight`],
    ['waiting events', row.waiting ? waitingText(row.waiting) : ''],
    ['held messages', row.held ? `${row.held}, until the policy allows them` : ''],
    ['since start', `${webhook.delivered} delivered, ${webhook.dropped} dropped`],
  ];
}

function heldText({ lease }: FleetSession): string {
  return lease ? `${spanText(lease.ageSeconds * 1_000)} (epoch ${lease.epoch})` : '';
}

function took({ webhook: { last } }: FleetSession): string {
  return `${Math.round(last?.durationMs ?? 0)} ms`;
}

function retryText({ retryAt }: FleetSession, now: number): string {
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
