import { layoutConversation, type MessageBlock } from '../pictures/conversation.js';
import { messageArea } from '../pictures/frame.js';
import { firstSeen, revealed, scrolled, seen } from '../scroll.js';
import { highlighted } from '../shown.js';
import type { InboxView } from '../view.js';

/** The open conversation as it stands on the screen. */
interface Area {
  blocks: readonly MessageBlock[];
  rows: number;
}

function areaOf(view: InboxView): Area {
  const { columns, rows } = messageArea(view.shown);
  const messages = view.model.state.conversation?.messages ?? [];
  return { blocks: layoutConversation(messages, columns, view.options.drawing()), rows };
}

/** Highlights the message before or after, and scrolls to it. A message that is larger than the screen is scrolled through first. */
export function moveHighlight(view: InboxView, by: -1 | 1): void {
  const { blocks, rows } = areaOf(view);
  const current = highlighted(view.shown)?.messageId;
  const place = blocks.findIndex(({ messageId }) => messageId === current);
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

/** Highlights a message and scrolls to it, by as little as it takes or so that it stands amid others. */
export function highlight(view: InboxView, messageId: string, scroll = revealed): void {
  const { blocks, rows } = areaOf(view);
  const isNewest = blocks.at(-1)?.messageId === messageId;
  view.change({
    message: isNewest ? undefined : messageId,
    bottom: scroll(blocks, view.state.bottom, rows, messageId),
  });
}

/** Further up by so many rows, down when negative; the highlight comes along. */
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

export function toNewest(view: InboxView): void {
  view.change({ message: undefined, bottom: undefined });
}

export function toOldest(view: InboxView): void {
  const [oldest] = areaOf(view).blocks;
  if (oldest) highlight(view, oldest.messageId);
  void loadOlder(view);
}

/** What is on the screen stays there: older messages come above it. */
async function loadOlder(view: InboxView): Promise<void> {
  const { conversation } = view.model.state;
  if (!conversation?.hasOlder || conversation.loading) return;
  await view.model.loadOlder();
}
