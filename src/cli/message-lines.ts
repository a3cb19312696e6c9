import type { Attachment, MessageItem, Tick } from './inbox/model.js';
import type { Paint } from './paint.js';

const INDENT = '  ';
const TICKS: Readonly<Record<Tick, string>> = {
  sent: '✓ sent',
  delivered: '✓✓ delivered',
  read: '✓✓ read',
  played: '✓✓ played',
  failed: '✗ failed',
};

/** A message for people: a line with who, when and its id, and what it says below. */
export function messageLines(message: MessageItem, paint: Paint): string[] {
  const { author, fromMe, sentAt, messageId, tick } = message;
  const who = paint('bold', fromMe ? 'You' : author);
  const marks = [tick && TICKS[tick], message.edited && 'edited', message.forwarded && 'forwarded'];
  const small = [timeText(sentAt), messageId, ...marks].filter(Boolean).join('  ');
  return [`${who}  ${paint('dim', small)}`, ...content(message, paint).map((line) => `${INDENT}${line}`)];
}

function content({ deleted, quoted, body, attachment, reactions }: MessageItem, paint: Paint): string[] {
  if (deleted) return [paint('dim', 'deleted')];
  const quote = quoted && `> ${quoted.author}: ${quoted.body}`.replaceAll('\n', ' ⏎ ');
  const emojis = reactions.map(({ emoji, count }) => (count > 1 ? `${emoji} ${count}` : emoji));
  return [
    ...(quote ? [paint('dim', quote)] : []),
    ...(body ? body.split('\n') : []),
    ...(attachment ? [attachmentLine(attachment)] : []),
    ...(emojis.length > 0 ? [emojis.join('  ')] : []),
  ];
}

function attachmentLine({ mediaType, fileName, size, url }: Attachment): string {
  const file = [`[${mediaType}]`, fileName, size > 0 && `(${sizeText(size)})`].filter(Boolean).join(' ');
  return url ? `${file} ${url}` : `${file} not stored`;
}

/** A number of bytes for people. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 10 ? 0 : 1)} ${units[power]}`;
}

/** Local time, to the minute. */
export function timeText(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
