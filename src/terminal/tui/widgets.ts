import { type Edit, pictureEdit } from './text/edit.js';
import { columnsOf } from './text/graphemes.js';
import { fitLine, fitLines, type Line, lineColumns, sliceLine } from './text/line.js';

/** Draws the part of a list around the selected item. */
export function listLines<Item>(list: {
  items: readonly Item[];
  /** Index of the selected item; the list scrolls to it. */
  selected: number;
  columns: number;
  /** The exact height of the list. */
  rows: number;
  /** Draws one item as `rowsPerItem` lines. */
  picture(item: Item, isSelected: boolean): readonly Line[];
  rowsPerItem?: number;
  /** Shown if there are no items. */
  empty?: readonly Line[];
}): Line[] {
  const { items, selected, columns, rows, picture, rowsPerItem = 1, empty = [] } = list;
  const shown = Math.max(1, Math.floor(rows / rowsPerItem));
  const start = windowStart(items.length, selected, shown);
  const lines = items
    .slice(start, start + shown)
    .flatMap((item, place) => picture(item, start + place === selected).slice(0, rowsPerItem));
  const all = items.length === 0 ? empty : lines;
  return Array.from({ length: Math.max(0, rows) }, (_, row) => fitLine(all[row] ?? [], columns));
}

/** Returns the first visible index: the selected item is in the middle if possible. */
export function windowStart(count: number, selected: number, rows: number): number {
  return Math.max(0, Math.min(selected - Math.floor(rows / 2), count - rows));
}

/** Moves an index by `by`, within the list. */
export function moved(index: number, by: number, count: number): number {
  return Math.max(0, Math.min(index + by, count - 1));
}

/** Rows of a page. */
const PAGE = 10;

/** The distance by which each key moves in a list. */
export const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -PAGE,
  pagedown: PAGE,
  home: Number.NEGATIVE_INFINITY,
  g: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
  G: Number.POSITIVE_INFINITY,
};

/** Draws a label and an input field with the cursor. `placeholder` is shown while the field is empty. */
export function textInputLine(input: {
  label: string;
  edit: Edit;
  columns: number;
  placeholder?: string;
}): Line {
  const { label, edit, columns, placeholder = '' } = input;
  const question = { text: `${label} `, bold: true };
  if (edit.text === '') {
    const hint = withCursor(placeholder, 0).map((span) => ({ ...span, dim: true }));
    return fitLine([question, ...hint], columns);
  }
  const { rows, row, column } = pictureEdit(edit, Math.max(2, columns - columnsOf(label) - 1), 1);
  return fitLine([question, ...withCursor(rows[row] ?? '', column)], columns);
}

/** Adds the cursor to a row. */
export function withCursor(text: string, column: number): Line {
  const [before, under, after] = splitAt(text, column);
  return [{ text: before }, { text: under || ' ', cursor: true }, { text: after }];
}

function splitAt(text: string, column: number): [string, string, string] {
  let [before, under, after] = ['', '', ''];
  let used = 0;
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)) {
    if (used < column) before += segment;
    else if (under === '') under = segment;
    else after += segment;
    used += columnsOf(segment);
  }
  return [before, under, after];
}

/** Draws a yes-no question: `y` is yes, every other key is no. */
export function confirmLine(question: string): Line {
  return [
    { text: `${question} `, bold: true, color: 'yellow' },
    { text: 'y', bold: true },
    { text: ' yes, any other key no', dim: true },
  ];
}

export interface KeySection {
  title: string;
  /** Pairs of keys and their effect. */
  keys: readonly (readonly [string, string])[];
}

/** Columns between two help columns. */
const GAP = 2;

/**
 * Draws the help page: exactly these rows of exactly these columns.
 * @param scrolled rows above the screen, if not all fit
 */
export function keyHelpLines(
  sections: readonly KeySection[],
  columns: number,
  rows: number,
  scrolled = 0,
): Line[] {
  const { lines, width, stacks, body } = helpLayout(sections, columns, rows);
  const footer = stacks ? ' Any key goes back' : ' j k scroll, any other key goes back';
  const shown = stacks
    ? inColumns(stacks, body, width)
    : lines.slice(Math.min(scrolled, lines.length - body)).slice(0, body);
  const head: Line = [{ text: ' Keys', bold: true, color: 'accent', back: 'bar' }];
  return [
    fitLine(head, columns, { back: 'bar' }),
    ...fitLines(shown, columns, body),
    fitLine([{ text: footer, back: 'bar' }], columns, { back: 'bar' }),
  ];
}

/** Returns how far the help page can scroll; 0 if all of it fits. */
export function keyHelpOverflow(sections: readonly KeySection[], columns: number, rows: number): number {
  const { lines, stacks, body } = helpLayout(sections, columns, rows);
  return stacks ? 0 : lines.length - body;
}

function helpLayout(sections: readonly KeySection[], columns: number, rows: number) {
  const key = Math.max(...sections.flatMap(({ keys }) => keys.map(([name]) => columnsOf(name))));
  const blocks = sections.map((section) => sectionLines(section, key));
  const lines = joined(blocks);
  const width = Math.min(columns, Math.max(...lines.map(lineColumns)) + GAP);
  const body = Math.max(1, rows - 2);
  const beside = Math.max(1, Math.floor((columns + GAP) / width));
  const whole = stacked(blocks, body, beside);
  const isEnough = lines.length <= body * beside;
  return { lines, width, body, stacks: whole ?? (isEnough ? cutInto(lines, body) : undefined) };
}

/** Puts whole blocks into as many columns as there are, each as low as possible. @returns undefined if they do not fit */
function stacked(blocks: readonly Line[][], most: number, columns: number): Line[][] | undefined {
  for (let rows = 1; rows <= most; rows += 1) {
    const stacks = stackedIn(blocks, rows);
    if (stacks && stacks.length <= columns) return stacks;
  }
  return undefined;
}

/** Fills columns of these rows with whole blocks, one after the other. */
function stackedIn(blocks: readonly Line[][], rows: number): Line[][] | undefined {
  const stacks: Line[][] = [];
  for (const block of blocks) {
    if (block.length > rows) return undefined;
    const last = stacks.at(-1);
    if (last && last.length + 1 + block.length <= rows) last.push([], ...block);
    else stacks.push([...block]);
  }
  return stacks;
}

function joined(blocks: readonly Line[][]): Line[] {
  return blocks.flatMap((block, place) => (place > 0 ? [[], ...block] : block));
}

function cutInto(lines: readonly Line[], rows: number): Line[][] {
  const count = Math.ceil(lines.length / rows);
  return Array.from({ length: count }, (_, at) => lines.slice(at * rows, (at + 1) * rows));
}

function inColumns(stacks: readonly Line[][], rows: number, width: number): Line[] {
  return Array.from({ length: rows }, (_, row) =>
    // without the gap behind the last column, which may not fit
    sliceLine(
      stacks.flatMap((stack) => fitLine(stack[row] ?? [], width)),
      0,
      stacks.length * width - GAP,
    ),
  );
}

function sectionLines({ title, keys }: KeySection, keyColumns: number): Line[] {
  return [
    [{ text: ` ${title}`, bold: true }],
    ...keys.map(
      ([key, does]): Line => [
        { text: ` ${key}${' '.repeat(Math.max(0, keyColumns - columnsOf(key)))}  `, color: 'accent' },
        { text: does },
      ],
    ),
  ];
}
