import type { Attachment, MessageItem, Tick } from '../../../cli/inbox/model.js';
import { clean, cleanLine } from '../../text/foreign.js';
import {
  type Color,
  cutLine,
  fitLine,
  type Line,
  lineColumns,
  type Span,
  wrapSpan,
  wrapText,
} from '../../text/line.js';
import { withMatches } from '../../text/match.js';
import { type Back, personColor } from '../../theme.js';
import type { Drawing } from '../view-state.js';
import { clockTime } from './moment.js';

/** Columns beside a message: the mark of the highlighted one, its bar, and the air around the text. */
const EDGES = 5;
/** Columns of the text, at most: longer lines are hard to read. */
const MOST_COLUMNS = 76;
const LEAST_COLUMNS = 12;
/** The part of the width that a message may use, so that one sees whose it is by its side. */
const SHARE = 0.8;

/**
 * Draws a message with its quote, marks and reactions: messages of others at the left, own ones at the right. Leaves the
 * first column to the highlight.
 * @param words searched words, which are marked
 */
export function messageLines(
  message: MessageItem,
  columns: number,
  drawing: Drawing,
  words: readonly string[] = [],
): Line[] {
  const room = textColumns(columns);
  const content = withMeta(contentLines(message, room, words), metaOf(message, drawing.look.color), room);
  const width = Math.max(...content.map(lineColumns));
  const lines = content.map((line) => bubbleLine(message, fitLine(line, width)));
  const all = message.reactions.length > 0 ? [...lines, reactionLine(message)] : lines;
  return all.map((line) => aligned(line, message.fromMe, columns));
}

function textColumns(columns: number): number {
  const share = Math.max(LEAST_COLUMNS, Math.floor(columns * SHARE) - EDGES);
  return Math.max(2, Math.min(MOST_COLUMNS, share, columns - EDGES));
}

function bubbleLine(message: MessageItem, line: Line): Line {
  const { fromMe } = message;
  const back: Back = fromMe ? 'own' : 'other';
  const bar: Span = { text: fromMe ? '▕' : '▎', color: barColor(message), back };
  const space: Span = { text: ' ', back };
  const inner = line.map((span): Span => ({ back, ...span }));
  return fromMe ? [space, ...inner, space, bar] : [bar, space, ...inner, space];
}

function barColor({ fromMe, author, tick, unreadable }: MessageItem): Color {
  if (tick === 'failed' || unreadable) return 'red';
  return fromMe ? 'accent' : personColor(author);
}

function aligned(line: Line, fromMe: boolean, columns: number): Line {
  const before = fromMe ? Math.max(1, columns - lineColumns(line) - 1) : 1;
  return cutLine([{ text: ' '.repeat(before) }, ...line], columns);
}

/** What a message is, if its text does not show it. */
const LABELS: Readonly<Record<string, readonly [mark: string, name: string, color: Color]>> = {
  poll: ['▥', 'Poll', 'cyan'],
  vote_update: ['☑', 'Vote', 'cyan'],
  location: ['◎', 'Place', 'cyan'],
  contact: ['◉', 'Contact', 'cyan'],
  call: ['✆', 'Call', 'red'],
  event: ['▦', 'Event', 'cyan'],
};

function contentLines(message: MessageItem, columns: number, words: readonly string[]): Line[] {
  if (message.deleted) return [[{ text: '⊘ deleted', dim: true, italic: true }]];
  const { attachment, unreadable, forwarded, quoted } = message;
  const label = LABELS[message.type];
  return [
    ...(forwarded ? [[{ text: '↪ forwarded', dim: true, italic: true }]] : []),
    ...(quoted ? [cutLine(quoteLine(quoted), columns)] : []),
    ...(unreadable ? unreadableLines(unreadable, columns) : []),
    ...(label ? [[{ text: `${label[0]} ${label[1]}`, color: label[2], bold: true }]] : []),
    ...(attachment ? [cutLine(attachmentLine(attachment), columns)] : []),
    ...bodyLines(message, columns, words),
  ].map((line) => cutLine(line, columns));
}

function unreadableLines(reason: string, columns: number): Line[] {
  return wrapSpan({ text: `⚠ cannot be read here: ${reason}`, color: 'red' }, columns);
}

function bodyLines(
  { body, type, attachment, unreadable }: MessageItem,
  columns: number,
  words: readonly string[],
): Line[] {
  if (body === '')
    return attachment || unreadable || LABELS[type] ? [] : [[{ text: `[${type}]`, dim: true }]];
  return wrapText(clean(body), columns).map((text) => withMatches({ text, foreign: true }, words));
}

