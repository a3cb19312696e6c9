import { EMPTY_EDIT } from '../../text/edit.js';
import { moved, STEPS } from '../../widgets.js';
import { askForChat, askForPairing, askForWorkspace, openRoom } from '../actions.js';
import type { InboxView, Keys } from '../view.js';
import { type Pane, roomPlace, sessionPlace } from '../view-state.js';
import { openFinder, openNextUnread, openSwitcher } from './goto.js';

export const sessionKeys: Keys = (view, press) => {
  if (press.type === 'mouse') return false;
  const key = press.type === 'key' ? press.key : press.text;
  const { sessions } = view.model.state;
  const place = sessionPlace(view.shown);
  const by = STEPS[key];
  if (by !== undefined) {
    // the rooms are below the last session
    if (by === 1 && place >= sessions.length - 1) view.change({ pane: 'rooms' });
    else view.change({ session: sessions[moved(place, by, sessions.length)]?.clientId });
    return true;
  }
  if (key === 'enter' || key === 'right') choose(view, sessions[place]?.clientId);
  else if (key === 'escape') view.change({ pane: 'rooms', session: undefined });
  else return false;
  return true;
};

function choose(view: InboxView, clientId: string | undefined): void {
  if (clientId === undefined) return;
  if (clientId !== view.model.state.clientId) {
    view.model.selectSession(clientId);
    view.change({ room: undefined, roomWords: '' });
  }
  view.change({ pane: 'rooms', session: undefined });
}

export const roomKeys: Keys = (view, press) => {
  if (press.type === 'mouse') return false;
  const key = press.type === 'key' ? press.key : press.text;
  const { rooms } = view.shown;
  const place = roomPlace(view.shown);
  const by = STEPS[key];
  if (by !== undefined) {
    if (by === -1 && place === 0) view.change({ pane: 'sessions' });
    else view.change({ room: rooms[moved(place, by, rooms.length)]?.chatRoomId });
    return true;
  }
  if (key === 'enter') openRoom(view, rooms[place]?.chatRoomId);
  else if (key === 'right') goToConversation(view, rooms[place]?.chatRoomId);
  else if (key === '/') view.change({ overlay: { type: 'search', where: 'rooms', edit: EMPTY_EDIT } });
  else if (key === 'escape') view.change({ roomWords: '' });
  else return false;
  return true;
};

/** Moves the focus to the open conversation; opens the highlighted room if none is open. */
function goToConversation(view: InboxView, chatRoomId: string | undefined): void {
  if (view.model.state.conversation) view.change({ pane: 'conversation' });
  else openRoom(view, chatRoomId);
}

const PANES: readonly Pane[] = ['sessions', 'rooms', 'conversation', 'composer'];

/** Keys in every pane that does not bind them itself. */
export const everywhereKeys: Keys = (view, press) => {
  if (press.type !== 'key' && press.type !== 'text') return false;
  const act = ACTS[press.type === 'key' ? press.key : press.text];
  act?.(view);
  return act !== undefined;
};

const ACTS: Readonly<Record<string, (view: InboxView) => void>> = {
  tab: (view) => goBy(view, 1),
  'shift+tab': (view) => goBy(view, -1),
  s: (view) => view.change({ pane: 'sessions', session: undefined }),
  'ctrl+k': openSwitcher,
  u: openNextUnread,
  F: openFinder,
  n: askForChat,
  p: askForPairing,
  w: askForWorkspace,
  '?': (view) => view.change({ overlay: { type: 'help', scrolled: 0 } }),
  q: leave,
};

/** Moves the focus by `by` panes. Skips the conversation and the composer while no room is open. */
function goBy(view: InboxView, by: number): void {
  const isOpen = view.model.state.conversation !== undefined;
  const panes = isOpen ? PANES : PANES.slice(0, 2);
  const place = panes.indexOf(view.shown.view.pane);
  const pane = panes[(place + by + panes.length) % panes.length];
  if (pane) view.change({ pane });
}

/** Quits; asks first if there are unsent texts. */
function leave(view: InboxView): void {
  const unsent = [...view.state.drafts.values()].filter(({ edit }) => edit.text.trim() !== '').length;
  if (unsent === 0) {
    view.options.leave();
    return;
  }
  const what = unsent === 1 ? 'an unsent message' : `${unsent} unsent messages`;
  const question = `Quit and lose ${what}?`;
  view.change({ overlay: { type: 'confirm', question, onYes: () => view.options.leave() } });
}
