import { stripVTControlCharacters } from 'node:util';
import { singleLine } from '../../domain/text.js';
import { changeWords, type Paint, terminalLine } from './paint.js';

/** Gap between two columns. */
export const GAP = '  ';
const ASCII = /^[ -~]*$/;
/** Minimum width to which a cell is shortened. */
const NARROWEST_CELL = 10;

interface TableOptions {
  /** Columns of the terminal; undefined for a pipe, where everything is shown. */
  width?: number;
  /** Titles of the columns to leave out first; then the others, from the right. */
  leaveOut?: readonly string[];
  paint: Paint;
}

/**
 * Lays out a table. No line is wider than the terminal: long cells are shortened with `…`; if that is not enough,
 * columns are left out. The first column always stays.
 * @param rows cells, which may have colours of `paint`
 */
export async function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, leaveOut = [], paint }: TableOptions,
): Promise<{ lines: string[]; leftOut: string[] }> {
  const cells = [head, ...rows].map((row) => row.map((cell) => changeWords(cell, singleLine)));
  const widthOf = await measureFor(cells.flat());
  const natural = head.map((_, at) => Math.max(...cells.map((row) => widthOf(row[at] ?? ''))));
  const shown = columnsThatFit(head, natural, width, leaveOut);
  const widths = shrink(
    shown.map((at) => natural[at] ?? 0),
    width,
  );
  const picked = cells.map((row) =>
    shown.map((at, place) => cut(row[at] ?? '', widths[place] ?? 0, widthOf)),
  );
  const [titles = [], ...others] = picked;
  const lines = await columns([titles.map((title) => paint('bold', title)), ...others]);
  return { lines, leftOut: head.filter((_, at) => !shown.includes(at)) };
}

/** Indexes of the columns that fit when long cells are shortened. */
function columnsThatFit(
  head: readonly string[],
  natural: readonly number[],
  width: number,
  leaveOut: readonly string[],
): number[] {
  const least = natural.map((columns, at) =>
    Math.min(columns, Math.max(NARROWEST_CELL, head[at]?.length ?? 0)),
  );
  const shown = head.map((_, at) => at);
  const first = leaveOut.map((title) => head.indexOf(title));
  const order = [...first, ...shown.toReversed().filter((at) => !first.includes(at))].filter((at) => at > 0);
  const total = () => shown.reduce((sum, at) => sum + (least[at] ?? 0) + GAP.length, -GAP.length);
  for (const at of order) {
    if (total() <= width) break;
    shown.splice(shown.indexOf(at), 1);
  }
  return shown;
}

/** Shortens the widest columns until all fit. */
function shrink(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, columns) => sum + columns + GAP.length, -GAP.length);
  while (total() > width) {
    const widest = Math.max(...widths);
    if (widest <= 1) break;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  return widths;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

function cut(cell: string, width: number, widthOf: (cell: string) => number): string {
  if (widthOf(cell) <= width) return cell;
  let left = width - 1;
  let isOver = false;
  return changeWords(cell, (words) => {
    if (isOver) return '';
    let kept = '';
    for (const { segment } of graphemes.segment(words)) {
      left -= widthOf(segment);
      if (left < 0) {
        isOver = true;
        return `${kept.trimEnd()}…`;
      }
      kept += segment;
    }
    return kept;
  });
}

/** Aligns rows of cells in columns. Cells may have colours of `paint`. */
export async function columns(rows: readonly (readonly string[])[]): Promise<string[]> {
  const widthOf = await measureFor(rows.flat());
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  }
  const padded = (cell: string, at: number) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell));
  return rows.map((row) => row.map(padded).join(GAP).trimEnd());
}

/** Loads `string-width` only for non-ASCII cells: loading takes longer than a short command. */
async function measureFor(cells: readonly string[]): Promise<(cell: string) => number> {
  const bare = (cell: string) => stripVTControlCharacters(terminalLine(cell));
  if (cells.every((cell) => ASCII.test(bare(cell)))) return (cell) => bare(cell).length;
  const { default: width } = await import('string-width');
  return (cell) => width(bare(cell));
}
