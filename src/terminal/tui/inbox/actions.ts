import { homedir } from 'node:os';
import { isEditable } from '../../cli/inbox/message-item.js';
import type { MessageItem } from '../../cli/inbox/model.js';
import type { PairEnd } from '../../cli/pair.js';
import { EMPTY_EDIT, editOf } from '../text/edit.js';
import type { InboxView, PairRequest } from './view.js';
import {
  currentSession,
  type Draft,
  draftKey,
  draftOf,
  EMPTY_DRAFT,
  type Field,
  messageOf,
  type OverlayOf,
  sessionPlace,
} from './view-state.js';

/** `/file PATH` as a message sends the file. */
const FILE = /^\/file\s+(\S.*)$/su;

/** Sends the draft. Empties the composer at once, and restores the draft if the send fails. */
export async function submit(view: InboxView): Promise<void> {
  const draft = draftOf(view.shown);
  const text = draft.edit.text.trim();
  if (text === '') return;
  if (text === '/file') return view.say('warning', 'Add a path: /file PATH');
  const key = draftKey(view.model.state);
  view.keepDraft({ ...EMPTY_DRAFT, edit: draft.putAside }, key);
  if (draft.about?.type !== 'edit') view.change({ message: undefined, bottom: undefined });
  if (!(await carryOut(view, draft, text))) bringBack(view, key, draft);
}

function carryOut(view: InboxView, { about }: Draft, text: string): Promise<boolean> {
  const { model } = view;
  if (about?.type === 'edit') return model.edit(about.messageId, text);
  const options = about ? { quotedMessageId: about.messageId } : {};
  const path = FILE.exec(text)?.[1];
  return path === undefined ? model.send(text, options) : model.sendFile(pathOf(path), options);
}

/** Restores a draft, before any text that was written since. */
function bringBack(view: InboxView, key: string, failed: Draft): void {
  const since = view.state.drafts.get(key) ?? EMPTY_DRAFT;
  const isUntouched = since.about === undefined && since.edit.text === failed.putAside.text;
  if (isUntouched) {
    view.keepDraft(failed, key);
    return;
  }
  const edit = editOf([failed.edit.text, since.edit.text].filter((text) => text !== '').join('\n'));
  view.keepDraft({ ...since, edit }, key);
}

/** Sends a file to the open room, as a reply if one was started. */
async function sendFile(view: InboxView, path: string, caption: string | undefined): Promise<void> {
  const key = draftKey(view.model.state);
  const draft = draftOf(view.shown);
  const isReply = draft.about?.type === 'reply';
  if (isReply) view.keepDraft({ ...draft, about: undefined }, key);
  view.change({ message: undefined, bottom: undefined });
  const quotedMessageId = isReply ? draft.about?.messageId : undefined;
  await view.model.sendFile(pathOf(path), {
    ...(caption && { caption }),
    ...(quotedMessageId !== undefined && { quotedMessageId }),
  });
}

/** Parses a path as people type it, or as a terminal inserts a dropped file. */
function pathOf(typed: string): string {
  const quoted = /^(['"])(.*)\1$/s.exec(typed)?.[2];
  const path = quoted ?? typed.replace(/\\(.)/g, '$1');
  return path.replace(/^~(?=\/|$)/, homedir());
}

export function startReply(view: InboxView, { messageId, deleted }: MessageItem): void {
  if (deleted) {
    view.say('warning', 'That message is deleted.');
    return;
  }
  const draft = draftOf(view.shown);
  const edit = draft.about?.type === 'edit' ? draft.putAside : draft.edit;
  view.keepDraft({ edit, about: { type: 'reply', messageId }, putAside: EMPTY_EDIT });
  view.change({ pane: 'composer' });
}

export function startEdit(view: InboxView, message: MessageItem): void {
  if (message.deleted) {
    view.say('warning', 'That message is deleted.');
    return;
  }
  if (!message.fromMe) {
    view.say('warning', 'Only own messages can be edited.');
    return;
  }
  if (!isEditable(message)) {
    view.say('warning', 'Only texts and captions can be edited.');
    return;
  }
  const { edit, about, putAside } = draftOf(view.shown);
  view.keepDraft({
    edit: editOf(message.body),
    about: { type: 'edit', messageId: message.messageId },
    putAside: about?.type === 'edit' ? putAside : edit,
  });
  view.change({ pane: 'composer' });
}

/** Drops the reply or edit, and keeps the text. @returns false if there was neither */
export function putAboutAside(view: InboxView): boolean {
  const { edit, about, putAside } = draftOf(view.shown);
  if (!about) return false;
  view.keepDraft({ ...EMPTY_DRAFT, edit: about.type === 'edit' ? putAside : edit });
  return true;
}

/** Deletes a message after a confirmation. */
export function withdraw(view: InboxView, { messageId, fromMe, deleted }: MessageItem): void {
  if (deleted) {
    view.say('warning', 'That message is already deleted.');
    return;
  }
  const question = fromMe
    ? 'Delete this message for everyone?'
    : "Delete this message from this number's own devices? Others keep it.";
  const onYes = () => void view.model.remove(messageId);
  view.change({ overlay: { type: 'confirm', question, onYes } });
}

/** Reacts. The same emoji again, or an empty one, removes the reaction. */
export function react(view: InboxView, messageId: string, emoji: string): void {
  view.change({ overlay: undefined });
  const reactions = messageOf(view.shown, messageId)?.reactions ?? [];
  const isThere = reactions.some((reaction) => reaction.mine && reaction.emoji === emoji);
  void view.model.react(messageId, isThere ? '' : emoji);
}

/** Opens a room, and gives its conversation the focus. */
export function openRoom(view: InboxView, chatRoomId: string | undefined): void {
  if (chatRoomId === undefined) return;
  if (view.model.state.conversation?.chatRoomId !== chatRoomId) view.model.openRoom(chatRoomId);
  view.change({ pane: 'conversation', room: chatRoomId, message: undefined, bottom: undefined });
}

/** The address of a message's file, or a notice that there is none. */
function storedFile(view: InboxView, { attachment }: MessageItem): string | undefined {
  if (attachment?.url) return attachment.url;
  view.say('warning', attachment ? 'The file is not stored yet.' : 'This message has no file.');
  return undefined;
}

export function openAttachment(view: InboxView, message: MessageItem): void {
  const url = storedFile(view, message);
  if (url) void view.model.openFile(url);
}

/** Asks where to save the file of a message. */
export function askToSave(view: InboxView, message: MessageItem): void {
  const url = storedFile(view, message);
  if (!url) return;
  const path = { label: 'Path', hint: 'a folder, or the name of a new file', edit: editOf('~/') };
  ask(view, 'Save the file', [path], ([typed]) => {
    if (!typed) return 'enter a path';
    void view.model.saveFile(url, pathOf(typed));
    return undefined;
  });
}

/** Asks for a file to send to the open room. */
export function askForFile(view: InboxView): void {
  ask(
    view,
    'Send a file',
    [field('Path', 'of a file on this machine'), field('Caption', 'optional')],
    ([path, caption]) => {
      if (!path) return 'enter a path';
      void sendFile(view, path, caption);
      return undefined;
    },
  );
}

/** Asks for a recipient and a first message. */
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
      if (!to || !text) return 'enter a recipient and a first message';
      void startChat(view, to, text);
      return undefined;
    },
  );
}

