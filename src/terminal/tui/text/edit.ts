import { boundaries, graphemeColumns } from './graphemes.js';

/** A text in an input field. */
export interface Edit {
  text: string;
  /** A UTF-16 offset between two grapheme clusters. */
  cursor: number;
}

export const EMPTY_EDIT: Edit = { text: '', cursor: 0 };

/** Returns a text with the cursor at its end. */
export function editOf(text: string): Edit {
  return { text, cursor: text.length };
}

const UNTYPABLE = /(?!\n)\p{Cc}/gu;
const LINE_BREAKS = /\r\n|[\r\u2028\u2029]/g;

/** Inserts a text at the cursor, without control characters. */
export function insert({ text, cursor }: Edit, typed: string): Edit {
  const inserted = typed.replace(LINE_BREAKS, '\n').replaceAll('\t', '    ').replace(UNTYPABLE, '');
  return { text: text.slice(0, cursor) + inserted + text.slice(cursor), cursor: cursor + inserted.length };
}

/** The effect of each key. Up and down depend on the layout, see `moveRow`. */
const KEYS: Readonly<Record<string, (edit: Edit) => Edit>> = {
  left: (edit) => at(edit, before(edit)),
  right: (edit) => at(edit, after(edit)),
  'ctrl+b': (edit) => at(edit, before(edit)),
  'ctrl+f': (edit) => at(edit, after(edit)),
  'ctrl+left': (edit) => at(edit, wordBefore(edit)),
  'ctrl+right': (edit) => at(edit, wordAfter(edit)),
  'alt+left': (edit) => at(edit, wordBefore(edit)),
  'alt+right': (edit) => at(edit, wordAfter(edit)),
  'alt+b': (edit) => at(edit, wordBefore(edit)),
  'alt+f': (edit) => at(edit, wordAfter(edit)),
  home: (edit) => at(edit, lineStart(edit)),
  end: (edit) => at(edit, lineEnd(edit)),
  'ctrl+a': (edit) => at(edit, lineStart(edit)),
  'ctrl+e': (edit) => at(edit, lineEnd(edit)),
  backspace: (edit) => without(edit, before(edit), edit.cursor),
  'ctrl+h': (edit) => without(edit, before(edit), edit.cursor),
  'ctrl+d': (edit) => without(edit, edit.cursor, after(edit)),
  'ctrl+w': (edit) => without(edit, wordBefore(edit), edit.cursor),
  'alt+backspace': (edit) => without(edit, wordBefore(edit), edit.cursor),
  'alt+d': (edit) => without(edit, edit.cursor, wordAfter(edit)),
  'ctrl+u': (edit) => without(edit, lineStart(edit), edit.cursor),
  'ctrl+k': (edit) => without(edit, edit.cursor, lineEnd(edit)),
};

/** Applies a key. @returns undefined for an unbound key */
export function pressed(edit: Edit, key: string): Edit | undefined {
  return KEYS[key]?.(edit);
}

function at({ text }: Edit, cursor: number): Edit {
  return { text, cursor };
}

function without({ text }: Edit, from: number, to: number): Edit {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function before({ text, cursor }: Edit): number {
  return boundaries(text).findLast((offset) => offset < cursor) ?? 0;
}

function after({ text, cursor }: Edit): number {
  return boundaries(text).find((offset) => offset > cursor) ?? text.length;
}

/** Skips spaces, then the word before them. */
function wordBefore({ text, cursor }: Edit): number {
  return cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
}

function wordAfter({ text, cursor }: Edit): number {
  return cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0);
}

function lineStart({ text, cursor }: Edit): number {
  return text.slice(0, cursor).lastIndexOf('\n') + 1;
}

function lineEnd({ text, cursor }: Edit): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

interface Row {
  text: string;
  columns: number;
  /** Every possible cursor position in this row. */
  places: readonly { offset: number; column: number }[];
}

/** Lays out the part of the text around the cursor, in at most `mostRows` rows. */
export function pictureEdit(
  edit: Edit,
  columns: number,
  mostRows: number,
): {
  rows: readonly string[];
  /** The cursor's row, as an index into `rows`. */
  row: number;
  column: number;
} {
  const rows = rowsOf(edit.text, columns);
  const row = rowOf(rows, edit.cursor);
  const first = Math.max(0, Math.min(row - Math.floor(mostRows / 2), rows.length - mostRows));
  const column = rows[row]?.places.find(({ offset }) => offset === edit.cursor)?.column ?? 0;
  return { rows: rows.slice(first, first + mostRows).map(({ text }) => text), row: row - first, column };
}

/** Moves the cursor down by `by` rows. @returns undefined if there is no such row */
export function moveRow(edit: Edit, columns: number, by: number): Edit | undefined {
  const rows = rowsOf(edit.text, columns);
  const row = rowOf(rows, edit.cursor);
  const target = rows[row + by];
  if (!target) return undefined;
  const column = rows[row]?.places.find(({ offset }) => offset === edit.cursor)?.column ?? 0;
  const place = target.places.findLast((candidate) => candidate.column <= column) ?? target.places[0];
  return { text: edit.text, cursor: place?.offset ?? edit.cursor };
}

/** Returns the cursor's row. At a line break two rows have the offset; the later one gets the next character. */
function rowOf(rows: readonly Row[], cursor: number): number {
  return Math.max(
    0,
    rows.findLastIndex(({ places }) => places.some(({ offset }) => offset === cursor)),
  );
}

function rowsOf(text: string, columns: number): Row[] {
  let start = 0;
  return text.split('\n').flatMap((line) => {
    const rows = brokenRows(line, start, Math.max(2, columns));
    start += line.length + 1;
    return rows;
  });
}

/** Breaks one line into rows. Leaves the last column free for the cursor after the last character. */
function brokenRows(line: string, start: number, columns: number): Row[] {
  const rows: Row[] = [];
  let text = '';
  let column = 0;
  let places = [{ offset: start, column: 0 }];
  const offsets = boundaries(line);
  for (const [index, from] of offsets.slice(0, -1).entries()) {
    const to = offsets[index + 1] ?? line.length;
    const segment = line.slice(from, to);
    const width = graphemeColumns(segment);
    if (column + width > columns - 1) {
      rows.push({ text, columns: column, places });
      [text, column, places] = ['', 0, [{ offset: start + from, column: 0 }]];
    }
    if (width > 0) text += segment;
    column += width;
    places.push({ offset: start + to, column });
  }
  return [...rows, { text, columns: column, places }];
}
