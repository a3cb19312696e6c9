import { useRef, useState } from 'react';
import { usePresses } from '../hooks/use-presses.js';
import { type Edit, editOf, insert, pressed } from '../text/edit.js';
import { pictureEdit } from '../text/edit-picture.js';
import { columnsOf } from '../text/graphemes.js';
import { fitLine, type Line } from '../text/line.js';
import { Lines } from './lines.js';

export interface TextInputProps {
  label: string;
  columns: number;
  initial?: string;
  /** Shown while nothing is written. */
  placeholder?: string;
  onSubmit(text: string): void;
  onCancel(): void;
}

/** A question with a line to write the answer on: Enter gives it, Escape does not. */
export function TextInput({
  label,
  columns,
  initial = '',
  placeholder = '',
  onSubmit,
  onCancel,
}: TextInputProps) {
  const [edit, draw] = useState<Edit>(() => editOf(initial));
  // several keys may come before the next drawing
  const latest = useRef(edit);
  const change = (next: Edit) => {
    latest.current = next;
    draw(next);
  };
  usePresses((press) => {
    const now = latest.current;
    if (press.type !== 'key') change(insert(now, press.text.replaceAll('\n', ' ')));
    else if (press.key === 'escape') onCancel();
    else if (press.key === 'enter') onSubmit(now.text);
    else change(pressed(now, press.key) ?? now);
  });
  return <Lines lines={[textInputLine({ label, edit, columns, placeholder })]} />;
}

/** The same as a line. */
export function textInputLine(input: {
  label: string;
  edit: Edit;
  columns: number;
  placeholder?: string;
}): Line {
  const { label, edit, columns, placeholder = '' } = input;
  const room = Math.max(2, columns - columnsOf(label) - 1);
  const { rows, row, column } = pictureEdit(edit, room, 1);
  const label_: Line = [{ text: `${label} `, bold: true }];
  if (edit.text === '')
    return fitLine([...label_, ...cursor(' '), { text: placeholder, dim: true }], columns);
  return fitLine([...label_, ...withCursor(rows[row] ?? '', column)], columns);
}

/** A row with the cursor in it. */
export function withCursor(text: string, column: number): Line {
  const [before, under, after] = splitAt(text, column);
  return [{ text: before }, ...cursor(under || ' '), { text: after }];
}

function cursor(under: string): Line {
  return [{ text: under, cursor: true }];
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
