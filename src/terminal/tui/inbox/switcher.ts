import type { InboxState, OtherRoom, RoomItem } from '../../cli/inbox/model.js';
import { containsAll, wordsOf } from '../../cli/inbox/search.js';

/** A room or a session that the switcher can open. */
export interface Target {
  clientId: string;
  /** Undefined: the session itself. */
  chatRoomId: string | undefined;
  name: string;
  /** The address of a room, the state of a session. */
  about: string;
  mark: string;
  unread: number;
}

/** The rooms and sessions with all words: rooms of the selected session first, of them the unread ones. */
export function switchTargets(inbox: InboxState, others: readonly OtherRoom[], words: string): Target[] {
  const wanted = wordsOf(words);
  const own = inbox.rooms.map((room) => roomTarget(inbox.clientId ?? '', room, false));
  const sessions = inbox.sessions.map(
    ({ clientId, status }): Target => ({
      clientId,
      chatRoomId: undefined,
      name: clientId,
      about: `session, ${status}`,
      mark: '●',
      unread: 0,
    }),
  );
  const all = [
    ...own.toSorted((a, b) => Number(b.unread > 0) - Number(a.unread > 0)),
    ...sessions,
    ...others.map(({ clientId, room }) => roomTarget(clientId, room, true)),
  ];
  return all.filter(({ name, about }) => containsAll(`${name} ${about}`, wanted));
}

function roomTarget(clientId: string, room: RoomItem, isElsewhere: boolean): Target {
  const { chatRoomId, name, to, phone, isGroup, unreadCount } = room;
  const about = isGroup ? 'group' : phone || to;
  return {
    clientId,
    chatRoomId,
    name: name || to,
    about: isElsewhere ? `${about} · ${clientId}` : about,
    mark: isGroup ? '#' : ' ',
    unread: unreadCount,
  };
}
