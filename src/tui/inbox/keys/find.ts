import { centred } from '../scroll.js';
import { highlighted } from '../shown.js';
import type { InboxView } from '../view.js';
import { highlight } from './move.js';

/** Goes to the newest message with the words. */
export function findFirst(view: InboxView, words: string): Promise<void> {
  view.change({ messageWords: words });
  return find(view, words, undefined);
}

/** Goes on to the next older message with the words that were looked for last. */
export function findNext(view: InboxView): Promise<void> {
  return find(view, view.state.messageWords, highlighted(view.shown)?.messageId);
}

async function find(view: InboxView, words: string, before: string | undefined): Promise<void> {
  const chatRoomId = view.model.state.conversation?.chatRoomId;
  const found = await view.model.findMessage(words, before === undefined ? {} : { before });
  // the operator may have gone on meanwhile
  if (view.model.state.conversation?.chatRoomId !== chatRoomId || view.state.messageWords !== words) return;
  if (found) highlight(view, found.messageId, centred);
  else view.say('warning', `No ${before === undefined ? '' : 'older '}message with “${words}”.`);
}
