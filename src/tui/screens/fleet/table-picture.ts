import { ageText } from '../../../cli/fleet/ages.js';
import { countText, numberText, queueText, webhookText } from '../../../cli/fleet/cells.js';
import { hasWebhookTrouble, standingOf } from '../../../cli/fleet/standing.js';
import type { SessionRow } from '../../../cli/fleet/wire.js';
import { cleanLine } from '../../text/foreign.js';
import { columnsOf } from '../../text/graphemes.js';
import { cutText, fitLine, type Line, type Span, styled } from '../../text/line.js';
import { windowStart } from '../../text/window.js';
import { LEVEL_COLORS } from './level-colors.js';

interface Column {
  title: string;
  /** Columns that it takes at least, so that ticking ages move nothing. */
  least: number;
  most: number;
  /** The smaller, the longer it stays when the terminal is narrow. */
  priority: number;
  cell(row: SessionRow, now: number): Span;
  /** Left out where no row has anything in it; gets what is left over. */
  grows?: true;
}

const GAP = 2;
const MARKER = 2;
/** Sessions and their states are always shown, these share what there is. */
const SHARE_OF_NAME = 0.4;
/** What a reason gets before what is less important has got something. */
const USUAL_REASON = 44;

/** In the order in which they are drawn. */
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
  { title: 'QUEUE', least: 5, most: 9, priority: 7, cell: ({ webhook }) => ({ text: queueText(webhook) }) },
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

/** Where sessions are on several nodes, that is worth more than what comes after it. */
const COLUMNS_OF_SEVERAL = COLUMNS.map((column) =>
  column.title === 'NODE' ? { ...column, priority: 2.5 } : column,
);

export interface TablePicture {
  rows: readonly SessionRow[];
  selected: string | undefined;
  /** By the daemon's clock. */
  now: number;
  columns: number;
  /** With the head. */
  height: number;
}

/** The table: its head, and as many rows around the selected one as there is room for. */
export function tableLines({ rows, selected, now, columns, height }: TablePicture): Line[] {
  const fitted = fitColumns(rows, now, columns - MARKER);
  const head = cells(fitted, ({ title }) => ({ text: title, dim: true }));
  const chosen = Math.max(
    0,
    rows.findIndex(({ clientId }) => clientId === selected),
  );
  const shown = Math.max(1, height - 1);
  const start = windowStart(rows.length, chosen, shown);
  const lines = rows.slice(start, start + shown).map((row, place) => {
    const isChosen = start + place === chosen;
    const drawn = cells(fitted, (column) => column.cell(row, now));
    const line: Line = [{ text: isChosen ? '› ' : '  ', bold: true }, ...drawn];
    return fitLine(isChosen ? styled(line, { inverse: true }) : line, columns, { inverse: isChosen });
  });
  return [fitLine([{ text: ' '.repeat(MARKER) }, ...head], columns), ...lines];
}

interface Fitted {
  column: Column;
  width: number;
}

/** The columns for which there is room, the most important ones first; what is left goes to the reason. */
function fitColumns(rows: readonly SessionRow[], now: number, columns: number): Fitted[] {
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

/** What a column gets of the columns that are left; 0 leaves it out. */
function givenTo({ priority, least, grows }: Column, width: number, columns: number, left: number): number {
  if (priority === 0) return Math.min(width, Math.max(6, Math.floor(columns * SHARE_OF_NAME)));
  if (priority === 1) return Math.max(0, Math.min(width, left));
  if (grows) return width === 0 || left < least ? 0 : Math.min(Math.max(width, least), USUAL_REASON, left);
  return width <= left ? width : 0;
}

/** What its cells take, within its bounds; 0 where it is left out. */
function widthOf(
  { least, most, cell: draw, grows }: Column,
  rows: readonly SessionRow[],
  now: number,
): number {
  const widest = Math.max(0, ...rows.map((row) => columnsOf(draw(row, now).text)));
  if (grows && widest === 0) return 0;
  return Math.min(Math.max(least, widest), most);
}

/** One span for each, with the gap before it: each span takes time to draw. */
function cells(fitted: readonly Fitted[], draw: (column: Column) => Span): Line {
  return fitted.map(({ column, width }, place) => {
    const span = draw(column);
    const text = cutText(span.text, width);
    const gap = ' '.repeat(place > 0 ? GAP : 0);
    return { ...span, text: gap + text + ' '.repeat(width - columnsOf(text)) };
  });
}

function stateCell(row: SessionRow, now: number): Span {
  const { level, mark, text } = standingOf(row, now);
  return { text: `${mark} ${text}`, color: LEVEL_COLORS[level] };
}

function stanzaCell({ lastStanzaAt }: SessionRow, now: number): Span {
  return { text: lastStanzaAt ? `${ageText(lastStanzaAt, now)} ago` : '–' };
}

function failedCell({ webhook }: SessionRow): Span {
  return { text: countText(webhook.failed), color: 'red', bold: true };
}

function webhookCell(row: SessionRow, now: number): Span {
  const text = webhookText(row.webhook, now);
  if (!row.webhook.last) return { text, dim: true };
  return hasWebhookTrouble(row) && row.webhook.last.outcome !== 'delivered'
    ? { text, color: 'red' }
    : { text };
}

/** Why it is not connected. */
function reasonCell({ status, reason }: SessionRow): Span {
  return { text: status === 'connected' ? '' : cleanLine(reason), foreign: true };
}
