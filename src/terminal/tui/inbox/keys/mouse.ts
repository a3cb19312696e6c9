import type { Press } from '../../press.js';
import { moved, windowStart } from '../../widgets.js';
import { openRoom } from '../actions.js';
import { seen } from '../scroll.js';
import type { InboxView } from '../view.js';
import { type Pane, roomPlace, sessionPlace } from '../view-state.js';
import { layoutConversation } from '../views/conversation.js';
import { rowsPerRoom } from '../views/lists.js';
import { planOf } from '../views/plan.js';
import type { Rect } from '../views/rect.js';
import { messageArea } from '../views/screen.js';
import { scrollBy } from './find.js';
import { overlayKeys } from './overlay.js';

type MousePress = Extract<Press, { type: 'mouse' }>;

/** Rows of one step of the wheel. */
const WHEEL_ROWS = 3;

/** A click gives a pane the focus and chooses what is under it; the wheel scrolls the pane under it. */
export function mousePress(view: InboxView, press: MousePress): void {
  if (view.state.overlay) {
    if (press.action !== 'click') overlayKeys(view, press);
    return;
  }
  const { panes } = planOf(view.shown);
  const entries: [Pane, Rect | undefined][] = [
    ['sessions', panes.sessions],
    ['rooms', panes.rooms],
    ['conversation', panes.conversation],
    ['composer', panes.composer],
  ];
  const under = entries.find(([, rect]) => rect && isWithin(rect, press));
  if (!under?.[1]) return;
  if (press.action === 'click') click(view, under[0], under[1], press);
  else wheel(view, under[0], press.action);
}

function isWithin({ top, left, pane }: Rect, { row, column }: MousePress): boolean {
  return row >= top && row < top + pane.rows && column >= left && column < left + pane.columns;
}

function click(view: InboxView, pane: Pane, rect: Rect, press: MousePress): void {
  // the upper edge is one row
  const row = press.row - rect.top - 1;
  if (row < 0 || row >= rect.inside.rows) focus(view, pane);
  else if (pane === 'sessions') clickSession(view, rect, row);
  else if (pane === 'rooms') clickRoom(view, rect, row);
  else if (pane === 'conversation') clickMessage(view, row);
  else focus(view, pane);
}

function focus(view: InboxView, pane: Pane): void {
  const needsRoom = pane === 'conversation' || pane === 'composer';
  if (!needsRoom || view.model.state.conversation) view.change({ pane });
}

function clickSession(view: InboxView, { inside }: Rect, row: number): void {
  const { sessions } = view.model.state;
  const start = windowStart(sessions.length, sessionPlace(view.shown), inside.rows);
  const session = sessions[start + row];
  if (!session) {
    focus(view, 'sessions');
    return;
  }
  if (session.clientId !== view.model.state.clientId) {
    view.model.selectSession(session.clientId);
    view.change({ room: undefined, roomWords: '' });
  }
  view.change({ pane: 'rooms', session: undefined });
}

function clickRoom(view: InboxView, { inside }: Rect, row: number): void {
  const { rooms } = view.shown;
  const perRoom = rowsPerRoom(rooms.length, inside.rows);
  const shown = Math.max(1, Math.floor(inside.rows / perRoom));
  const start = windowStart(rooms.length, roomPlace(view.shown), shown);
  const room = rooms[start + Math.floor(row / perRoom)];
  if (room) openRoom(view, room.chatRoomId);
  else focus(view, 'rooms');
}

function clickMessage(view: InboxView, row: number): void {
  if (!view.model.state.conversation) return;
  const { columns, rows } = messageArea(view.shown);
  const blocks = layoutConversation(view.shown, columns, view.options.drawing());
  const { first, end } = seen(blocks, view.state.bottom, rows);
  // few messages stand at the lower end of the pane
  const at = first + row - Math.max(0, rows - (end - first));
  const block = blocks.find(({ start, rows: high }) => at >= start && at < start + high);
  const isNewest = block === blocks.at(-1);
  view.change({ pane: 'conversation', ...(block && { message: isNewest ? undefined : block.messageId }) });
}

function wheel(view: InboxView, pane: Pane, action: 'up' | 'down'): void {
  const by = action === 'up' ? -1 : 1;
  const { sessions } = view.model.state;
  const { rooms } = view.shown;
  if (pane === 'sessions') {
    const place = moved(sessionPlace(view.shown), by, sessions.length);
    view.change({ pane, session: sessions[place]?.clientId });
  } else if (pane === 'rooms') {
    view.change({ pane, room: rooms[moved(roomPlace(view.shown), by, rooms.length)]?.chatRoomId });
  } else if (view.model.state.conversation) {
    scrollBy(view, -by * WHEEL_ROWS);
  }
}
