import type { MessageItem } from '../../../cli/inbox/model.js';
import { clean, cleanLine } from '../../text/foreign.js';
import { fitLines, type Line, wrapText } from '../../text/line.js';
import { durationText, sizeText } from './message.js';
import { fullMoment } from './moment.js';

/** Draws all facts of a message, with the full URL of its file, on a separate screen, so that they can be copied. */
export function detailLines(message: MessageItem, columns: number): Line[] {
  const { quoted, attachment } = message;
  return [
    ...field('From', message.fromMe ? 'You' : message.author, columns),
    ...field('Sent', fullMoment(message.sentAt), columns),
    ...field('Id', message.messageId, columns),
    ...field('Type', message.type, columns),
    ...field('Marks', marks(message), columns),
    ...(quoted ? field('Reply to', `${quoted.author || 'You'}: ${quoted.body}`, columns) : []),
    ...field(
      'Reactions',
      message.reactions.map(({ emoji, count }) => `${emoji} ${count}`).join('  '),
      columns,
    ),
    ...(attachment ? field('File', fileText(attachment), columns) : []),
    [],
    ...bodyLines(message.deleted ? 'This message was deleted.' : message.body, columns),
    ...(attachment ? addressLines(attachment.url, columns) : []),
  ];
}

/** The visible part of the lines. */
export function detailScreen(
  lines: readonly Line[],
  scrolled: number,
  columns: number,
  rows: number,
): Line[] {
  return fitLines(lines.slice(scrolled), columns, rows);
}

function field(name: string, value: string, columns: number): Line[] {
  const shown = cleanLine(value);
  if (shown === '') return [];
  const label = ` ${name.padEnd(10)} `;
  return wrapText(shown, Math.max(2, columns - label.length)).map((line, row): Line => {
    return [
      { text: row === 0 ? label : ' '.repeat(label.length), dim: true },
      { text: line, foreign: true },
    ];
  });
}

function bodyLines(body: string, columns: number): Line[] {
  return wrapText(clean(body), Math.max(2, columns - 2)).map((line) => [
    { text: ' ' },
    { text: line, foreign: true },
  ]);
}

/** Draws a URL without an indent, so that it can be copied as one. */
function addressLines(url: string, columns: number): Line[] {
  if (url === '') return [[], [{ text: ' The file is not stored yet.', dim: true }]];
  return [
    [],
    ...wrapText(cleanLine(url), columns).map((line): Line => [{ text: line, link: url, color: 'cyan' }]),
  ];
}

function fileText({ fileName, mediaType, size, seconds }: NonNullable<MessageItem['attachment']>): string {
  return [
    fileName,
    mediaType,
    seconds === undefined ? '' : durationText(seconds),
    size > 0 ? sizeText(size) : '',
  ]
    .filter((word) => word !== '')
    .join(' · ');
}

function marks(message: MessageItem): string {
  const { forwarded, edited, fromAi, tick } = message;
  return [forwarded && 'forwarded', edited && 'edited', fromAi && 'by an assistant', tick]
    .filter(Boolean)
    .join(', ');
}
