import type { Press } from '../../press.js';
import { type Edit, insert, pressed } from '../../text/edit.js';

/** Applies a press to a one-line text. */
export function typed(edit: Edit, press: Press): Edit {
  if (press.type === 'mouse') return edit;
  if (press.type === 'key') return pressed(edit, press.key) ?? edit;
  return insert(edit, press.text.replaceAll('\n', ' '));
}
