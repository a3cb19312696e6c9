import { EMPTY_EDIT, editOf } from '../text/edit.js';
import { sendFile } from './acts.js';
import { startPairing } from './pairing.js';
import { currentSession } from './shown.js';
import type { InboxView } from './view.js';
import type { Field, Form } from './view-state.js';

/** Asks for a file to send into the open conversation. */
export function askForFile(view: InboxView): void {
  ask(
    view,
    'Send a file',
    [field('Path', 'of a file on this machine'), field('Caption', 'none')],
    ([path, caption]) => {
      if (!path) return 'a path is needed';
      void sendFile(view, path, caption);
      return undefined;
    },
  );
}

/** Asks whom to write to. */
export function askForChat(view: InboxView): void {
  if (!view.model.state.clientId) {
    view.say('warning', 'Choose a session first: s.');
    return;
  }
  ask(
    view,
    'New chat',
    [field('To', '+15550000001 or a LID'), field('Text', 'the first message')],
    (texts) => {
      const [to, text] = texts;
      if (!to || !text) return 'whom to write to and a first message are needed';
      void startChat(view, to, text);
      return undefined;
    },
  );
}

async function startChat(view: InboxView, to: string, text: string): Promise<void> {
  if (await view.model.startChat(to, text)) {
    view.change({ pane: 'conversation', room: undefined, message: undefined, bottom: undefined });
  } else {
    // what was written comes back with the reason
    askForChat(view);
    const { overlay } = view.state;
    if (overlay?.type === 'form') {
      const [first, second] = [to, text].map((value) => ({ edit: editOf(value) }));
      const fields = overlay.fields.map((one, place) => ({ ...one, ...(place === 0 ? first : second) }));
      view.change({ overlay: { ...overlay, fields, index: 0 } });
    }
  }
}

/** Asks for what a new session needs. */
export function askForPairing(view: InboxView): void {
  const fields = [
    field('Session', 'a name of its own: letters and digits'),
    field('Workspace', 'none: nothing is kept'),
    field('Number', 'empty draws a QR; a number asks for a code to type on the phone'),
  ];
  ask(view, 'Pair a number', fields, ([clientId, orgId, phone]) => {
    if (!clientId) return 'the session needs a name';
    startPairing(view, { clientId, orgId: orgId || undefined, phone: phone || undefined });
    return undefined;
  });
}

/** Asks for the workspace of a session of which nothing is kept. */
export function askForWorkspace(view: InboxView): void {
  const session = currentSession(view.shown);
  if (!session) {
    view.say('warning', 'Choose a session first: s.');
    return;
  }
  if (session.orgId !== '') {
    view.say('done', `${session.clientId} has the workspace ${session.orgId}.`);
    return;
  }
  ask(view, `Keep the history of ${session.clientId}`, [field('Workspace', 'a name')], ([orgId]) => {
    if (!orgId) return 'a name is needed';
    void view.model.keepHistory(session.clientId, orgId);
    return undefined;
  });
}

function field(label: string, hint: string): Field {
  return { label, hint, edit: EMPTY_EDIT };
}

function ask(view: InboxView, title: string, fields: readonly Field[], onSubmit: Form['onSubmit']): void {
  view.change({ overlay: { type: 'form', title, fields, index: 0, onSubmit, problem: '' } });
}
