import type { FleetSession } from '../../../contract/index.js';
import { countText, numberText, queueText, totalsOf, webhookText } from '../../cli/fleet/cells.js';
import { type Condition, conditionOf, hasWebhookTrouble, reasonOf } from '../../cli/fleet/standing.js';
import { ageText } from '../../cli/text.js';
import { cleanLine } from '../text/foreign.js';
import { columnsOf } from '../text/graphemes.js';
import { type Color, cutText, fitLine, type Line, type Span, styled } from '../text/line.js';
import { windowStart } from '../widgets.js';

interface Column {
  title: string;
  /** Minimum width, so that ages that grow do not move the table. */
  least: number;
  most: number;
  /** A narrow terminal drops the columns with the highest numbers first. */
  priority: number;
  cell(row: FleetSession, now: number): Span;
  /** Gets the remaining width; hidden if empty in every row. */
  grows?: true;
}

const GAP = 2;
const MARKER = 2;
/** Part of the width that the session names may use. */
const SHARE_OF_NAME = 0.4;
/** Width of the reason before less important columns get any. */
const USUAL_REASON = 44;

/** In drawing order. */
const COLUMNS: readonly Column[] = [
  { title: 'SESSION', least: 7, most: 24, priority: 0, cell: (row) => ({ text: row.clientId, bold: true }) },
  { title: 'STATE', least: 12, most: 30, priority: 1, cell: stateCell },
  {
    title: 'SINCE',
    least: 6,
    most: 6,
    priority: 4,
    cell: ({ since }, now) => ({ text: ageText(since, now) }),
  },
  { title: 'LAST STANZA', least: 11, most: 11, priority: 3, cell: stanzaCell },
  { title: 'FAILED', least: 6, most: 6, priority: 2, cell: failedCell },
  { title: 'WEBHOOK', least: 16, most: 22, priority: 6, cell: webhookCell },
  { title: 'REASON', least: 20, most: 200, priority: 5, grows: true, cell: reasonCell },
  { title: 'QUEUE', least: 5, most: 9, priority: 7, cell: (row) => ({ text: queueText(row) }) },
  {
    title: 'RECONN',
    least: 6,
    most: 6,
    priority: 8,
    cell: ({ reconnects }) => ({ text: countText(reconnects) }),
  },
  {
    title: 'NODE',
    least: 4,
    most: 20,
    priority: 9,
    cell: ({ podName }) => ({ text: cleanLine(podName), dim: true }),
  },
  {
    title: 'OPEN',
    least: 4,
    most: 6,
    priority: 10,
    cell: ({ openJournal }) => ({ text: countText(openJournal) }),
  },
  {
    title: 'NUMBER',
    least: 13,
    most: 16,
    priority: 11,
    cell: (row) => ({ text: numberText(row), dim: true }),
  },
];

/** With several nodes the node's column is more important. */
const COLUMNS_OF_SEVERAL = COLUMNS.map((column) =>
  column.title === 'NODE' ? { ...column, priority: 2.5 } : column,
);

/** Draws the heading, and as many rows around the selected one as fit. */
export function tableLines({
  rows,
  selected,
  marked,
  isStale,
  now,
  columns,
  height,
}: {
  rows: readonly FleetSession[];
  selected: string | undefined;
  /** Names of the marked sessions. */
  marked: ReadonlySet<string>;
  /** Dims all rows, because the daemon does not answer. */
  isStale: boolean;
  /** By the daemon's clock. */
  now: number;
  columns: number;
  /** Including the heading. */
  height: number;
}): Line[] {
  const fitted = fitColumns(rows, now, columns);
  const chosen = Math.max(
    0,
    rows.findIndex(({ clientId }) => clientId === selected),
  );
  const shown = Math.max(1, height - 1);
  const start = windowStart(rows.length, chosen, shown);
  const lines = rows.slice(start, start + shown).map((row, place) => {
    const isChosen = start + place === chosen;
    return rowLine(row, { fitted, isChosen, isMarked: marked.has(row.clientId), isStale, now, columns });
  });
  return [headLine(fitted, columns), ...lines];
}

/** Draws the titles of the columns. */
export function headLine(fitted: readonly Fitted[], columns: number): Line {
  const head = cells(fitted, ({ title }) => ({ text: title, dim: true }));
  return fitLine([{ text: ' '.repeat(MARKER) }, ...head], columns);
}

/** Draws one session. */
export function rowLine(
  row: FleetSession,
  {
    fitted,
    isChosen,
    isMarked = false,
    isStale,
    now,
    columns,
  }: {
    fitted: readonly Fitted[];
    isChosen: boolean;
    isMarked?: boolean;
    isStale: boolean;
    now: number;
    columns: number;
  },
): Line {
  const drawn = cells(fitted, (column) => column.cell(row, now));
  const sign: Span = {
    text: `${isChosen ? '›' : ' '}${isMarked ? '*' : ' '}`,
    bold: true,
    color: 'accent',
  };
  const line: Line = [sign, ...(isStale ? drawn.map(faded) : drawn)];
  if (isChosen) return styled(fitLine(line, columns), { back: 'selected' });
  return isMarked ? styled(fitLine(line, columns), { back: 'idle' }) : fitLine(line, columns);
}

