import type { Attachment, MessageItem, RoomItem } from '../../../cli/inbox/model.js';
import { listLines } from '../../components/list.js';
import { cleanLine } from '../../text/foreign.js';
import { fitLine, type Line, type Span, spread } from '../../text/line.js';
import { wrapText } from '../../text/wrap.js';
import { currentSession, roomPlace, type Shown } from '../shown.js';
import type { Drawing } from './drawing.js';
import { shortMoment } from './moment.js';
import { paneTitle } from './sessions-pane.js';

/** With fewer rows than these a room takes one row instead of two. */
const ROWS_FOR_PREVIEWS = 8;

/** The rooms of the session by their last activity, or why there are none. */
export function roomsPane(shown: Shown, columns: number, rows: number, drawing: Drawing): Line[] {
  const { view, inbox, rooms } = shown;
  const isFocused = view.pane === 'rooms';
  const withPreview = rows >= ROWS_FOR_PREVIEWS;
  return [
    paneTitle(title(shown), isFocused, columns),
    ...listLines({
      items: rooms,
      selected: roomPlace(shown),
      columns,
      rows: rows - 1,
      rowsPerItem: withPreview ? 2 : 1,
      picture: (room, isHighlighted) => {
        const isOpen = room.chatRoomId === inbox.conversation?.chatRoomId;
        const place = { mark: mark(isFocused && isHighlighted, isOpen), isOpen, columns, now: drawing.now };
        return withPreview ? roomLines(room, place) : [shortRoomLine(room, place)];
      },
      empty: why(shown).flatMap((text) =>
        wrapText(text, columns - 2).map((line) => [{ text: ` ${line}`, dim: true }]),
      ),
    }),
  ];
}

function title({ view, rooms }: Shown): string {
  return view.roomWords === '' ? 'Rooms' : `Rooms with “${cleanLine(view.roomWords)}” (${rooms.length})`;
}

/** Why there are no rooms, and what to do. */
function why(shown: Shown): string[] {
  const { inbox, view } = shown;
  const session = currentSession(shown);
  if (!session) return inbox.sessions.length > 0 ? ['s and Enter choose a session.'] : [];
  if (session.orgId === '') {
    return [
      `Nothing is kept of ${session.clientId}: it has no workspace.`,
      '',
      'w gives it one; from then on its messages are kept and shown here.',
    ];
  }
  if (inbox.loadingRooms) return ['Loading…'];
  return view.roomWords === '' ? ['No rooms yet. n starts a chat.'] : ['None. Escape shows all.'];
}

interface Place {
  mark: Span;
  isOpen: boolean;
  columns: number;
  now: Date;
}

function mark(isHighlighted: boolean, isOpen: boolean): Span {
  return { text: isHighlighted ? '▌' : isOpen ? '›' : ' ', color: 'cyan' };
}

function roomLines(room: RoomItem, { mark, isOpen, columns, now }: Place): Line[] {
  const when = room.lastMessageAt ? shortMoment(room.lastMessageAt, now) : '';
  const preview = cleanLine(room.lastMessage) || (room.lastMessageAt ? lastText(room.last) : '');
  const said: Span[] = [
    { text: room.lastMessageFromMe ? 'You: ' : '', dim: true },
    { text: preview, dim: true, foreign: true },
  ];
  return [
    spread([mark, nameSpan(room, isOpen)], [{ text: when, dim: true }], columns),
    spread(
      [{ ...mark, text: mark.text === '›' ? ' ' : mark.text }, { text: ' ' }, ...said],
      badge(room),
      columns,
    ),
  ];
}

/** A message without text, in a few words. */
function lastText(last: MessageItem | undefined): string {
  if (last?.deleted) return '⊘ deleted';
  if (last?.attachment) return `▤ ${attachmentName(last.attachment)}`;
  return last && last.type !== 'chat' ? `[${cleanLine(last.type)}]` : '(no text)';
}

function attachmentName({ mediaType, fileName }: Attachment): string {
  if (mediaType === 'document') return cleanLine(fileName) || mediaType;
  return mediaType === 'image' ? 'photo' : cleanLine(mediaType);
}

function shortRoomLine(room: RoomItem, { mark, isOpen, columns }: Place): Line {
  return fitLine(spread([mark, nameSpan(room, isOpen)], badge(room), columns), columns);
}

function nameSpan({ name, to, unreadCount }: RoomItem, isOpen: boolean): Span {
  return { text: cleanLine(name) || cleanLine(to), bold: isOpen || unreadCount > 0, foreign: true };
}

function badge({ unreadCount }: RoomItem): Line {
  return unreadCount > 0 ? [{ text: `(${unreadCount})`, bold: true, color: 'green' }] : [];
}
