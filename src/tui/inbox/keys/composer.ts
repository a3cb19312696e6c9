import { insert, pressed } from '../../text/edit.js';
import { moveRow } from '../../text/edit-picture.js';
import { putAboutAside, submit } from '../acts.js';
import { PROMPT } from '../pictures/composer.js';
import { messageArea } from '../pictures/frame.js';
import { draftOf } from '../shown.js';
import type { InboxView, Keys } from '../view.js';

/** What keys do where a message is written. */
export const composerKeys: Keys = (view, press) => {
  const draft = draftOf(view.shown);
  if (press.type !== 'key') {
    view.keepDraft({ ...draft, edit: insert(draft.edit, press.text) });
    return true;
  }
  const act = ACTS[press.key];
  if (act) {
    act(view);
    return true;
  }
  const edit = pressed(draft.edit, press.key);
  if (edit) view.keepDraft({ ...draft, edit });
  return edit !== undefined;
};

const ACTS: Readonly<Record<string, (view: InboxView) => void>> = {
  enter: (view) => void submit(view),
  'alt+enter': newLine,
  'ctrl+j': newLine,
  up: (view) => moveCursor(view, -1),
  down: (view) => moveCursor(view, 1),
  escape: (view) => {
    if (!putAboutAside(view)) view.change({ pane: 'conversation' });
  },
};

function newLine(view: InboxView): void {
  const draft = draftOf(view.shown);
  view.keepDraft({ ...draft, edit: insert(draft.edit, '\n') });
}

/** Above the first row stand the messages. */
function moveCursor(view: InboxView, by: -1 | 1): void {
  const draft = draftOf(view.shown);
  const edit = moveRow(draft.edit, messageArea(view.shown).columns - PROMPT, by);
  if (edit) view.keepDraft({ ...draft, edit });
  else if (by === -1 && draft.edit.text === '') view.change({ pane: 'conversation' });
}
