import type {
  Conversation,
  MessageItem,
  OutgoingItem,
  PhoneHistory,
  RoomItem,
} from '../../../cli/inbox/model.js';
import { wordsOf } from '../../../cli/inbox/search.js';
import { paneLines } from '../../pane.js';
import { cleanLine } from '../../text/foreign.js';
import { columnsOf } from '../../text/graphemes.js';
import { cutLine, type Line, lineColumns, type Span, spread, wrapText } from '../../text/line.js';
import { personColor } from '../../theme.js';
import { type Block, placeAfter, type Seen, seen, totalRows } from '../scroll.js';
import { currentSession, type Drawing, highlighted, openRoom, type Shown } from '../view-state.js';
import { messageLines } from './message.js';
import { dayKey, dayName } from './moment.js';
import type { Rect } from './rect.js';

/** Rows of the pane that show messages, beside those that are being sent. */
export function messageArea(shown: Shown, { inside }: Rect): { columns: number; rows: number } {
  return { columns: inside.columns, rows: Math.max(1, inside.rows - outgoingRows(shown, inside.rows)) };
}

/** Draws the open conversation, newest message at the bottom. */
export function conversationPane(shown: Shown, rect: Rect, drawing: Drawing): Line[] {
  const { conversation } = shown.inbox;
  const { columns, rows } = rect.inside;
  const isFocused = shown.view.pane === 'conversation';
  const frame = { ...rect.pane, isFocused, color: drawing.look.color };
  if (!conversation)
    return paneLines({ ...frame, title: [{ text: 'Conversation' }] }, invitation(shown, columns, rows));
  const area = messageArea(shown, rect).rows;
  const blocks = layoutConversation(shown, columns, drawing);
  const part = seen(blocks, shown.view.bottom, area);
  const messages = seenLines(blocks, part, isFocused ? highlighted(shown)?.messageId : undefined);
  const beginning =
    part.first === 0 && messages.length < area ? [[{ text: beginningText(shown), dim: true }]] : [];
  const space = Array.from({ length: Math.max(0, area - messages.length - beginning.length) }, () => []);
  const below = totalRows(blocks) - part.end;
  return paneLines(
    {
      ...frame,
      title: titleOf(shown),
      about: aboutText(shown, conversation),
      below: below > 0 ? [{ text: `↓ ${below} more lines`, color: 'yellow' }] : [],
    },
    [...space, ...beginning, ...messages, ...outgoingLines(shown, columns, rows)],
  );
}

function beginningText({ inbox }: Shown): string {
  const { conversation } = inbox;
  if (conversation?.loading) return ' Loading…';
  if (conversation?.hasOlder) return ' PgUp loads older messages';
  return conversation?.messages.length ? ` ${PHONE_HISTORY[conversation.onPhone]}` : ' No messages yet';
}

const ASKING = 'asking the phone…';
const PHONE_HISTORY: Readonly<Record<PhoneHistory, string>> = {
  unknown: 'Start of the stored history: PgUp asks the phone for more',
  asking: 'Start of the stored history: asking the phone for more…',
  silent: 'The phone did not answer: PgUp asks it again',
  none: 'Start of the chat: the phone has no older messages',
};

function aboutText(shown: Shown, { loading, onPhone }: Conversation): Line {
  if (loading || onPhone === 'asking') return [{ text: loading ? 'loading…' : ASKING, color: 'yellow' }];
  return lookedForText(shown);
}

function titleOf(shown: Shown): Line {
  const room = openRoom(shown);
  const name =
    cleanLine(room?.name ?? '') || cleanLine(room?.to ?? shown.inbox.conversation?.chatRoomId ?? '');
  const kind = room?.isGroup ? ' · group' : '';
  return [
    { text: name, bold: true, color: personColor(room?.name ?? ''), foreign: true },
    { text: kind + addressText(room, name), dim: true },
  ];
}

function lookedForText({ view, inbox }: Shown): Line {
  const { lookedFor } = view;
  if (!lookedFor || lookedFor.chatRoomId !== inbox.conversation?.chatRoomId) return [];
  return [{ text: `“${cleanLine(lookedFor.words)}” n N`, color: 'yellow' }];
}

/** The person's phone number if known, otherwise the LID; people recognise numbers. */
function addressText(room: RoomItem | undefined, name: string): string {
  const address = cleanLine(room?.phone || room?.to || '');
  return address === '' || address === name ? '' : ` · ${address}`;
}

