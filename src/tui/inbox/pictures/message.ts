import type { MessageItem } from '../../../cli/inbox/model.js';
import { clean, cleanLine } from '../../text/foreign.js';
import { cutLine, type Line, lineColumns, type Span } from '../../text/line.js';
import { wrapText } from '../../text/wrap.js';
import { attachmentLines } from './attachment.js';
import type { Drawing } from './drawing.js';
import { clockTime } from './moment.js';
import { tickSpan } from './tick.js';

/** Columns before what was written: a mark for the highlighted message, the time, and a space. */
export const GUTTER = 7;

/** A message: what it says, and around it what is known of it. The first column is left to the highlight. */
export function messageLines(message: MessageItem, columns: number, drawing: Drawing): Line[] {
  const room = Math.max(2, columns - GUTTER);
  const body = contentLines(message, room, drawing).map((line) => cutLine(line, room));
  return body.map((line, row) => [gutter(row === 0 ? clockTime(message.sentAt) : ''), ...line]);
}

function gutter(time: string): Span {
  return { text: ` ${time.padEnd(GUTTER - 1)}`, dim: true };
}

function contentLines(message: MessageItem, columns: number, drawing: Drawing): Line[] {
  const { look } = drawing;
  if (message.deleted) return [[{ text: '⊘ deleted', dim: true, italic: true }]];
  const attachment = message.attachment ? attachmentLines(message.attachment, look.links) : [];
  const body = bodyLines(message, columns);
  return [
    ...(message.forwarded ? [[{ text: '↪ forwarded', dim: true }]] : []),
    ...(message.quoted ? [quoteLine(message.quoted)] : []),
    ...withMarks([...attachment, ...body], marks(message, look.color), columns),
    ...(message.reactions.length > 0 ? [reactionLine(message)] : []),
  ];
}

function bodyLines({ body, type, attachment }: MessageItem, columns: number): Line[] {
  if (body === '') return attachment ? [] : [[{ text: `[${type}]`, dim: true }]];
  return wrapText(clean(body), columns).map((text) => [{ text, foreign: true }]);
}

/** One line of what a message answers. */
export function quoteLine({ author, body }: { author: string; body: string }): Line {
  return [
    { text: '┃ ', color: 'cyan' },
    { text: `${cleanLine(author) || 'You'}: `, dim: true, foreign: true },
    { text: cleanLine(body), dim: true, italic: true, foreign: true },
  ];
}

function marks(message: MessageItem, color: boolean): Span[] {
  const words = [message.edited ? '(edited)' : '', message.fromAi ? 'AI' : ''];
  const said = words.filter((word) => word !== '').map((text) => ({ text: ` ${text}`, dim: true }));
  return [...said, ...tickOf(message, color)];
}

function tickOf({ tick }: MessageItem, color: boolean): Span[] {
  return tick ? [{ text: ' ' }, tickSpan(tick, color)] : [];
}

/** The marks stand behind the last line, or below it where there is no room. */
function withMarks(lines: readonly Line[], last: readonly Span[], columns: number): Line[] {
  const line = lines.at(-1);
  if (!line || last.length === 0) return [...lines];
  if (lineColumns(line) + lineColumns(last) <= columns) return [...lines.slice(0, -1), [...line, ...last]];
  return [...lines, last];
}

function reactionLine({ reactions }: MessageItem): Line {
  return reactions.map(({ emoji, count, mine }) => ({
    text: `${cleanLine(emoji)}${count > 1 ? ` ${count}` : ''}${mine ? ' you' : ''}  `,
    bold: mine,
  }));
}