/** Without its colour, which might not be true any more. */
function faded({ text, foreign }: Span): Span {
  return { text, dim: true, foreign: foreign || undefined };
}

/** A column that has a place in the table. */
export interface Fitted {
  column: Column;
  width: number;
}

/** Chooses the columns that fit, the most important first. The reason gets the remaining width. */
export function fitColumns(rows: readonly FleetSession[], now: number, width: number): Fitted[] {
  const columns = width - MARKER;
  const all = rows.some(({ podName }) => podName !== rows[0]?.podName) ? COLUMNS_OF_SEVERAL : COLUMNS;
  const wanted = all.map((column) => ({ column, width: widthOf(column, rows, now) }));
  const chosen: Fitted[] = [];
  let left = columns + GAP;
  for (const { column, width } of wanted.toSorted((a, b) => a.column.priority - b.column.priority)) {
    const given = givenTo(column, width, columns, left - GAP);
    if (given === 0) continue;
    chosen.push({ column, width: given });
    left -= given + GAP;
  }
  return all.flatMap((column) => {
    const fitted = chosen.find((one) => one.column === column);
    if (!fitted || !column.grows) return fitted ?? [];
    const natural = wanted.find((one) => one.column === column)?.width ?? 0;
    return { column, width: Math.min(fitted.width + Math.max(0, left), Math.max(natural, fitted.width)) };
  });
}

/** Returns the width of a column, given the remaining width; 0 hides the column. */
function givenTo({ priority, least, grows }: Column, width: number, columns: number, left: number): number {
  if (priority === 0) return Math.min(width, Math.max(6, Math.floor(columns * SHARE_OF_NAME)));
  if (priority === 1) return Math.max(0, Math.min(width, left));
  if (grows) return width === 0 || left < least ? 0 : Math.min(Math.max(width, least), USUAL_REASON, left);
  return width <= left ? width : 0;
}

/** Returns the width of the widest cell, within the column's bounds; 0 hides the column. */
function widthOf(
  { least, most, cell: draw, grows }: Column,
  rows: readonly FleetSession[],
  now: number,
): number {
  const widest = Math.max(0, ...rows.map((row) => columnsOf(draw(row, now).text)));
  if (grows && widest === 0) return 0;
  return Math.min(Math.max(least, widest), most);
}

/** Draws each cell as one span with its gap, because fewer spans draw faster; a gap has no background. */
function cells(fitted: readonly Fitted[], draw: (column: Column) => Span): Line {
  return fitted.flatMap(({ column, width }, place): Line => {
    const span = draw(column);
    const text = cutText(span.text, width);
    const gap = ' '.repeat(place > 0 ? GAP : 0);
    const rest = ' '.repeat(width - columnsOf(text));
    return span.back
      ? [{ text: gap }, { ...span, text: text + rest }]
      : [{ ...span, text: gap + text + rest }];
  });
}

function stateCell(row: FleetSession, now: number): Span {
  const { level, mark, text } = conditionOf(row, now);
  const state = { text: `${mark} ${text}` };
  // red letters on the red background would be hard to read
  return row.restriction
    ? { ...state, bold: true, back: 'failed' }
    : { ...state, color: LEVEL_COLORS[level] };
}

function stanzaCell({ lastStanzaAt }: FleetSession, now: number): Span {
  return { text: lastStanzaAt ? `${ageText(lastStanzaAt, now)} ago` : '–' };
}

function failedCell({ webhook }: FleetSession): Span {
  return { text: countText(webhook.failed), color: 'red', bold: true };
}

function webhookCell(row: FleetSession, now: number): Span {
  if (row.webhookPaused) return { text: 'paused', color: 'yellow' };
  const text = webhookText(row.webhook, now);
  if (!row.webhook.last) return { text, dim: true };
  return hasWebhookTrouble(row) && row.webhook.last.outcome !== 'delivered'
    ? { text, color: 'red' }
    : { text };
}

/** The restriction of the number, or the reason why the session is not connected. */
function reasonCell(row: FleetSession): Span {
  return { text: cleanLine(reasonOf(row)), foreign: true };
}

/** Green: works. Yellow: in transition, or a warning. Red: needs an operator. */
export const LEVEL_COLORS: Readonly<Record<Condition['level'], Color>> = {
  bad: 'red',
  warn: 'yellow',
  ok: 'green',
};

/** The totals of the sessions; those that tell of trouble catch the eye. */
export function totalsLine(sessions: readonly FleetSession[]): Line {
  return totalsOf(sessions).flatMap(({ text, level }, place): Line => {
    const total: Span = level ? { text, color: LEVEL_COLORS[level], bold: true } : { text, dim: true };
    return place > 0 ? [{ text: ' · ', dim: true }, total] : [total];
  });
}
