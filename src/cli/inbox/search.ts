import type { MessageItem, RoomItem } from './model.js';

/** The rooms whose name, address or last message contains all the words. */
export function roomsWith(rooms: readonly RoomItem[], words: string): readonly RoomItem[] {
  const wanted = wordsOf(words);
  if (wanted.length === 0) return rooms;
  return rooms.filter(({ name, to, phone, lastMessage }) =>
    containsAll(`${name} ${to} ${phone} ${lastMessage}`, wanted),
  );
}

/** The newest message with all the words, of those older than `before`; a deleted one says nothing any more. */
export function newestWith(
  messages: readonly MessageItem[],
  words: string,
  before?: string,
): MessageItem | undefined {
  const wanted = wordsOf(words);
  const place = messages.findIndex(({ messageId }) => messageId === before);
  const older = place >= 0 ? messages.slice(0, place) : messages;
  return older.findLast(
    ({ deleted, body, author, attachment }) =>
      !deleted && containsAll(`${body} ${author} ${attachment?.fileName ?? ''}`, wanted),
  );
}

function wordsOf(text: string): string[] {
  return folded(text).split(/\s+/).filter(Boolean);
}

function containsAll(text: string, words: readonly string[]): boolean {
  const within = folded(text);
  return words.every((word) => within.includes(word));
}

/** Without case and accents. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