async function startChat(view: InboxView, to: string, text: string): Promise<void> {
  if (await view.model.startChat(to, text)) {
    view.change({ pane: 'conversation', room: undefined, message: undefined, bottom: undefined });
  } else {
    // shows the form again, with its texts and the reason
    askForChat(view);
    const { overlay } = view.state;
    if (overlay?.type === 'form') {
      const [first, second] = [to, text].map((value) => ({ edit: editOf(value) }));
      const fields = overlay.fields.map((one, place) => ({ ...one, ...(place === 0 ? first : second) }));
      view.change({ overlay: { ...overlay, fields, index: 0 } });
    }
  }
}

/** Asks for the facts of a new session. */
export function askForPairing(view: InboxView): void {
  const fields = [
    field('Session', 'a new name: letters and digits'),
    field('Workspace', 'optional; without one nothing is stored'),
    field('Number', 'optional: shows a code, not a QR'),
  ];
  ask(view, 'Pair a number', fields, ([clientId, orgId, phone]) => {
    if (!clientId) return 'enter a session name';
    startPairing(view, { clientId, orgId: orgId || undefined, phone: phone || undefined });
    return undefined;
  });
}

/** Asks for a workspace, if the session has none: the highlighted session while the sessions have the focus. */
export function askForWorkspace(view: InboxView): void {
  const { shown } = view;
  const isChosen = shown.view.pane === 'sessions';
  const session = isChosen ? shown.inbox.sessions[sessionPlace(shown)] : currentSession(shown);
  if (!session) {
    view.say('warning', 'Choose a session first: s.');
    return;
  }
  if (session.orgId !== '') {
    view.say('done', `${session.clientId} has the workspace ${session.orgId}.`);
    return;
  }
  // one key and Enter switch it on; the name can be changed before
  const workspace = { ...field('Workspace', 'a name'), edit: editOf(session.clientId) };
  ask(view, `Store the history of ${session.clientId}`, [workspace], ([orgId]) => {
    if (!orgId) return 'enter a name';
    void view.model.keepHistory(session.clientId, orgId);
    return undefined;
  });
}

function field(label: string, hint: string): Field {
  return { label, hint, edit: EMPTY_EDIT };
}

function ask(
  view: InboxView,
  title: string,
  fields: readonly Field[],
  onSubmit: OverlayOf<'form'>['onSubmit'],
): void {
  view.change({ overlay: { type: 'form', title, fields, index: 0, onSubmit, problem: '' } });
}

/** Pairs a number on a separate screen. */
function startPairing(view: InboxView, request: PairRequest): void {
  const controller = new AbortController();
  const items = view.options.pair(request, controller.signal);
  const stop = () => controller.abort();
  view.change({ overlay: { type: 'pairing', clientId: request.clientId, items, stop } });
}

/** Goes back to the panes, and shows the outcome of the pairing. */
export function endPairing(view: InboxView, end: PairEnd): void {
  const { overlay } = view.state;
  if (overlay?.type !== 'pairing') return;
  view.change({ overlay: undefined, pane: 'rooms' });
  if (end.type === 'failed') {
    view.say('error', `${overlay.clientId} is not paired: ${end.reason}`, end.suggestions);
    return;
  }
  view.model.selectSession(overlay.clientId);
  view.say('done', `${overlay.clientId} is connected as ${end.jid}`);
}
