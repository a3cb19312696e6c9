import { homedir } from 'node:os';
import type { MessageItem } from '../../cli/inbox/model.js';
import { EMPTY_EDIT, editOf } from '../text/edit.js';
import { draftKey, draftOf, messageOf } from './shown.js';
import type { InboxView } from './view.js';
import { type Draft, EMPTY_DRAFT } from './view-state.js';

/** `/file PATH` as a message: the file itself. */
const FILE = /^\/file\s+(\S.*)$/su;

/** Sends what is written. The composer is free at once; what could not be sent comes back. */
export async function submit(view: InboxView): Promise<void> {
  const draft = draftOf(view.shown);
  const text = draft.edit.text.trim();
  if (text === '') return;
  if (text === '/file') return view.say('warning', 'Which file? /file PATH');
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

/** Puts a draft back, before whatever was written since. */
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

/** Sends a file into the open conversation, as the answer to a message when one was begun. */
export async function sendFile(view: InboxView, path: string, caption: string | undefined): Promise<void> {
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

/** A path as people type it, or as a terminal writes a file that was dropped on it. */
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
  const { edit, about, putAside } = draftOf(view.shown);
  view.keepDraft({
    edit: editOf(message.body),
    about: { type: 'edit', messageId: message.messageId },
    putAside: about?.type === 'edit' ? putAside : edit,
  });
  view.change({ pane: 'composer' });
}

/** Writes a message of its own again instead of an answer or a change; false when it was that already. */
export function putAboutAside(view: InboxView): boolean {
  const { edit, about, putAside } = draftOf(view.shown);
  if (!about) return false;
  view.keepDraft({ ...EMPTY_DRAFT, edit: about.type === 'edit' ? putAside : edit });
  return true;
}

/** Deletes a message, once the operator has said so. */
export function withdraw(view: InboxView, { messageId, fromMe, deleted }: MessageItem): void {
  if (deleted) {
    view.say('warning', 'That message is deleted already.');
    return;
  }
  const question = fromMe
    ? 'Delete this message for everyone?'
    : "Delete this message from this number's own devices? Others keep it.";
  const onYes = () => void view.model.remove(messageId);
  view.change({ overlay: { type: 'confirm', question, onYes } });
}

/** Reacts; the same emoji a second time takes it back, as an empty one does. */
export function react(view: InboxView, messageId: string, emoji: string): void {
  view.change({ overlay: undefined });
  const reactions = messageOf(view.shown, messageId)?.reactions ?? [];
  const isThere = reactions.some((reaction) => reaction.mine && reaction.emoji === emoji);
  void view.model.react(messageId, isThere ? '' : emoji);
}
