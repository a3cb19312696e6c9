import { columnsOf, graphemes } from './graphemes.js';

export type Color = 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta';

export interface Style {
  color?: Color;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  inverse?: boolean;
  underline?: boolean;
  strikethrough?: boolean;
}

/** A piece of a line in one style. */
export interface Span extends Style {
  text: string;
  /** Somebody else's words, whose direction must not reorder what stands beside them. */
  foreign?: boolean;
  /** An address that the piece leads to, on terminals that know links. */
  link?: string;
  /** The terminal's cursor stands at its first column. */
  cursor?: boolean;
}

/** One row of the screen, or a part of it. Texts in it are clean (`clean`), so that their columns are known. */
export type Line = readonly Span[];

export const EMPTY_LINE: Line = [];

/** The columns that a line takes. */
export function lineColumns(line: Line): number {
  return line.reduce((sum, span) => sum + columnsOf(span.text), 0);
}

/** The beginning of a text that fits, with `…` where something is missing. */
export function cutText(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    if (used + grapheme.columns > columns - 1) break;
    kept += grapheme.text;
    used += grapheme.columns;
  }
  return columns > 0 ? `${kept}…` : '';
}

/** The beginning of a line that fits, with `…` where something is missing. */
export function cutLine(line: Line, columns: number): Line {
  if (lineColumns(line) <= columns) return line;
  const cut: Span[] = [];
  let left = columns;
  for (const span of line) {
    const width = columnsOf(span.text);
    // the mark of what is missing needs a column, in this span or after it
    if (width < left) {
      cut.push(span);
      left -= width;
      continue;
    }
    cut.push({ ...span, text: width === left ? cutText(`${span.text} `, left) : cutText(span.text, left) });
    break;
  }
  return cut;
}

/** A line of exactly these columns: cut, or filled with spaces of a style. */
export function fitLine(line: Line, columns: number, fill: Style = {}): Line {
  const cut = cutLine(line, columns);
  const missing = columns - lineColumns(cut);
  return missing > 0 ? [...cut, { ...fill, text: ' '.repeat(missing) }] : cut;
}

/** Two lines on one row of these columns, at its ends; the left one is cut when they do not fit. */
export function spread(left: Line, right: Line, columns: number): Line {
  const kept = cutLine(right, columns);
  const width = lineColumns(kept);
  if (width === 0) return fitLine(left, columns);
  return [
    ...fitLine(left, Math.max(0, columns - width - 1)),
    ...(width < columns ? [{ text: ' ' }] : []),
    ...kept,
  ];
}

/** All spans of a line with more style. */
export function styled(line: Line, style: Style): Line {
  return line.map((span) => ({ ...span, ...style }));
}

/** Exactly this many lines of exactly these columns. */
export function fitLines(lines: readonly Line[], columns: number, rows: number): Line[] {
  return Array.from({ length: Math.max(0, rows) }, (_, row) => fitLine(lines[row] ?? EMPTY_LINE, columns));
}

/** Blocks of lines side by side. Each block has fitted lines, as many as the others. */
export function beside(...blocks: readonly (readonly Line[])[]): Line[] {
  const rows = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: rows }, (_, row) => blocks.flatMap((block) => block[row] ?? EMPTY_LINE));
}
