import type { Conversation, InboxState, MessageItem, OutgoingItem, RoomItem } from './model.js';

/** The newest messages of a room, oldest first. */
export interface Newest {
  /** The room's id by now. */
  chatRoomId: string;
  messages: readonly MessageItem[];
  /** There is nothing before the first of them. */
  fromBeginning: boolean;
}

/** The rooms anew. The open one is in front of somebody's eyes: nothing in it is unread. */
export function withRooms(state: InboxState, rooms: readonly RoomItem[]): InboxState {
  const open = state.conversation?.chatRoomId;
  const shown = rooms.map((room) => (room.chatRoomId === open ? { ...room, unreadCount: 0 } : room));
  return { ...state, rooms: shown, loadingRooms: false };
}

/** A conversation that was just opened, with its messages to come. */
export function opening(state: InboxState, chatRoomId: string): InboxState {
  const conversation: Conversation = { chatRoomId, messages: [], hasOlder: false, loading: true };
  return withRooms({ ...state, conversation }, state.rooms);
}

/**
 * The newest messages in place of what was shown of them, and what was shown before them as it was.
 * @param limit messages that are kept at most, the newest
 */
export function withNewest(state: InboxState, newest: Newest, limit: number): InboxState {
  const { conversation } = state;
  if (!conversation) return state;
  const earlier = newest.fromBeginning ? [] : shownBefore(conversation.messages, newest.messages);
  const all = [...earlier, ...newest.messages];
  const messages = all.slice(-limit);
  const { chatRoomId, fromBeginning } = newest;
  const hasOlder =
    messages.length < all.length || (earlier.length > 0 ? conversation.hasOlder : !fromBeginning);
  const outgoing = conversation.loading ? state.outgoing : withoutArrived(state, newest);
  return renamed(
    { ...state, outgoing, conversation: { ...conversation, messages, hasOlder, loading: false } },
    conversation.chatRoomId,
    chatRoomId,
  );
}

/** A page that belongs before the oldest message shown. */
export function withOlder(state: InboxState, older: Newest): InboxState {
  const { conversation } = state;
  if (!conversation) return state;
  const shown = new Set(conversation.messages.map(({ messageId }) => messageId));
  const added = older.messages.filter(({ messageId }) => !shown.has(messageId));
  const messages = [...added, ...conversation.messages];
  return {
    ...state,
    conversation: { ...conversation, messages, hasOlder: !older.fromBeginning, loading: false },
  };
}

/** The open conversation with or without something on its way. */
export function loadingIs(state: InboxState, loading: boolean): InboxState {
  const { conversation } = state;
  if (!conversation || conversation.loading === loading) return state;
  return { ...state, conversation: { ...conversation, loading } };
}

/** A room has another id from now on. */
export function renamed(state: InboxState, from: string, to: string): InboxState {
  if (from === to) return state;
  const moved = <Item extends { chatRoomId: string }>(item: Item): Item =>
    item.chatRoomId === from ? { ...item, chatRoomId: to } : item;
  return {
    ...state,
    conversation: state.conversation && moved(state.conversation),
    outgoing: state.outgoing.map(moved),
  };
}

/** What is shown and older than a page that reaches into it; nothing where it does not. */
function shownBefore(shown: readonly MessageItem[], page: readonly MessageItem[]): readonly MessageItem[] {
  const [first] = page;
  if (!first) return [];
  const place = shown.findIndex(({ messageId }) => messageId === first.messageId);
  if (place >= 0) return shown.slice(0, place);
  const ids = new Set(page.map(({ messageId }) => messageId));
  if (!shown.some(({ messageId }) => ids.has(messageId))) return [];
  return shown.filter(({ messageId, sentAt }) => sentAt < first.sentAt && !ids.has(messageId));
}

/** What is on its way, without what has arrived with the page: one item for each new own message. */
function withoutArrived({ conversation, outgoing }: InboxState, page: Newest): readonly OutgoingItem[] {
  if (outgoing.length === 0) return outgoing;
  const known = new Set(conversation?.messages.map(({ messageId }) => messageId));
  const left = [...outgoing];
  for (const message of page.messages) {
    if (!message.fromMe || known.has(message.messageId)) continue;
    const place = left.findIndex((item) => isSame(item, message, page.chatRoomId));
    if (place >= 0) left.splice(place, 1);
  }
  return left;
}

function isSame(item: OutgoingItem, message: MessageItem, chatRoomId: string): boolean {
  if (item.chatRoomId !== chatRoomId) return false;
  return item.progress ? item.label === message.attachment?.fileName : item.label === message.body;
}
