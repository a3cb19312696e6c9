import type { Press } from '../../press.js';
import { EMPTY_EDIT } from '../../text/edit.js';
import { moved } from '../../widgets.js';
import { openRoom } from '../actions.js';
import { switchTargets } from '../switcher.js';
import type { InboxView } from '../view.js';
import { type OverlayOf, roomPlace } from '../view-state.js';
import { goToHit } from './find.js';
import { typed } from './typed.js';

/** Opens the next room with unread messages below the highlighted one, or the first of the list. */
export function openNextUnread(view: InboxView): void {
  const { rooms } = view.model.state;
  const open = view.model.state.conversation?.chatRoomId;
  const place = open ? rooms.findIndex(({ chatRoomId }) => chatRoomId === open) : roomPlace(view.shown) - 1;
  const ordered = [...rooms.slice(place + 1), ...rooms.slice(0, place + 1)];
  const next = ordered.find(({ unreadCount, chatRoomId }) => unreadCount > 0 && chatRoomId !== open);
  if (next) openRoom(view, next.chatRoomId);
  else view.say('done', 'No unread messages.');
}

/** Lets the operator go to a room or a session by name; loads the rooms of the other sessions meanwhile. */
export function openSwitcher(view: InboxView): void {
  view.change({ overlay: { type: 'switcher', edit: EMPTY_EDIT, index: 0, others: [] } });
  void view.model.roomsOfOthers().then((others) => {
    const { overlay } = view.state;
    if (overlay?.type === 'switcher') view.change({ overlay: { ...overlay, others } });
  });
}

const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  'ctrl+p': -1,
  'shift+tab': -1,
  down: 1,
  'ctrl+n': 1,
  tab: 1,
  pageup: -10,
  pagedown: 10,
};

function stepOf(press: Press): number | undefined {
  if (press.type === 'mouse') return press.action === 'click' ? undefined : STEPS[press.action];
  return press.type === 'key' ? STEPS[press.key] : undefined;
}

export function switcherKeys(view: InboxView, overlay: OverlayOf<'switcher'>, press: Press): void {
  const targets = switchTargets(view.model.state, overlay.others, overlay.edit.text);
  const step = stepOf(press);
  if (step !== undefined) {
    view.change({ overlay: { ...overlay, index: moved(overlay.index, step, targets.length) } });
    return;
  }
  if (press.type !== 'key' || press.key !== 'enter') {
    view.change({ overlay: { ...overlay, index: 0, edit: typed(overlay.edit, press) } });
    return;
  }
  const target = targets[overlay.index];
  if (!target) return;
  view.change({ overlay: undefined, roomWords: '' });
  void goTo(view, target);
}

async function goTo(
  view: InboxView,
  { clientId, chatRoomId }: { clientId: string; chatRoomId: string | undefined },
): Promise<void> {
  if (chatRoomId === undefined) {
    view.model.selectSession(clientId);
    view.change({ pane: 'rooms', session: undefined, room: undefined });
  } else if (clientId === view.model.state.clientId) {
    openRoom(view, chatRoomId);
  } else if (await view.model.openRoomOf(clientId, chatRoomId)) {
    view.change({ pane: 'conversation', room: chatRoomId, message: undefined, bottom: undefined });
  }
}

/** Lets the operator search the messages of all rooms. */
export function openFinder(view: InboxView): void {
  const stop = new AbortController();
  view.change({ overlay: { type: 'found', edit: EMPTY_EDIT, index: 0, hits: [], state: 'typing', stop } });
}

/** Enter searches; once there are matches, it opens the selected one. */
export function finderKeys(view: InboxView, overlay: OverlayOf<'found'>, press: Press): void {
  const { hits, index, edit, stop } = overlay;
  const step = stepOf(press);
  if (step !== undefined) {
    view.change({ overlay: { ...overlay, index: moved(index, step, hits.length) } });
    return;
  }
  if (press.type !== 'key' || press.key !== 'enter') {
    const changed = typed(edit, press);
    const isSame = changed.text === edit.text;
    if (!isSame) stop.abort();
    const fresh = { hits: [], index: 0, state: 'typing', stop: new AbortController() } as const;
    view.change({ overlay: { ...overlay, ...(isSame ? {} : fresh), edit: changed } });
    return;
  }
  const words = edit.text.trim();
  const hit = hits[index];
  if (hit) {
    view.change({ overlay: undefined });
    void goToHit(view, hit, words);
  } else if (words !== '' && overlay.state === 'typing') {
    view.change({ overlay: { ...overlay, state: 'searching' } });
    void search(view, words, stop);
  }
}

async function search(view: InboxView, words: string, stop: AbortController): Promise<void> {
  const hits = await view.model.searchRooms(words, stop.signal);
  const { overlay } = view.state;
  if (overlay?.type === 'found' && overlay.stop === stop)
    view.change({ overlay: { ...overlay, hits, index: 0, state: 'done' } });
}