/** What one can do while no conversation is open, in the middle of the pane. */
function invitation(shown: Shown, columns: number, rows: number): Line[] {
  const session = currentSession(shown);
  const lines: Line[] =
    session?.orgId === ''
      ? historyIsOff(session.clientId)
      : [
          [{ text: 'Enter opens a conversation, ? shows all keys.', dim: true }],
          [{ text: 'u opens the next unread one, Ctrl+K finds one by name.', dim: true }],
        ];
  const whole = lines.flatMap((line) => wrapLine(line, columns - 2));
  const top = Math.max(0, Math.floor((rows - whole.length) / 2));
  const centred = whole.map((line) => {
    return [{ text: ' '.repeat(Math.max(1, Math.floor((columns - lineColumns(line)) / 2))) }, ...line];
  });
  return [...Array.from({ length: top }, () => []), ...centred];
}

/** A line that does not fit becomes several, in the style of its beginning. */
function wrapLine(line: Line, columns: number): Line[] {
  if (lineColumns(line) <= columns) return [line];
  const text = line.map((span) => span.text).join('');
  return wrapText(text, Math.max(2, columns)).map((part) => [{ ...line[0], text: part }]);
}

function historyIsOff(clientId: string): Line[] {
  return [
    [
      {
        text: `The history of ${clientId} is off: its messages are not stored.`,
        color: 'yellow',
        bold: true,
      },
    ],
    [
      { text: 'Press ' },
      { text: 'w', color: 'accent', bold: true },
      { text: ' and Enter to store and show them from now on.' },
    ],
  ];
}

function outgoingOf({ inbox }: Shown): OutgoingItem[] {
  return inbox.outgoing.filter(({ chatRoomId }) => chatRoomId === inbox.conversation?.chatRoomId);
}

function outgoingRows(shown: Shown, rows: number): number {
  return Math.min(outgoingOf(shown).length, Math.max(1, Math.floor(rows / 5)));
}

function outgoingLines(shown: Shown, columns: number, rows: number): Line[] {
  return outgoingOf(shown)
    .slice(-outgoingRows(shown, rows) || undefined)
    .map(({ label, progress }) =>
      spread(
        [
          { text: ' ↑ ', color: 'yellow' },
          { text: cleanLine(label), dim: true, foreign: true },
        ],
        [{ text: progress ? progressText(progress) : 'sending…', color: 'yellow' }],
        columns,
      ),
    );
}

const BAR = 10;

function progressText({ sent, total }: { sent: number; total: number }): string {
  const share = total > 0 ? Math.min(1, sent / total) : 0;
  const done = Math.floor(share * BAR);
  return `${'█'.repeat(done)}${'░'.repeat(BAR - done)} ${Math.floor(share * 100)} %`;
}

/** Milliseconds after which the author is shown again. */
const GROUP_MS = 10 * 60_000;

/** A laid out message, with the day and the author above it. */
export interface MessageBlock extends Block {
  message: MessageItem;
  lines: readonly Line[];
  /** Rows of `lines` before the message itself: the day, the unread rule, and the author. */
  headings: number;
}

interface Drawn {
  /** What it was drawn with. */
  key: string;
  before: MessageItem | undefined;
  isUnread: boolean;
  lines: readonly Line[];
  headings: number;
}

/** Messages are immutable, so lines can be cached by message. */
const drawn = new WeakMap<MessageItem, Drawn>();
let latest: { messages: readonly MessageItem[]; key: string; blocks: readonly MessageBlock[] } | undefined;

/** Lays out all messages of the open conversation. Uses cached lines for unchanged messages. */
export function layoutConversation(shown: Shown, columns: number, drawing: Drawing): readonly MessageBlock[] {
  const { look, now } = drawing;
  const { conversation } = shown.inbox;
  const { lookedFor } = shown.view;
  const messages = conversation?.messages ?? [];
  const words = lookedFor?.chatRoomId === conversation?.chatRoomId ? (lookedFor?.words ?? '') : '';
  const isGroup = openRoom(shown)?.isGroup ?? true;
  const frame: Frame = {
    key: [columns, look.color, look.links, dayKey(now), isGroup, words].join(' '),
    columns,
    drawing,
    words: wordsOf(words),
    isGroup,
  };
  const key = `${frame.key} ${conversation?.unreadFrom}`;
  if (latest?.messages === messages && latest.key === key) return latest.blocks;
  let start = 0;
  const blocks = messages.map((message, place) => {
    const isUnread = message.messageId === conversation?.unreadFrom;
    const { lines, headings } = draw(message, messages[place - 1], isUnread, frame);
    const block = { messageId: message.messageId, message, lines, headings, rows: lines.length, start };
    start += lines.length;
    return block;
  });
  latest = { messages, key, blocks };
  return blocks;
}

