import { inspect } from 'node:util';
import { UNPRINTABLE } from '../../../domain/text.js';
import type { TerminalAbilities } from '../terminal.js';
import { type Back, backCode, type Color, colorCode } from '../theme.js';
import { isolate } from './foreign.js';
import { columnsOf, type Grapheme, graphemes, isPlain } from './graphemes.js';

export type { Color } from '../theme.js';

interface Style {
  color?: Color;
  back?: Back;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  inverse?: boolean;
  underline?: boolean;
  strikethrough?: boolean;
}

/** A part of a line in one style. */
export interface Span extends Style {
  text: string;
  /** Other people's text: its direction must not reorder its neighbours. */
  foreign?: boolean;
  /** The target of the link, on terminals that support links. */
  link?: string;
  /** Puts the terminal's cursor at the first column. */
  cursor?: boolean;
}

/** One row of the screen, or a part of it. All texts have passed `clean`, so their columns can be counted. */
export type Line = readonly Span[];

const EMPTY_LINE: Line = [];

/** Counts the columns of a line. */
export function lineColumns(line: Line): number {
  return line.reduce((sum, span) => sum + columnsOf(span.text), 0);
}

/** Cuts a text to these columns, and marks the cut with `…`. */
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

/** Cuts a line to these columns, and marks the cut with `…`. */
export function cutLine(line: Line, columns: number): Line {
  if (lineColumns(line) <= columns) return line;
  const cut: Span[] = [];
  let left = columns;
  for (const span of line) {
    const width = columnsOf(span.text);
    // `…` needs a column, in this span or after it
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

/** Cuts or fills a line to exactly these columns. @param fill the style of the added spaces */
export function fitLine(line: Line, columns: number, fill: Style = {}): Line {
  const cut = cutLine(line, columns);
  const missing = columns - lineColumns(cut);
  return missing > 0 ? [...cut, { ...fill, text: ' '.repeat(missing) }] : cut;
}

/** Puts two lines at the two ends of a row of these columns. Cuts the left one if they do not fit. */
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

/** Adds a style to all spans of a line. */
export function styled(line: Line, style: Style): Line {
  return line.map((span) => ({ ...span, ...style }));
}

/** Cuts or fills to exactly these rows of exactly these columns. */
export function fitLines(lines: readonly Line[], columns: number, rows: number): Line[] {
  return Array.from({ length: Math.max(0, rows) }, (_, row) => fitLine(lines[row] ?? EMPTY_LINE, columns));
}

/** Puts blocks of lines side by side. All blocks have the same number of fitted lines. */
export function beside(...blocks: readonly (readonly Line[])[]): Line[] {
  const rows = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: rows }, (_, row) => blocks.flatMap((block) => block[row] ?? EMPTY_LINE));
}

/**
 * Wraps a clean text to lines of at most these columns, at spaces if possible. Keeps grapheme clusters together;
 * `wrap-ansi` splits composed emoji, and takes a millisecond for each message.
 */
