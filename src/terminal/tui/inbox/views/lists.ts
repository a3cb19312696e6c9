import type { SessionStatus } from '../../../../domain/session.js';
import { stateWords } from '../../../cli/fleet/standing.js';
import type { MessageItem, RoomItem, SessionItem } from '../../../cli/inbox/model.js';
import { paneLines } from '../../pane.js';
import { cleanLine } from '../../text/foreign.js';
import {
  type Color,
  cutLine,
  fitLine,
  type Line,
  lineColumns,
  type Span,
  spread,
  wrapText,
} from '../../text/line.js';
import { type Back, personColor } from '../../theme.js';
import { listLines, windowStart } from '../../widgets.js';
import { currentSession, type Drawing, roomPlace, type Shown, sessionPlace } from '../view-state.js';
import { fileTitle } from './message.js';
import { shortMoment } from './moment.js';
import type { Rect } from './rect.js';

/** Below this height, a room has one row instead of two. */
const ROWS_FOR_PREVIEWS = 7;

/** Rows of one room: with room to spare, an empty one stands between two rooms. */
export function rowsPerRoom(count: number, rows: number): number {
  if (rows < ROWS_FOR_PREVIEWS) return 1;
  return count * 3 <= rows + 1 ? 3 : 2;
}

/** Draws the session's rooms by last activity, or the reason why there are none. */
export function roomsPane(shown: Shown, rect: Rect, drawing: Drawing): Line[] {
  const { view, inbox, rooms } = shown;
  const { columns, rows } = rect.inside;
  const isFocused = view.pane === 'rooms';
  const rowsPerItem = rowsPerRoom(rooms.length, rows);
  const place = roomPlace(shown);
  const unread = rooms.filter(({ unreadCount }) => unreadCount > 0).length;
  const lines = listLines({
    items: rooms,
    selected: place,
    columns,
    rows,
    rowsPerItem,
    picture: (room, isHighlighted) => {
      const isOpen = room.chatRoomId === inbox.conversation?.chatRoomId;
      const isSelected = isFocused && isHighlighted;
      const where = { isSelected, isOpen, columns, drawing };
      if (rowsPerItem === 1) return [shortRoomLine(room, where)];
      return [...roomLines(room, where), ...(rowsPerItem === 3 ? [[]] : [])];
    },
    empty: emptyLines(shown, columns),
  });
  return paneLines(
    {
      ...rect.pane,
      title: title(shown),
      about: unread > 0 ? [{ text: `${unread} unread`, color: 'green', bold: true }] : [],
      below: moreBelow(rooms.length, place, Math.max(1, Math.floor(rows / rowsPerItem))),
      isFocused,
      color: drawing.look.color,
    },
    lines,
  );
}

function title({ view, rooms, inbox }: Shown): Line {
  if (view.roomWords !== '') return [{ text: `Rooms with “${cleanLine(view.roomWords)}” (${rooms.length})` }];
  return [{ text: 'Rooms' }, ...(inbox.loadingRooms ? [] : [{ text: ` ${rooms.length}`, dim: true }])];
}

/** How many items stand below the last visible one. */
function moreBelow(count: number, selected: number, shown: number): Line {
  const below = count - windowStart(count, selected, shown) - shown;
  return below > 0 ? [{ text: `↓ ${below} more`, color: 'yellow' }] : [];
}

function emptyLines(shown: Shown, columns: number): Line[] {
  return why(shown).flatMap(({ text, ...style }) =>
    wrapText(text, Math.max(2, columns - 2)).map((line): Line => [{ text: ` ${line}`, ...style }]),
  );
}

/** The reason why there are no rooms, and what to do. */
function why(shown: Shown): Span[] {
  const { inbox, view } = shown;
  const session = currentSession(shown);
  const dim = true;
  if (!session)
    return inbox.sessions.length > 0 ? [{ text: 'Press s, then Enter, to choose a session.', dim }] : [];
  if (session.orgId === '') {
    return [
      { text: '' },
      { text: 'History is off', bold: true, color: 'yellow' },
      { text: `${session.clientId} has no workspace, so nothing is stored.`, dim },
      { text: '' },
      { text: 'Press w to give it one. Messages are stored and shown here from then on.' },
    ];
  }
  if (inbox.loadingRooms) return [{ text: 'Loading…', dim }];
  const none = view.roomWords === '' ? 'No rooms yet. n starts a chat.' : 'No matches. Esc shows all.';
  return [{ text: none, dim }];
}

interface RoomPlace {
  isSelected: boolean;
  isOpen: boolean;
  columns: number;
  drawing: Drawing;
}

function backOf({ isSelected, isOpen }: Pick<RoomPlace, 'isSelected' | 'isOpen'>): Back | undefined {
  return isSelected ? 'selected' : isOpen ? 'idle' : undefined;
}

/** Gives a whole row a background. */
export function onBack(line: Line, back: Back | undefined): Line {
  return back ? line.map((span) => ({ ...span, back: span.back ?? back })) : line;
}

function markSpan({ isSelected, isOpen }: RoomPlace): Span {
  return { text: isSelected ? '▌' : isOpen ? '›' : ' ', color: 'accent' };
}

