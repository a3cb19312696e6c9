import { askForChat, askForPairing, askForWorkspace } from '../forms.js';
import type { InboxView, Keys } from '../view.js';
import type { Pane } from '../view-state.js';

const PANES: readonly Pane[] = ['sessions', 'rooms', 'conversation', 'composer'];

/** What keys do in every pane that does not take them for itself. */
export const everywhereKeys: Keys = (view, press) => {
  if (press.type === 'paste') return false;
  const act = ACTS[press.type === 'key' ? press.key : press.text];
  act?.(view);
  return act !== undefined;
};

const ACTS: Readonly<Record<string, (view: InboxView) => void>> = {
  tab: (view) => goBy(view, 1),
  'shift+tab': (view) => goBy(view, -1),
  s: (view) => view.change({ pane: 'sessions', session: undefined }),
  n: askForChat,
  p: askForPairing,
  w: askForWorkspace,
  '?': (view) => view.change({ overlay: { type: 'help', scrolled: 0 } }),
  q: leave,
};

/** The panes in their order; those of a conversation only while one is open. */
function goBy(view: InboxView, by: number): void {
  const isOpen = view.model.state.conversation !== undefined;
  const panes = isOpen ? PANES : PANES.slice(0, 2);
  const place = panes.indexOf(view.shown.view.pane);
  const pane = panes[(place + by + panes.length) % panes.length];
  if (pane) view.change({ pane });
}

/** Nothing that was written is lost without a question. */
function leave(view: InboxView): void {
  const unsent = [...view.state.drafts.values()].filter(({ edit }) => edit.text.trim() !== '').length;
  if (unsent === 0) {
    view.options.leave();
    return;
  }
  const what = unsent === 1 ? 'an unsent message' : `${unsent} unsent messages`;
  const question = `Leave, and lose ${what}?`;
  view.change({ overlay: { type: 'confirm', question, onYes: () => view.options.leave() } });
}
