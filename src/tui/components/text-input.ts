import type { Edit } from '../text/edit.js';
import { pictureEdit } from '../text/edit-picture.js';
import { columnsOf } from '../text/graphemes.js';
import { fitLine, type Line } from '../text/line.js';

/** A question with a line to write the answer on, and the cursor in it. `placeholder` is shown while nothing is written. */
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

/** A row with the cursor in it. */
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