export function wrapText(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

/** Wraps a span to lines of at most these columns. */
export function wrapSpan(span: Span, columns: number): Line[] {
  return wrapText(span.text, columns).map((text) => [{ ...span, text }]);
}

function wrapLine(line: string, columns: number): string[] {
  if (columnsOf(line) <= columns) return [line];
  if (isPlain(line)) return wrapPlain(line, columns);
  const lines: string[] = [];
  let current: Grapheme[] = [];
  let width = 0;
  for (const grapheme of graphemes(line)) {
    // a character that is wider than the line is replaced
    const shown = grapheme.columns > columns ? { text: '…', columns: 1 } : grapheme;
    if (width + shown.columns > columns) {
      // a space at the end of a line is invisible
      const kept = shown.text === ' ' ? current : current.slice(0, breakAt(current));
      lines.push(textOf(kept).trimEnd());
      current = current.slice(kept.length);
      width = current.reduce((sum, one) => sum + one.columns, 0);
      if (shown.text === ' ') continue;
    }
    current.push(shown);
    width += shown.columns;
  }
  return current.length > 0 ? [...lines, textOf(current)] : lines;
}

/** The same for printable ASCII, without an object for each character. */
function wrapPlain(line: string, columns: number): string[] {
  const lines: string[] = [];
  let start = 0;
  while (line.length - start > columns) {
    const end = start + columns;
    const isAtSpace = line[end] === ' ';
    const space = line.lastIndexOf(' ', end - 1);
    const kept = isAtSpace || space <= start ? end : space + 1;
    lines.push(line.slice(start, kept).trimEnd());
    start = isAtSpace ? end + 1 : kept;
  }
  return start < line.length ? [...lines, line.slice(start)] : lines;
}

/** Returns how many characters stay on the line: up to its last space, or all if it has none. */
function breakAt(line: readonly Grapheme[]): number {
  const space = line.findLastIndex(({ text }) => text === ' ');
  return space > 0 ? space + 1 : line.length;
}

function textOf(line: readonly Grapheme[]): string {
  return line.map(({ text }) => text).join('');
}

/** Returns a line with escape codes. */
export function painted(line: Line, look: TerminalAbilities): string {
  return line.map((span) => paintedSpan(span, look)).join('');
}

/** Characters that every terminal draws with the same number of columns. */
const CERTAIN = /^[\u0020-\u007e\u00a0-\u02ff\u2013-\u2026\u2190-\u2193\u2500-\u25a1]*$/;

/**
 * The same as `painted`, for a row that is written at its first column. Sets the column after each text whose width
 * terminals count differently, such as composed emoji, so that a wrong guess never moves the rest of the row.
 */
export function paintedRow(line: Line, look: TerminalAbilities): string {
  let column = 0;
  return line
    .map((span) => {
      const start = column;
      column += columnsOf(span.text);
      if (CERTAIN.test(span.text)) return paintedSpan(span, look);
      return `${paintedSpan(span, look, start)}${columnCode(column)}`;
    })
    .join('');
}

/** Emoji that are composed of several characters, of which terminals may draw each by itself. */
const COMPOSED =
  /\p{Extended_Pictographic}[\u200d\ufe0f\p{Emoji_Modifier}]|\p{Regional_Indicator}|\u20e3|\p{Emoji_Modifier}/u;

/** Sets the column after each composed emoji but the last, so that one which is drawn too wide covers nothing but itself. */
function withColumns(text: string, start: number): string {
  if (!COMPOSED.test(text)) return text;
  let column = start;
  const end = start + columnsOf(text);
  return graphemes(text)
    .map((grapheme) => {
      column += grapheme.columns;
      return column < end && COMPOSED.test(grapheme.text)
        ? grapheme.text + columnCode(column)
        : grapheme.text;
    })
    .join('');
}

/** Moves the cursor to a column, from 0. */
function columnCode(column: number): string {
  return `\u001b[${column + 1}G`;
}

/** Returns the columns from `start` up to, not including, `end`. A wide character that is cut becomes spaces. */
export function sliceLine(line: Line, start: number, end: number): Line {
  const kept: Span[] = [];
  let column = 0;
  for (const span of line) {
    const width = columnsOf(span.text);
    const [from, to] = [Math.max(start, column), Math.min(end, column + width)];
    if (from < to) kept.push({ ...span, text: sliceText(span.text, from - column, to - column) });
    column += width;
  }
  return kept;
}

function sliceText(text: string, start: number, end: number): string {
  let kept = '';
  let column = 0;
  for (const grapheme of graphemes(text)) {
    const after = column + grapheme.columns;
    if (column >= start && after <= end) kept += grapheme.text;
    else kept += ' '.repeat(Math.max(0, Math.min(after, end) - Math.max(column, start)));
    column = after;
  }
  return kept;
}

/** @param start the first column, to set the column after each composed emoji */
function paintedSpan(span: Span, look: TerminalAbilities, start?: number): string {
  // the views clean foreign text with its width; nothing that a view forgot reaches the terminal
  const printable = span.text.replace(UNPRINTABLE, '');
  const shown = start === undefined || look.bidi ? printable : withColumns(printable, start);
  const isolated = span.foreign && look.bidi ? isolate(shown) : shown;
  const text = span.link && look.links ? linked(isolated, span.link) : isolated;
  if (text === '') return text;
  return stylesOf(span, look).reduce(
    (inner, [open, close]) => `\u001b[${open}m${inner}\u001b[${close}m`,
    text,
  );
}

const STYLES = ['bold', 'dim', 'italic', 'underline', 'strikethrough', 'inverse'] as const;
const NO_COLOR = 39;
const NO_COLOR_AND_BACK = '39;49';

/** Pairs of parameters that switch a style on and off. */
function stylesOf(span: Span, look: TerminalAbilities): (readonly [string | number, string | number])[] {
  if (!look.color && !look.styles) return [];
  const styles = STYLES.filter((style) => span[style]).map(codesOf);
  if (!look.color) return [...styles, ...(isMarked(span.back) ? [codesOf('inverse')] : [])];
  const back = span.back ? backCode(span.back, look) : '';
  return [
    ...styles,
    ...(span.color ? [[colorCode(span.color, look), NO_COLOR] as const] : []),
    ...(back ? [[back, NO_COLOR_AND_BACK] as const] : []),
  ];
}

/** Backgrounds that catch the eye: without colours they are inverse. */
function isMarked(back: Back | undefined): boolean {
  return back === 'selected' || back === 'unread' || back === 'failed' || back === 'match';
}

function codesOf(style: string): readonly [number, number] {
  return inspect.colors[style] ?? [0, 0];
}

function linked(text: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address).href : undefined;
  return url ? `\u001b]8;;${url}\u0007${text}\u001b]8;;\u0007` : text;
}