/** The quoted message in one line. */
function quoteLine({ author, body }: { author: string; body: string }): Line {
  const name = cleanLine(author) || 'You';
  const color = name === 'You' ? 'accent' : personColor(author);
  return [
    { text: '┃ ', color },
    { text: `${name}: `, color, foreign: true },
    { text: cleanLine(body), dim: true, italic: true, foreign: true },
  ];
}

/** The time, and how far an own message has come. */
function metaOf(message: MessageItem, color: boolean): Line {
  const { edited, fromAi, tick, sentAt } = message;
  return [
    ...(edited ? [{ text: '(edited) ', dim: true }] : []),
    ...(fromAi ? [{ text: 'AI ', color: 'magenta' as const }] : []),
    { text: clockTime(sentAt), dim: true },
    ...(tick ? [{ text: ' ' }, tickSpan(tick, color)] : []),
  ];
}

/** Columns between the text and the time. */
const GAP = 2;

/** Puts the time at the end of the last line, or below it if it does not fit. */
function withMeta(lines: readonly Line[], meta: Line, columns: number): Line[] {
  const last = lines.at(-1) ?? [];
  const widest = Math.max(0, ...lines.map(lineColumns));
  const needed = lineColumns(last) + GAP + lineColumns(meta);
  if (needed <= columns) {
    const gap = Math.max(GAP, widest - lineColumns(last) - lineColumns(meta));
    return [...lines.slice(0, -1), [...last, { text: ' '.repeat(gap) }, ...meta]];
  }
  const space = ' '.repeat(Math.max(0, widest - lineColumns(meta)));
  return [...lines, cutLine([{ text: space }, ...meta], columns)];
}

function reactionLine({ reactions }: MessageItem): Line {
  return reactions.flatMap(({ emoji, count, mine }): Line => {
    const text = `${cleanLine(emoji)}${count > 1 ? ` ${count}` : ''}${mine ? ' you' : ''}`;
    return [{ text: ` ${text} `, back: 'idle', bold: mine }, { text: ' ' }];
  });
}

const UNITS = ['B', 'kB', 'MB', 'GB'];

/** Formats a size with at most one decimal. */
export function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[step]}`;
}

/** Formats a duration, such as `1:05`. */
export function durationText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

const FILE_MARKS: Readonly<Record<string, string>> = {
  image: '▣',
  video: '▶',
  audio: '♪',
  sticker: '◆',
};

/** The mark and the name of a file. */
export function fileTitle({ mediaType, fileName, voice }: Attachment): string {
  const name = voice ? 'voice note' : cleanLine(fileName) || mediaType;
  return `${FILE_MARKS[mediaType] ?? '▤'} ${name}`;
}

/** Draws a file: its name, which is a link where the terminal can show one, its type, duration and size. */
function attachmentLine(attachment: Attachment): Line {
  const { mediaType, fileName, size, seconds, url } = attachment;
  const title = fileTitle(attachment);
  const what = [
    title.endsWith(mediaType) || !cleanLine(fileName) || attachment.voice ? '' : mediaType,
    seconds === undefined ? '' : durationText(seconds),
    size > 0 ? sizeText(size) : '',
    url === '' ? 'not stored yet' : '',
  ].filter((word) => word !== '');
  const words = what.length > 0 ? ` · ${what.join(' · ')}` : '';
  const [mark = '', ...name] = title.split(' ');
  return [
    { text: `${mark} `, color: 'cyan' },
    { text: name.join(' '), bold: true, foreign: true, ...(url !== '' && { link: url, underline: true }) },
    { text: words, dim: true },
  ];
}

const MARKS: Readonly<Record<Tick, { mark: string; color?: Color }>> = {
  sent: { mark: '✓' },
  delivered: { mark: '✓✓' },
  read: { mark: '✓✓', color: 'cyan' },
  played: { mark: '✓✓', color: 'cyan' },
  failed: { mark: '✗ not sent', color: 'red' },
};

/** The delivery tick of an own message. Without colours a word tells ticks apart that differ only in colour. */
function tickSpan(tick: Tick, color: boolean): Span {
  const { mark, color: ink } = MARKS[tick];
  const word = tick !== 'failed' && ink && !color ? ` ${tick}` : '';
  return ink ? { text: mark + word, color: ink, bold: true } : { text: mark, dim: true };
}
