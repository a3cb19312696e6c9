import type { MessageItem } from '../../../cli/inbox/model.js';
import { cleanLine } from '../../text/foreign.js';
import { columnsOf } from '../../text/graphemes.js';
import { cutLine, type Line } from '../../text/line.js';
import type { Block, Seen } from '../scroll.js';
import type { Drawing } from './drawing.js';
import { messageLines } from './message.js';
import { dayKey, dayName } from './moment.js';

/** After so many milliseconds an author is named again. */
const GROUP_MS = 10 * 60_000;

/** A message with its rows, and what stands above it. */
export interface MessageBlock extends Block {
  message: MessageItem;
  lines: readonly Line[];
  /** Rows of `lines` before the message itself: the day and the author. */
  headings: number;
}

interface Drawn {
  key: string;
  lines: readonly Line[];
  headings: number;
}

/** Messages do not change, they are replaced: so a picture is good as long as its message is there. */
const drawn = new WeakMap<MessageItem, Drawn>();
let latest: { messages: readonly MessageItem[]; key: string; blocks: readonly MessageBlock[] } | undefined;

/** All messages of a conversation as rows of so many columns. What was drawn before is not drawn again. */
export function layoutConversation(
  messages: readonly MessageItem[],
  columns: number,
  drawing: Drawing,
): readonly MessageBlock[] {
  const { look, now } = drawing;
  const key = `${columns} ${look.color} ${look.links} ${dayKey(now)}`;
  if (latest?.messages === messages && latest.key === key) return latest.blocks;
  let start = 0;
  const blocks = messages.map((message, place) => {
    const { lines, headings } = draw(message, messages[place - 1], key, columns, drawing);
    const block = { messageId: message.messageId, message, lines, headings, rows: lines.length, start };
    start += lines.length;
    return block;
  });
  latest = { messages, key, blocks };
  return blocks;
}

function draw(
  message: MessageItem,
  before: MessageItem | undefined,
  key: string,
  columns: number,
  drawing: Drawing,
): Drawn {
  const isNewDay = !before || dayKey(before.sentAt) !== dayKey(message.sentAt);
  const isNewGroup = isNewDay || !isSameGroup(before, message);
  const fullKey = `${key} ${isNewDay} ${isNewGroup}`;
  const known = drawn.get(message);
  if (known?.key === fullKey) return known;
  const headings = [
    ...(isNewDay ? [dayLine(message.sentAt, columns, drawing.now)] : []),
    ...(isNewGroup ? [cutLine(authorLine(message), columns)] : []),
  ];
  const lines = [...headings, ...messageLines(message, columns, drawing)];
  const result = { key: fullKey, lines, headings: headings.length };
  drawn.set(message, result);
  return result;
}

function isSameGroup(before: MessageItem, message: MessageItem): boolean {
  const isSameAuthor = before.fromMe === message.fromMe && before.author === message.author;
  return isSameAuthor && message.sentAt.getTime() - before.sentAt.getTime() < GROUP_MS;
}

function dayLine(moment: Date, columns: number, now: Date): Line {
  const name = ` ${dayName(moment, now)} `;
  const bars = Math.max(0, columns - columnsOf(name));
  const left = '─'.repeat(Math.floor(bars / 2));
  return cutLine([{ text: left + name + '─'.repeat(Math.ceil(bars / 2)), dim: true }], columns);
}

function authorLine({ fromMe, author }: MessageItem): Line {
  if (fromMe) return [{ text: ' You', bold: true, color: 'green' }];
  return [
    { text: ' ' },
    { text: cleanLine(author) || 'Unknown', bold: true, color: 'magenta', foreign: true },
  ];
}

/** The rows that are seen, with a mark at the highlighted message. */
export function seenLines(
  blocks: readonly MessageBlock[],
  { first, end }: Seen,
  highlighted: string | undefined,
): Line[] {
  return blocks
    .filter((block) => block.start < end && block.start + block.rows > first)
    .flatMap((block) => {
      const lines = block.messageId === highlighted ? marked(block) : block.lines;
      return lines.slice(Math.max(0, first - block.start), end - block.start);
    });
}

/** The first column is a mark instead of a space. */
function marked({ lines, headings }: MessageBlock): Line[] {
  return lines.map((line, row) => {
    const [first, ...rest] = line;
    if (row < headings || !first) return line;
    return [
      { text: '▌', color: 'cyan' },
      { ...first, text: first.text.slice(1), bold: true, dim: false },
      ...rest,
    ];
  });
}
