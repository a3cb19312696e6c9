import type { Press } from '../../press.js';
import { moved } from '../../text/window.js';
import type { InboxView } from '../view.js';
import type { Form } from '../view-state.js';
import { typed } from './overlay.js';

const MOVES: Readonly<Record<string, number>> = { tab: 1, down: 1, 'shift+tab': -1, up: -1 };

/** What keys do in a form: Enter goes on to the next field, and on the last one it is done. */
export function formKeys(view: InboxView, form: Form, press: Press): void {
  const show = (change: Partial<Form>) => view.change({ overlay: { ...form, ...change } });
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

function submit(view: InboxView, form: Form): void {
  view.change({ overlay: undefined });
  const problem = form.onSubmit(form.fields.map(({ edit }) => edit.text.trim()));
  if (problem !== undefined) view.change({ overlay: { ...form, problem } });
}
