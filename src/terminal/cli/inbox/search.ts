import { fetchMessages, fetchRooms, LARGEST_PAGE } from '../history.js';
import type { InboxContext } from './context.js';
import { messageItems } from './message-item.js';
import type { Hit, MessageItem, OtherRoom, RoomItem } from './model.js';
import { roomItem, withPhone } from './room-item.js';

/** Most rooms of a search over all rooms, and of each session that is not selected: the newest ones. */
const ROOMS = 100;
/** Most matches. */
const HITS = 50;

/** The rooms of all sessions with a workspace, except the selected one. Leaves out sessions whose rooms cannot be read. */
export async function roomsOfOthers({ client, box, phones }: InboxContext): Promise<readonly OtherRoom[]> {
  const { sessions, clientId: selected } = box.state;
  const others = sessions.filter(({ clientId, orgId }) => clientId !== selected && orgId !== '');
  const lists = await Promise.all(
    others.map(async ({ clientId }) => {
      const rows = await fetchRooms(client, clientId).catch(() => []);
      return rows.slice(0, ROOMS).map((row) => ({ clientId, room: withPhone(roomItem(row), phones) }));
    }),
  );
  return lists.flat();
}

/**
 * Searches the newest messages of the newest rooms of the selected session, one room after the other.
 * @returns the newest match first
 */
export async function searchRooms(
  { client, box }: InboxContext,
  words: string,
  signal: AbortSignal,
): Promise<readonly Hit[]> {
  const wanted = wordsOf(words);
  const hits: Hit[] = [];
  for (const room of box.state.rooms.slice(0, ROOMS)) {
    if (signal.aborted) break;
    const { chatRoomId, name, isGroup } = room;
    // a room that is gone meanwhile has no matches
    const rows = await fetchMessages(client, chatRoomId, { limit: LARGEST_PAGE, signal }).catch(() => []);
    const messages = messageItems(rows, { chatRoomId, name, isGroup, ownJid: '' });
    hits.push(...messages.filter((one) => hasWords(one, wanted)).map((message) => ({ room, message })));
  }
  return hits.sort((a, b) => b.message.sentAt.getTime() - a.message.sentAt.getTime()).slice(0, HITS);
}

/** Rooms whose name, address or last message contains all words. */
export function roomsWith(rooms: readonly RoomItem[], words: string): readonly RoomItem[] {
  const wanted = wordsOf(words);
  if (wanted.length === 0) return rooms;
  return rooms.filter(({ name, to, phone, lastMessage }) =>
    containsAll(`${name} ${to} ${phone} ${lastMessage}`, wanted),
  );
}

/**
 * The newest message before `before`, or the oldest one after `after`, with all words; deleted messages never match.
 */
export function nearestWith(
  messages: readonly MessageItem[],
  words: string,
  { before, after }: { before?: string; after?: string } = {},
): MessageItem | undefined {
  const wanted = wordsOf(words);
  const fits = (message: MessageItem) => hasWords(message, wanted);
  const place = messages.findIndex(({ messageId }) => messageId === (before ?? after));
  if (after !== undefined) return messages.slice(place + 1).find(fits);
  return (place >= 0 ? messages.slice(0, place) : messages).findLast(fits);
}

function hasWords({ deleted, body, author, attachment }: MessageItem, wanted: readonly string[]): boolean {
  return !deleted && containsAll(`${body} ${author} ${attachment?.fileName ?? ''}`, wanted);
}

/** The words of a text, in lower case and without accents. */
export function wordsOf(text: string): string[] {
  return folded(text).split(/\s+/).filter(Boolean);
}

export function containsAll(text: string, words: readonly string[]): boolean {
  const within = folded(text);
  return words.every((word) => within.includes(word));
}

/** Lower case, without accents. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
