import type { Hit } from '../../../cli/inbox/model.js';
import { openRoom } from '../actions.js';
import { centred, firstSeen, placeOf, revealed, scrolled, seen } from '../scroll.js';
import type { InboxView } from '../view.js';
import { highlighted } from '../view-state.js';
import { layoutConversation, type MessageBlock } from '../views/conversation.js';
import { messageArea } from '../views/screen.js';

/** Highlights the newest message with the words. */
export function findFirst(view: InboxView, words: string): Promise<void> {
  const { conversation } = view.model.state;
  view.change({ lookedFor: conversation && { words, chatRoomId: conversation.chatRoomId } });
  return find(view, words, undefined);
}

/** Continues the last search. @returns false if there was no search in this room */
export function findNext(view: InboxView, direction: 'older' | 'newer'): boolean {
  const { lookedFor } = view.state;
  if (!lookedFor || lookedFor.chatRoomId !== view.model.state.conversation?.chatRoomId) return false;
  void find(view, lookedFor.words, highlighted(view.shown)?.messageId, direction);
  return true;
}

async function find(
  view: InboxView,
  words: string,
  from: string | undefined,
  direction: 'older' | 'newer' = 'older',
): Promise<void> {
  const chatRoomId = view.model.state.conversation?.chatRoomId;
  const range = direction === 'newer' ? { after: from ?? '' } : from === undefined ? {} : { before: from };
  const found = await view.model.findMessage(words, range);
  // the operator may have left the room or changed the search meanwhile
  if (view.model.state.conversation?.chatRoomId !== chatRoomId) return;
  if (view.state.lookedFor?.words !== words) return;
  if (found) highlight(view, found.messageId, centred);
  else view.say('warning', `No ${from === undefined ? '' : `${direction} `}message with “${words}”.`);
}

/** Opens a message that a search over all rooms has found. */
export async function goToHit(view: InboxView, { room, message }: Hit, words: string): Promise<void> {
  openRoom(view, room.chatRoomId);
  const chatRoomId = view.model.state.conversation?.chatRoomId ?? room.chatRoomId;
  view.change({ lookedFor: { words, chatRoomId } });
  const isThere = await view.model.reveal(message.messageId);
  if (isThere) highlight(view, message.messageId, centred);
}

/** Highlights the oldest message that was unread when the conversation was opened. */
export function toFirstUnread(view: InboxView): void {
  const unreadFrom = view.model.state.conversation?.unreadFrom;
  if (unreadFrom) highlight(view, unreadFrom, centred);
  else view.say('warning', 'This conversation had no unread messages.');
}

function areaOf(view: InboxView): {
  blocks: readonly MessageBlock[];
  rows: number;
} {
  const { columns, rows } = messageArea(view.shown);
  return { blocks: layoutConversation(view.shown, columns, view.options.drawing()), rows };
}

/** Highlights the previous or next message and scrolls to it. First scrolls through a message that is larger than the screen. */
export function moveHighlight(view: InboxView, by: -1 | 1): void {
  const { blocks, rows } = areaOf(view);
  const current = highlighted(view.shown)?.messageId;
  const place = placeOf(blocks, current);
  const block = blocks[place];
  if (!block) return void loadOlder(view);
  const { first, end } = seen(blocks, view.state.bottom, rows);
  if (by === -1 && block.start < first) {
    scrollBy(view, Math.min(rows - 1, first - block.start), false);
    return;
  }
  if (by === 1 && block.start + block.rows > end) {
    scrollBy(view, -Math.min(rows - 1, block.start + block.rows - end), false);
    return;
  }
  const next = blocks[place + by];
  if (next) highlight(view, next.messageId);
  if (by === -1 && place <= 1) void loadOlder(view);
}

/** Highlights a message and scrolls to it. @param scroll `revealed` scrolls as little as possible, `centred` to the middle */
function highlight(view: InboxView, messageId: string, scroll = revealed): void {
  const { blocks, rows } = areaOf(view);
  const isNewest = blocks.at(-1)?.messageId === messageId;
  view.change({
    message: isNewest ? undefined : messageId,
    bottom: scroll(blocks, view.state.bottom, rows, messageId),
  });
}

/** Scrolls up by `up` rows, down if negative. Moves the highlight to the screen. */
export function scrollBy(view: InboxView, up: number, withHighlight = true): void {
  const { blocks, rows } = areaOf(view);
  const bottom = scrolled(blocks, view.state.bottom, rows, up);
  view.change({ bottom });
  if (withHighlight) {
    const message = bottom ? firstSeen(blocks, bottom, rows)?.messageId : undefined;
    view.change({ message });
  }
  if (up > 0 && seen(blocks, bottom, rows).first === 0) void loadOlder(view);
}

/** Scrolls a page up; above the oldest stored message it asks the phone for older ones. */
export function pageUp(view: InboxView, page: number): void {
  const { blocks, rows } = areaOf(view);
  const { conversation } = view.model.state;
  const isAtTop = seen(blocks, view.state.bottom, rows).first === 0;
  if (isAtTop && blocks.length > 0 && conversation?.hasOlder === false && !conversation.loading) {
    if (conversation.onPhone !== 'asking' && conversation.onPhone !== 'none') void view.model.requestOlder();
  }
  scrollBy(view, page);
}

/** Scrolls as little as possible to show the highlighted message, after the size has changed. */
export function revealHighlight(view: InboxView): void {
  const { message, bottom } = view.state;
  if (message === undefined) return;
  const { blocks, rows } = areaOf(view);
  const shown = revealed(blocks, bottom, rows, message);
  if (shown?.messageId !== bottom?.messageId || shown?.row !== bottom?.row) view.change({ bottom: shown });
}

export function toNewest(view: InboxView): void {
  view.change({ message: undefined, bottom: undefined });
}

export function toOldest(view: InboxView): void {
  const [oldest] = areaOf(view).blocks;
  if (oldest) highlight(view, oldest.messageId);
  void loadOlder(view);
}

/** Loads older messages above; the visible rows stay where they are. */
async function loadOlder(view: InboxView): Promise<void> {
  const { conversation } = view.model.state;
  if (!conversation?.hasOlder || conversation.loading) return;
  await view.model.loadOlder();
}
