import type { Press } from '../../press.js';
import { type Edit, insert, pressed } from '../../text/edit.js';
import { moved } from '../../text/window.js';
import { react } from '../acts.js';
import { detailLines } from '../pictures/detail.js';
import { helpOverflow } from '../pictures/frame.js';
import { messageOf } from '../shown.js';
import type { InboxView } from '../view.js';
import {
  type Confirmation,
  type Detail,
  EMOJIS,
  type EmojiChoice,
  type Help,
  type Search,
} from '../view-state.js';
import { findFirst } from './find.js';
import { formKeys } from './form.js';

/** What keys do while something else than the panes has them. */
export function overlayKeys(view: InboxView, press: Press): void {
  const { overlay } = view.state;
  if (!overlay) return;
  if (press.type === 'key' && press.key === 'escape' && overlay.type !== 'search') {
    back(view);
    return;
  }
  if (overlay.type === 'help') helpKeys(view, overlay, press);
  else if (overlay.type === 'confirm') confirmKeys(view, overlay, press);
  else if (overlay.type === 'detail') detailKeys(view, overlay, press);
  else if (overlay.type === 'emoji') emojiKeys(view, overlay, press);
  else if (overlay.type === 'search') searchKeys(view, overlay, press);
  else if (overlay.type === 'form') formKeys(view, overlay, press);
}

function confirmKeys(view: InboxView, { onYes }: Confirmation, press: Press): void {
  back(view);
  if (press.type === 'text' && press.text.toLowerCase() === 'y') onYes();
}

function back(view: InboxView): void {
  const { overlay } = view.state;
  if (overlay?.type === 'pairing') overlay.stop();
  view.change({ overlay: undefined });
}

const SCROLLS: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -10,
  pagedown: 10,
};

function helpKeys(view: InboxView, overlay: Help, press: Press): void {
  const most = helpOverflow(view.state.size);
  const by = SCROLLS[press.type === 'key' ? press.key : press.text];
  if (by === undefined || most === 0) back(view);
  else view.change({ overlay: { ...overlay, scrolled: moved(overlay.scrolled, by, most + 1) } });
}

function detailKeys(view: InboxView, overlay: Detail, press: Press): void {
  const key = press.type === 'key' ? press.key : press.text;
  if (key === 'o' || key === 'q' || key === 'enter') {
    back(view);
    return;
  }
  const message = messageOf(view.shown, overlay.messageId);
  const by = SCROLLS[key];
  if (by === undefined || !message) return;
  const lines = detailLines(message, view.state.size.columns).length;
  view.change({ overlay: { ...overlay, scrolled: moved(overlay.scrolled, by, lines) } });
}

function emojiKeys(view: InboxView, overlay: EmojiChoice, press: Press): void {
  const { index, edit, messageId } = overlay;
  const choose = (next: number) =>
    view.change({ overlay: { ...overlay, index: moved(next, 0, EMOJIS.length) } });
  const key = press.type === 'key' ? press.key : undefined;
  if (edit.text === '') {
    if (key === 'left' || key === 'shift+tab') {
      choose(index - 1);
      return;
    }
    if (key === 'right' || key === 'tab') {
      choose(index + 1);
      return;
    }
    if (key === 'backspace') {
      react(view, messageId, '');
      return;
    }
  }
  if (key === 'enter') {
    react(view, messageId, edit.text.trim() || (EMOJIS[index] ?? ''));
    return;
  }
  view.change({ overlay: { ...overlay, edit: typed(edit, press) } });
}

function searchKeys(view: InboxView, overlay: Search, press: Press): void {
  const isRooms = overlay.where === 'rooms';
  const words = overlay.edit.text.trim();
  if (press.type === 'key' && press.key === 'escape') {
    view.change({ overlay: undefined, ...(isRooms && { roomWords: '' }) });
    return;
  }
  if (press.type === 'key' && press.key === 'enter') {
    view.change({ overlay: undefined });
    if (!isRooms && words !== '') void findFirst(view, words);
    return;
  }
  const edit = typed(overlay.edit, press);
  // the room list follows what is typed
  view.change({
    overlay: { ...overlay, edit },
    ...(isRooms && { roomWords: edit.text.trim(), room: undefined }),
  });
}

/** A text of one line after one more key. */
export function typed(edit: Edit, press: Press): Edit {
  if (press.type === 'key') return pressed(edit, press.key) ?? edit;
  return insert(edit, press.text.replaceAll('\n', ' '));
}
