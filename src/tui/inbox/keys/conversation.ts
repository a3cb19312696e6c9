import type { MessageItem } from '../../../cli/inbox/model.js';
import type { Press } from '../../press.js';
import { EMPTY_EDIT, editOf, insert } from '../../text/edit.js';
import { startEdit, startReply, withdraw } from '../acts.js';
import { askForFile } from '../forms.js';
import { messageArea } from '../pictures/frame.js';
import { draftOf, highlighted } from '../shown.js';
import type { InboxView, Keys } from '../view.js';
import { EMPTY_DRAFT } from '../view-state.js';
import { findNext } from './find.js';
import { moveHighlight, scrollBy, toNewest, toOldest } from './move.js';

/** What keys do in the open conversation; what means nothing here is the beginning of a message. */
export const conversationKeys: Keys = (view, press) => {
  if (press.type === 'paste') return write(view, press.text);
  const key = press.type === 'key' ? press.key : press.text;
  const act = MOVES[key] ?? ACTS[key];
  if (act) {
    act(view);
    return true;
  }
  if (key === 'n' && findNext(view)) return true;
  const onMessage = ON_MESSAGE[key];
  const message = highlighted(view.shown);
  if (onMessage && message) onMessage(view, message);
  else if (!onMessage && !ELSEWHERE.has(key) && press.type === 'text') write(view, press.text);
  return onMessage !== undefined || isWritten(key, press);
};

/** Letters that have a meaning in every pane. */
const ELSEWHERE = new Set(['s', 'n', 'p', 'w', '?', 'q']);

function isWritten(key: string, press: Press): boolean {
  return press.type === 'text' && !ELSEWHERE.has(key);
}

const page = (view: InboxView) => Math.max(1, messageArea(view.shown).rows - 1);

const MOVES: Readonly<Record<string, (view: InboxView) => void>> = {
  up: (view) => moveHighlight(view, -1),
  k: (view) => moveHighlight(view, -1),
  down: (view) => moveHighlight(view, 1),
  j: (view) => moveHighlight(view, 1),
  pageup: (view) => scrollBy(view, page(view)),
  pagedown: (view) => scrollBy(view, -page(view)),
  'ctrl+b': (view) => scrollBy(view, page(view)),
  'ctrl+f': (view) => scrollBy(view, -page(view)),
  home: toOldest,
  g: toOldest,
  end: toNewest,
  G: toNewest,
};

const ACTS: Readonly<Record<string, (view: InboxView) => void>> = {
  i: (view) => view.change({ pane: 'composer' }),
  enter: (view) => view.change({ pane: 'composer' }),
  f: (view) => askForFile(view),
  m: (view) => void view.model.markRead(),
  left: (view) => view.change({ pane: 'rooms' }),
  right: (view) => view.change({ pane: 'composer' }),
  '/': (view) => view.change({ overlay: { type: 'search', where: 'conversation', edit: EMPTY_EDIT } }),
  escape: (view) => {
    view.change({ pane: 'rooms', message: undefined, bottom: undefined, lookedFor: undefined });
    view.model.closeRoom();
  },
};

const ON_MESSAGE: Readonly<Record<string, (view: InboxView, message: MessageItem) => void>> = {
  r: startReply,
  E: startEdit,
  d: withdraw,
  e: (view, message) => {
    if (message.deleted) return view.say('warning', 'That message is deleted.');
    view.change({ overlay: { type: 'emoji', messageId: message.messageId, index: 0, edit: EMPTY_EDIT } });
  },
  o: (view, message) =>
    view.change({ overlay: { type: 'detail', messageId: message.messageId, scrolled: 0 } }),
};

function write(view: InboxView, text: string): boolean {
  const draft = draftOf(view.shown) ?? EMPTY_DRAFT;
  view.keepDraft({ ...draft, edit: insert(editOf(draft.edit.text), text) });
  view.change({ pane: 'composer' });
  return true;
}
