import type { MessageItem } from '../../../cli/inbox/model.js';
import type { Press } from '../../press.js';
import { EMPTY_EDIT, editOf, insert, moveRow, pressed } from '../../text/edit.js';
import {
  askForFile,
  askToSave,
  openAttachment,
  putAboutAside,
  startEdit,
  startReply,
  submit,
  withdraw,
} from '../actions.js';
import type { InboxView, Keys } from '../view.js';
import { draftOf, EMPTY_DRAFT, highlighted } from '../view-state.js';
import { PROMPT } from '../views/composer.js';
import { messageArea } from '../views/screen.js';
import { findNext, moveHighlight, pageUp, scrollBy, toFirstUnread, toNewest, toOldest } from './find.js';
import { openSwitcher } from './goto.js';

/** Keys in the open conversation. An unbound letter starts a message. */
export const conversationKeys: Keys = (view, press) => {
  if (press.type === 'mouse') return false;
  if (press.type === 'paste') return write(view, press.text);
  const key = press.type === 'key' ? press.key : press.text;
  const act = MOVES[key] ?? CONVERSATION_KEYS[key];
  if (act) {
    act(view);
    return true;
  }
  if (key === 'n' && findNext(view, 'older')) return true;
  if (key === 'N') {
    if (!findNext(view, 'newer')) view.say('warning', 'Search first: /');
    return true;
  }
  const onMessage = ON_MESSAGE[key];
  const message = highlighted(view.shown);
  if (onMessage && message) onMessage(view, message);
  else if (!onMessage && !ELSEWHERE.has(key) && press.type === 'text') write(view, press.text);
  return onMessage !== undefined || isWritten(key, press);
};

/** Letters that are bound in every pane. */
const ELSEWHERE = new Set(['s', 'n', 'p', 'w', 'u', 'F', '?', 'q']);

function isWritten(key: string, press: Press): boolean {
  return press.type === 'text' && !ELSEWHERE.has(key);
}

const page = (view: InboxView) => Math.max(1, messageArea(view.shown).rows - 1);

const MOVES: Readonly<Record<string, (view: InboxView) => void>> = {
  up: (view) => moveHighlight(view, -1),
  k: (view) => moveHighlight(view, -1),
  down: (view) => moveHighlight(view, 1),
  j: (view) => moveHighlight(view, 1),
  pageup: (view) => pageUp(view, page(view)),
  pagedown: (view) => scrollBy(view, -page(view)),
  'ctrl+b': (view) => pageUp(view, page(view)),
  'ctrl+f': (view) => scrollBy(view, -page(view)),
  home: toOldest,
  g: toOldest,
  end: toNewest,
  G: toNewest,
};

const CONVERSATION_KEYS: Readonly<Record<string, (view: InboxView) => void>> = {
  i: (view) => view.change({ pane: 'composer' }),
  enter: (view) => view.change({ pane: 'composer' }),
  f: (view) => askForFile(view),
  m: (view) => void view.model.markRead(),
  U: toFirstUnread,
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
  O: openAttachment,
  S: askToSave,
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

/** Keys in the composer. */
export const composerKeys: Keys = (view, press) => {
  const draft = draftOf(view.shown);
  if (press.type === 'mouse') return false;
  if (press.type !== 'key') {
    view.keepDraft({ ...draft, edit: insert(draft.edit, press.text) });
    return true;
  }
  const act = COMPOSER_KEYS[press.key];
  if (act) {
    act(view);
    return true;
  }
  // Ctrl+K deletes to the end of the line; with nothing there it goes to another room, as in the other panes
  if (press.key === 'ctrl+k' && draft.edit.cursor === draft.edit.text.length) {
    openSwitcher(view);
    return true;
  }
  const edit = pressed(draft.edit, press.key);
  if (edit) view.keepDraft({ ...draft, edit });
  return edit !== undefined;
};

const COMPOSER_KEYS: Readonly<Record<string, (view: InboxView) => void>> = {
  enter: (view) => void submit(view),
  'alt+enter': newLine,
  'ctrl+j': newLine,
  up: (view) => moveCursor(view, -1),
  down: (view) => moveCursor(view, 1),
  escape: (view) => {
    // one Escape ends an edit; the text of a reply stays, as a message of its own
    const isReply = draftOf(view.shown).about?.type === 'reply';
    putAboutAside(view);
    if (!isReply) view.change({ pane: 'conversation' });
  },
};

function newLine(view: InboxView): void {
  const draft = draftOf(view.shown);
  view.keepDraft({ ...draft, edit: insert(draft.edit, '\n') });
}

/** Moves the cursor; up from an empty text moves the focus to the messages. */
function moveCursor(view: InboxView, by: -1 | 1): void {
  const draft = draftOf(view.shown);
  const edit = moveRow(draft.edit, messageArea(view.shown).columns - PROMPT, by);
  if (edit) view.keepDraft({ ...draft, edit });
  else if (by === -1 && draft.edit.text === '') view.change({ pane: 'conversation' });
}
