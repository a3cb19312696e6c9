import type { Press } from '../../press.js';
import { moved } from '../../widgets.js';
import { react } from '../actions.js';
import type { InboxView } from '../view.js';
import { EMOJIS, messageOf, type OverlayOf } from '../view-state.js';
import { detailLines } from '../views/detail.js';
import { helpOverflow } from '../views/screen.js';
import { findFirst } from './find.js';
import { finderKeys, switcherKeys } from './goto.js';
import { typed } from './typed.js';

/** Keys while an overlay is open. */
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
  else if (overlay.type === 'switcher') switcherKeys(view, overlay, press);
  else if (overlay.type === 'found') finderKeys(view, overlay, press);
}

function confirmKeys(view: InboxView, { onYes }: OverlayOf<'confirm'>, press: Press): void {
  back(view);
  if (press.type === 'text' && press.text.toLowerCase() === 'y') onYes();
}

function back(view: InboxView): void {
  const { overlay } = view.state;
  if (overlay?.type === 'pairing') overlay.stop();
  if (overlay?.type === 'found') overlay.stop.abort();
  view.change({ overlay: undefined });
}

function keyOf(press: Press): string {
  if (press.type === 'key') return press.key;
  return press.type === 'mouse' ? press.action : press.text;
}

const SCROLLS: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -10,
  pagedown: 10,
};

function helpKeys(view: InboxView, overlay: OverlayOf<'help'>, press: Press): void {
  const most = helpOverflow(view.state.size, view.options.drawing().keys ?? {});
  const by = SCROLLS[keyOf(press)];
  if (by === undefined || most === 0) back(view);
  else view.change({ overlay: { ...overlay, scrolled: moved(overlay.scrolled, by, most + 1) } });
}

function detailKeys(view: InboxView, overlay: OverlayOf<'detail'>, press: Press): void {
  const key = keyOf(press);
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

function emojiKeys(view: InboxView, overlay: OverlayOf<'emoji'>, press: Press): void {
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

function searchKeys(view: InboxView, overlay: OverlayOf<'search'>, press: Press): void {
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
  // filters the rooms while typing
  view.change({
    overlay: { ...overlay, edit },
    ...(isRooms && { roomWords: edit.text.trim(), room: undefined }),
  });
}

const MOVES: Readonly<Record<string, number>> = { tab: 1, down: 1, 'shift+tab': -1, up: -1 };

/** Keys in a form: Enter goes to the next field, and submits on the last one. */
function formKeys(view: InboxView, form: OverlayOf<'form'>, press: Press): void {
  const show = (change: Partial<OverlayOf<'form'>>) => view.change({ overlay: { ...form, ...change } });
  const by = press.type === 'key' ? MOVES[press.key] : undefined;
  if (by !== undefined) {
    show({ index: moved(form.index, by, form.fields.length) });
    return;
  }
  if (press.type === 'key' && press.key === 'enter') {
    if (form.index < form.fields.length - 1) {
      show({ index: form.index + 1 });
      return;
    }
    submit(view, form);
    return;
  }
  const fields = form.fields.map((field, place) =>
    place === form.index ? { ...field, edit: typed(field.edit, press) } : field,
  );
  show({ fields, problem: '' });
}

function submit(view: InboxView, form: OverlayOf<'form'>): void {
  view.change({ overlay: undefined });
  const problem = form.onSubmit(form.fields.map(({ edit }) => edit.text.trim()));
  if (problem !== undefined) view.change({ overlay: { ...form, problem } });
}
