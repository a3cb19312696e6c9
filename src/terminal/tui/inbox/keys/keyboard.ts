import type { Press } from '../../press.js';
import type { InboxView, Keys } from '../view.js';
import { noticeOf, type Pane } from '../view-state.js';
import { translated } from './bindings.js';
import { composerKeys, conversationKeys } from './conversation.js';
import { everywhereKeys, roomKeys, sessionKeys } from './lists.js';
import { mousePress } from './mouse.js';
import { overlayKeys } from './overlay.js';

const KEYS: Readonly<Record<Pane, Keys>> = {
  sessions: sessionKeys,
  rooms: roomKeys,
  conversation: conversationKeys,
  composer: composerKeys,
};

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Passes a press to the overlay, or to the pane with the focus. */
export function pressKey(view: InboxView, press: Press): void {
  if (press.type === 'mouse') mousePress(view, press);
  else if (press.type === 'text' || (press.type === 'paste' && press.guessed)) typeText(view, press.text);
  else pressOne(view, press);
}

/** Handles the keys of one chunk one by one. Only a message can have several lines. */
function typeText(view: InboxView, text: string): void {
  for (const { segment, index } of SEGMENTER.segment(text)) {
    const rest = text.slice(index);
    if (isAtMessage(view) && /\n./s.test(rest)) {
      pressOne(view, { type: 'paste', text: rest, guessed: true });
      return;
    }
    pressOne(view, segment === '\n' ? { type: 'key', key: 'enter' } : { type: 'text', text: segment });
    // keys that were typed before the question appeared must not answer it
    if (view.state.overlay?.type === 'confirm') return;
  }
}

function isAtMessage(view: InboxView): boolean {
  const { overlay, pane } = view.shown.view;
  return overlay === undefined && (pane === 'composer' || pane === 'conversation');
}

function pressOne(view: InboxView, press: Press): void {
  if (press.type === 'key' && press.key === 'ctrl+c') {
    view.options.leave();
    return;
  }
  if (view.state.overlay) return void overlayKeys(view, press);
  if (press.type === 'key' && press.key === 'escape' && noticeOf(view.shown)) {
    view.dismissNotice();
    return;
  }
  if (view.state.notice) view.change({ notice: undefined });
  const { pane } = view.shown.view;
  const usual = translated(press, pane, view.options.drawing().keys ?? {});
  if (usual && !KEYS[pane](view, usual)) everywhereKeys(view, usual);
}