/** What all messages of a conversation are drawn with. */
interface Frame {
  key: string;
  columns: number;
  drawing: Drawing;
  /** Words that are marked. */
  words: readonly string[];
  /** Several authors; in other rooms the side shows who wrote. */
  isGroup: boolean;
}

function draw(
  message: MessageItem,
  before: MessageItem | undefined,
  isUnread: boolean,
  { key, columns, drawing, words, isGroup }: Frame,
): Drawn {
  const known = drawn.get(message);
  if (known?.key === key && known.before === before && known.isUnread === isUnread) return known;
  const isNewDay = !before || dayKey(before.sentAt) !== dayKey(message.sentAt);
  const isNewGroup = isNewDay || isUnread || !isSameGroup(before, message);
  const own = messageLines(message, columns, drawing, words);
  const last = before && drawn.get(before);
  // two messages of several rows each would look like one
  const isApart =
    isNewGroup || own.length > 1 || (last !== undefined && last.lines.length - last.headings > 1);
  const headings: Line[] = [
    ...(isNewDay ? [dayLine(message.sentAt, columns, drawing.now)] : []),
    ...(isUnread ? [unreadLine(columns)] : []),
    ...(isApart && !isNewDay && !isUnread ? [[{ text: ' ' }]] : []),
    ...(isNewGroup && isGroup && !message.fromMe ? [cutLine(authorLine(message), columns)] : []),
  ];
  const lines = [...headings, ...own];
  const result = { key, before, isUnread, lines, headings: headings.length };
  drawn.set(message, result);
  return result;
}

function isSameGroup(before: MessageItem, message: MessageItem): boolean {
  const isSameAuthor = before.fromMe === message.fromMe && before.author === message.author;
  return isSameAuthor && message.sentAt.getTime() - before.sentAt.getTime() < GROUP_MS;
}

function dayLine(moment: Date, columns: number, now: Date): Line {
  return ruleLine(dayName(moment, now), columns, { color: 'border' }, { dim: true });
}

/** Separates the messages that were unread when the conversation was opened. */
function unreadLine(columns: number): Line {
  return ruleLine('unread', columns, { color: 'green' }, { color: 'green', bold: true });
}

function ruleLine(name: string, columns: number, rule: Partial<Span>, style: Partial<Span>): Line {
  const bars = Math.max(0, columns - columnsOf(name) - 4);
  const [left, right] = [Math.floor(bars / 2), Math.ceil(bars / 2)];
  return cutLine(
    [
      { text: ` ${'─'.repeat(left)} `, ...rule },
      { text: name, ...style },
      { text: ` ${'─'.repeat(right)}`, ...rule },
    ],
    columns,
  );
}

function authorLine({ author }: MessageItem): Line {
  return [
    { text: ' ' },
    { text: cleanLine(author) || 'Unknown', bold: true, color: personColor(author), foreign: true },
  ];
}

/** The visible rows, with a mark at the highlighted message. */
function seenLines(
  blocks: readonly MessageBlock[],
  { first, end }: Seen,
  highlighted: string | undefined,
): Line[] {
  return blocks.slice(placeAfter(blocks, first), placeAfter(blocks, end - 1) + 1).flatMap((block) => {
    const lines = block.messageId === highlighted ? marked(block) : block.lines;
    return lines.slice(Math.max(0, first - block.start), end - block.start);
  });
}

/** Puts the mark into the first column, and gives the message the background of a selected row. */
function marked({ lines, headings }: MessageBlock): Line[] {
  return lines.map((line, row) => {
    const [first, ...rest] = line;
    if (row < headings || !first) return line;
    return [
      { text: '▌', color: 'accent' },
      { ...first, text: first.text.slice(1) },
      ...rest.map(
        (span): Span => (span.back === 'own' || span.back === 'other' ? { ...span, back: 'selected' } : span),
      ),
    ];
  });
}
