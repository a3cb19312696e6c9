import { withCursor } from '../../components/text-input.js';
import { pictureEdit } from '../../text/edit-picture.js';
import { cleanLine } from '../../text/foreign.js';
import type { Line, Span } from '../../text/line.js';
import { draftOf, messageOf, type Shown } from '../shown.js';
import type { Draft } from '../view-state.js';

/** Columns of the mark before what is written. */
export const PROMPT = 3;
const MOST_ROWS = 6;

/** The rows of the composer: a bar, what is answered or changed, and the text. */
export function composerRows(shown: Shown, columns: number, rows: number): number {
  return composerLines(shown, columns, rows).length;
}

/** Where the next message is written. */
export function composerLines(shown: Shown, columns: number, rows: number): Line[] {
  const draft = draftOf(shown);
  const isFocused = shown.view.pane === 'composer' && shown.view.overlay === undefined;
  const bar: Line = [
    { text: '─'.repeat(columns), dim: !isFocused, ...(isFocused && { color: 'cyan' as const }) },
  ];
  const mostRows = Math.max(1, Math.min(MOST_ROWS, Math.floor(rows / 3)));
  return [bar, ...aboutLine(shown, draft), ...textLines(draft, columns, mostRows, isFocused)];
}

function aboutLine(shown: Shown, { about }: Draft): Line[] {
  if (!about) return [];
  const message = messageOf(shown, about.messageId);
  const what =
    about.type === 'edit' ? '✎ edit' : `↩ reply to ${cleanLine(message?.author ?? '') || 'yourself'}`;
  return [
    [
      { text: ` ${what}: `, color: 'cyan' },
      { text: cleanLine(message?.body ?? ''), dim: true, foreign: true },
    ],
  ];
}

function textLines({ edit }: Draft, columns: number, mostRows: number, isFocused: boolean): Line[] {
  if (edit.text === '' && !isFocused) {
    return [[prompt(false), { text: 'i writes a message', dim: true }]];
  }
  const { rows, row, column } = pictureEdit(edit, columns - PROMPT, mostRows);
  return rows.map((text, place) => [
    place === 0 ? prompt(isFocused) : { text: ' '.repeat(PROMPT) },
    ...(isFocused && place === row ? withCursor(text, column) : [{ text, dim: !isFocused, foreign: true }]),
  ]);
}

function prompt(isFocused: boolean): Span {
  return { text: ' > ', bold: isFocused, color: isFocused ? 'cyan' : undefined };
}
