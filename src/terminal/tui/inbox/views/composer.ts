import { paneLines } from '../../pane.js';
import { pictureEdit } from '../../text/edit.js';
import { cleanLine } from '../../text/foreign.js';
import type { Line, Span } from '../../text/line.js';
import { withCursor } from '../../widgets.js';
import { type Draft, type Drawing, draftOf, messageOf, type Shown } from '../view-state.js';
import type { Rect } from './rect.js';

/** Columns of the prompt before the text. */
export const PROMPT = 3;
const MOST_ROWS = 6;

/** Counts the rows of the text. @param rows of the conversation and the composer together */
export function composerTextRows(shown: Shown, columns: number, rows: number): number {
  return textLines(draftOf(shown), columns, mostRows(rows), isWriting(shown)).length;
}

/** Draws the composer; its title names the message that is replied to or edited. */
export function composerPane(shown: Shown, rect: Rect, { look }: Drawing): Line[] {
  const draft = draftOf(shown);
  const { columns, rows } = rect.inside;
  return paneLines(
    {
      ...rect.pane,
      title: titleOf(shown, draft),
      isFocused: shown.view.pane === 'composer',
      color: look.color,
    },
    textLines(draft, columns, Math.max(1, rows), isWriting(shown)),
  );
}

function isWriting({ view }: Shown): boolean {
  return view.pane === 'composer' && view.overlay === undefined;
}

function mostRows(rows: number): number {
  return Math.max(1, Math.min(MOST_ROWS, Math.floor(rows / 3) - 1));
}

function titleOf(shown: Shown, { about }: Draft): Line {
  if (!about) return [{ text: 'Message' }];
  const message = messageOf(shown, about.messageId);
  const what =
    about.type === 'edit' ? '✎ edit' : `↩ reply to ${cleanLine(message?.author ?? '') || 'yourself'}`;
  return [
    { text: `${what}: `, color: 'accent' },
    { text: cleanLine(message?.body ?? ''), dim: true, foreign: true },
  ];
}

function textLines({ edit }: Draft, columns: number, mostRows: number, isFocused: boolean): Line[] {
  if (edit.text === '' && !isFocused) {
    return [[prompt(false), { text: 'press i to write a message', dim: true }]];
  }
  const { rows, row, column } = pictureEdit(edit, columns - PROMPT, mostRows);
  return rows.map((text, place) => [
    place === 0 ? prompt(isFocused) : { text: ' '.repeat(PROMPT) },
    ...(isFocused && place === row ? withCursor(text, column) : [{ text, dim: !isFocused, foreign: true }]),
  ]);
}

function prompt(isFocused: boolean): Span {
  return { text: ' > ', bold: isFocused, color: isFocused ? 'accent' : 'border' };
}