function roomLines(room: RoomItem, place: RoomPlace): Line[] {
  const { columns, drawing } = place;
  const when = room.lastMessageAt ? shortMoment(room.lastMessageAt, drawing.now) : '';
  const preview = cleanLine(room.lastMessage) || (room.lastMessageAt ? lastText(room.last) : '');
  const hasUnread = room.unreadCount > 0;
  const said: Span[] = [
    { text: room.lastMessageFromMe ? 'You: ' : '', dim: true },
    { text: preview, dim: !hasUnread, foreign: true },
  ];
  const mark = markSpan(place);
  const lines: Line[] = [
    spread(
      [mark, ...nameSpans(room, place.isOpen)],
      [{ text: `${when} `, ...(hasUnread ? { color: 'green', bold: true } : { dim: true }) }],
      columns,
    ),
    spread(
      [{ ...mark, text: mark.text === '›' ? ' ' : mark.text }, { text: room.isGroup ? '   ' : ' ' }, ...said],
      badge(room, drawing.look.color),
      columns,
    ),
  ];
  return lines.map((line) => onBack(line, backOf(place)));
}

/** Describes a message without text. */
function lastText(last: MessageItem | undefined): string {
  if (last?.deleted) return '⊘ deleted';
  if (last?.attachment) {
    const { mediaType } = last.attachment;
    if (mediaType === 'document') return fileTitle(last.attachment);
    return fileTitle({ ...last.attachment, fileName: mediaType === 'image' ? 'photo' : mediaType });
  }
  return last && last.type !== 'chat' ? `[${cleanLine(last.type)}]` : '(no text)';
}

function shortRoomLine(room: RoomItem, place: RoomPlace): Line {
  const { isOpen, columns, drawing } = place;
  const line = spread(
    [markSpan(place), ...nameSpans(room, isOpen)],
    badge(room, drawing.look.color),
    columns,
  );
  return onBack(fitLine(line, columns), backOf(place));
}

function nameSpans({ name, to, unreadCount, isGroup }: RoomItem, isOpen: boolean): Line {
  const shown = cleanLine(name) || cleanLine(to);
  return [
    { text: isGroup ? ' # ' : ' ', color: 'cyan' },
    { text: shown, bold: isOpen || unreadCount > 0, color: personColor(name), foreign: true },
  ];
}

function badge({ unreadCount }: RoomItem, color: boolean): Line {
  if (unreadCount === 0) return [];
  return [
    { text: color ? ` ${unreadCount} ` : `(${unreadCount})`, bold: true, back: 'unread' },
    { text: ' ' },
  ];
}

const STATES: Readonly<Record<SessionStatus, { dot: string; color: Color }>> = {
  initializing: { dot: '◐', color: 'yellow' },
  qr: { dot: '◌', color: 'yellow' },
  connected: { dot: '●', color: 'green' },
  reconnecting: { dot: '◐', color: 'yellow' },
  logged_out: { dot: '✗', color: 'red' },
  replaced: { dot: '✗', color: 'red' },
  banned: { dot: '✗', color: 'red' },
};

function stateOf({ status, jid }: Pick<SessionItem, 'status' | 'jid'>) {
  const isPaired = jid !== '';
  const isStopped = status === 'initializing' && !isPaired;
  return { ...STATES[isStopped ? 'qr' : status], word: stateWords(status, isPaired) };
}

/** The state of a session in a mark and a word. */
export function stateSpans(session: Pick<SessionItem, 'status' | 'jid'>): Line {
  const { dot, color, word } = stateOf(session);
  return [
    { text: `${dot} `, color },
    { text: word, color: color !== 'green' ? color : undefined },
  ];
}

/** Draws all sessions with their states. */
export function sessionsPane(shown: Shown, rect: Rect, drawing: Drawing): Line[] {
  const { inbox, view } = shown;
  const { columns, rows } = rect.inside;
  const isFocused = view.pane === 'sessions';
  const place = sessionPlace(shown);
  const none = inbox.loadingSessions ? ' Loading…' : ' None yet: p pairs a number';
  const lines = listLines({
    items: inbox.sessions,
    selected: place,
    columns,
    rows,
    picture: (session, isHighlighted) => [
      sessionLine(session, {
        isOpen: session.clientId === inbox.clientId,
        isSelected: isFocused && isHighlighted,
        columns,
        drawing,
      }),
    ],
    empty: [[{ text: none, dim: true }]],
  });
  const count = inbox.sessions.length > 0 ? [{ text: ` ${inbox.sessions.length}`, dim: true }] : [];
  const down = inbox.sessions.filter(({ status }) => status !== 'connected').length;
  return paneLines(
    {
      ...rect.pane,
      title: [{ text: 'Sessions' }, ...count],
      about: down > 0 ? [{ text: `${down} not connected`, color: 'yellow' }] : [],
      below: moreBelow(inbox.sessions.length, place, rows),
      isFocused,
      color: drawing.look.color,
    },
    lines,
  );
}

function sessionLine(session: SessionItem, place: RoomPlace): Line {
  const { clientId, reason } = session;
  const { dot, color, word } = stateOf(session);
  const why = reason === '' ? '' : `: ${cleanLine(reason)}`;
  const name: Line = [
    markSpan(place),
    { text: `${dot} `, color },
    { text: clientId, bold: place.isOpen || place.isSelected },
  ];
  // the reason is cut first, then the name
  const room = Math.max(word.length, place.columns - lineColumns(name) - 2);
  const about: Line = [{ text: `${word}${why}`, ...(color === 'green' ? { dim: true } : { color }) }];
  const line = spread(name, [...cutLine(about, room), { text: ' ' }], place.columns);
  return onBack(line, backOf(place));
}
