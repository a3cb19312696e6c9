import { EMPTY_EDIT } from '../../text/edit.js';
import { moved, STEPS } from '../../text/window.js';
import { roomPlace, sessionPlace } from '../shown.js';
import type { InboxView, Keys } from '../view.js';

export const sessionKeys: Keys = (view, press) => {
  const key = press.type === 'key' ? press.key : press.text;
  const { sessions } = view.model.state;
  const place = sessionPlace(view.shown);
  const by = STEPS[key];
  if (by !== undefined) {
    // below the last session come the rooms
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
  const key = press.type === 'key' ? press.key : press.text;
  const { rooms } = view.shown;
  const place = roomPlace(view.shown);
  const by = STEPS[key];
  if (by !== undefined) {
    if (by === -1 && place === 0) view.change({ pane: 'sessions' });
    else view.change({ room: rooms[moved(place, by, rooms.length)]?.chatRoomId });
    return true;
  }
  if (key === 'enter') open(view, rooms[place]?.chatRoomId);
  else if (key === 'right') goToConversation(view, rooms[place]?.chatRoomId);
  else if (key === '/') view.change({ overlay: { type: 'search', where: 'rooms', edit: EMPTY_EDIT } });
  else if (key === 'escape') view.change({ roomWords: '' });
  else return false;
  return true;
};

/** To the conversation that is open, or to the highlighted one. */
function goToConversation(view: InboxView, chatRoomId: string | undefined): void {
  if (view.model.state.conversation) view.change({ pane: 'conversation' });
  else open(view, chatRoomId);
}

function open(view: InboxView, chatRoomId: string | undefined): void {
  if (chatRoomId === undefined) return;
  if (view.model.state.conversation?.chatRoomId !== chatRoomId) view.model.openRoom(chatRoomId);
  view.change({ pane: 'conversation', room: chatRoomId, message: undefined, bottom: undefined });
}
