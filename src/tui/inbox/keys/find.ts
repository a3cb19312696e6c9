import { centred } from '../scroll.js';
import { highlighted } from '../shown.js';
import type { InboxView } from '../view.js';
import { highlight } from './move.js';

/** Goes to the newest message with the words. */
export function findFirst(view: InboxView, words: string): Promise<void> {
  const { conversation } = view.model.state;
  view.change({ lookedFor: conversation && { words, chatRoomId: conversation.chatRoomId } });
  return find(view, words, undefined);
}

/** Goes on to the next older message with the words that were looked for here; false when none were. */
export function findNext(view: InboxView): boolean {
  const { lookedFor } = view.state;
  if (!lookedFor || lookedFor.chatRoomId !== view.model.state.conversation?.chatRoomId) return false;
  void find(view, lookedFor.words, highlighted(view.shown)?.messageId);
  return true;
}

async function find(view: InboxView, words: string, before: string | undefined): Promise<void> {
  const chatRoomId = view.model.state.conversation?.chatRoomId;
  const found = await view.model.findMessage(words, before === undefined ? {} : { before });
  // the operator may have gone on meanwhile
  if (view.model.state.conversation?.chatRoomId !== chatRoomId) return;
  if (view.state.lookedFor?.words !== words) return;
  if (found) highlight(view, found.messageId, centred);
  else view.say('warning', `No ${before === undefined ? '' : 'older '}message with “${words}”.`);
}
