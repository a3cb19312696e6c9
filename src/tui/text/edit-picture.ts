import type { Edit } from './edit.js';
import { boundaries, graphemeColumns } from './graphemes.js';

/** A text that is being written as it stands on the screen. */
export interface EditPicture {
  rows: readonly string[];
  /** Where the cursor stands among the rows. */
  row: number;
  column: number;
}

interface Row {
  text: string;
  columns: number;
  /** The offset and the column of each place where the cursor can stand. */
  places: readonly { offset: number; column: number }[];
}

/** The part of the text around the cursor, in at most so many rows of so many columns. */
export function pictureEdit(edit: Edit, columns: number, mostRows: number): EditPicture {
  const rows = rowsOf(edit.text, columns);
  const row = rowOf(rows, edit.cursor);
  const first = Math.max(0, Math.min(row - Math.floor(mostRows / 2), rows.length - mostRows));
  const column = rows[row]?.places.find(({ offset }) => offset === edit.cursor)?.column ?? 0;
  return { rows: rows.slice(first, first + mostRows).map(({ text }) => text), row: row - first, column };
}

/** The cursor so many rows further down; undefined when there is no such row. */
export function moveRow(edit: Edit, columns: number, by: number): Edit | undefined {
  const rows = rowsOf(edit.text, columns);
  const row = rowOf(rows, edit.cursor);
  const target = rows[row + by];
  if (!target) return undefined;
  const column = rows[row]?.places.find(({ offset }) => offset === edit.cursor)?.column ?? 0;
  const place = target.places.findLast((candidate) => candidate.column <= column) ?? target.places[0];
  return { text: edit.text, cursor: place?.offset ?? edit.cursor };
}

/** The cursor stands on the last row that has its offset: at a broken line, where the next character will come. */
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

/** One line in rows. The last column stays free for the cursor behind the last character. */
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
