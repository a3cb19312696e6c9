import { basename } from 'node:path';
import type { SendAnswer } from '../../../contract/index.js';
import type { KeyedLock } from '../../../domain/keyed-lock.js';
import { CliError } from '../errors.js';
import { fetchMessages } from '../history.js';
import { detectType, fileSize, openUpload } from '../send-media.js';
import { type InboxContext, say } from './context.js';
import type { MessageItem } from './model.js';
import type { OnceSender, Outgoing } from './outgoing.js';

export interface ActionContext extends InboxContext {
  once: OnceSender;
  outgoing: Outgoing;
  /** Sends the texts of a room in order. */
  order: KeyedLock;
  /** The open conversation. @throws CliError `usage` if none is open */
  chat(): OpenChat;
  /** Reloads the open conversation, or one message of it. */
  refreshConversation(messageId?: string): Promise<void>;
  refreshRooms(): Promise<void>;
  refreshSessions(): Promise<void>;
  openRoom(chatRoomId: string): void;
}

export interface OpenChat {
  clientId: string;
  chatRoomId: string;
  to: string;
}

/** A message of the open conversation. @throws CliError `not_found` */
function shownMessage({ box }: InboxContext, messageId: string): MessageItem {
  const messages = box.state.conversation?.messages ?? [];
  const message = messages.find((candidate) => candidate.messageId === messageId);
  if (message) return message;
  throw new CliError('not_found', 'that message is no longer shown', { suggestions: ['choose another one'] });
}

/** Shows the warning of a message that was sent. */
function warn(context: InboxContext, { warning }: Pick<SendAnswer, 'warning'>): void {
  if (warning) say(context, { level: 'warning', text: warning, suggestions: [] });
}

/** Sends a text to the open conversation. @throws CliError */
export async function sendText(acting: ActionContext, text: string, quotedMessageId?: string): Promise<void> {
  const { client, once, outgoing, order } = acting;
  const { clientId, chatRoomId, to } = acting.chat();
  const id = outgoing.add({ chatRoomId, label: text, progress: undefined });
  const body = { clientId, to, body: text, ...(quotedMessageId && { quotedMessageId }) };
  const what = JSON.stringify(body);
  try {
    const answer = await order.run(chatRoomId, () =>
      once.send(what, (idempotencyKey) => client.sendMessage(body, { idempotencyKey })),
    );
    warn(acting, answer);
    void acting.refreshConversation(answer.messageId).finally(() => outgoing.remove(id));
  } catch (error) {
    outgoing.remove(id);
    throw error;
  }
}

/** Milliseconds between two progress updates. */
const EVERY_MS = 100;

interface FileToSend {
  path: string;
  caption?: string;
  quotedMessageId?: string;
}

/** Sends a local file to the open conversation. @throws CliError */
export async function sendFile(acting: ActionContext, file: FileToSend): Promise<void> {
  const { once, outgoing } = acting;
  const chat = acting.chat();
  const total = await fileSize(file.path);
  const item = { chatRoomId: chat.chatRoomId, label: basename(file.path), progress: { sent: 0, total } };
  const id = outgoing.add(item);
  try {
    const what = JSON.stringify([chat, file]);
    const answer = await once.send(what, (key) => upload(acting, chat, file, id, key));
    warn(acting, answer);
    void acting.refreshConversation(answer.messageId).finally(() => outgoing.remove(id));
  } catch (error) {
    outgoing.remove(id);
    throw error;
  }
}

async function upload(
  acting: ActionContext,
  { clientId, to }: OpenChat,
  { path, caption, quotedMessageId }: FileToSend,
  id: number,
  key: string,
): Promise<SendAnswer> {
  const { client, signal } = acting;
  const fields = { clientId, to, caption: caption || undefined, quotedMessageId };
  const progress = progressOf(acting, id);
  const form = await openUpload(path, await detectType(path), fields, (bytes) => progress.add(bytes));
  progress.total = form.size;
  const abort = () => form.body.destroy(new Error('the inbox was closed'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await client.upload(clientId, form, key);
  } finally {
    signal.removeEventListener('abort', abort);
    // a refused upload leaves the file open
    if (!form.body.readableEnded) form.body.destroy();
  }
}

/** Reports the bytes sent at an interval. */
function progressOf({ clock, outgoing }: ActionContext, id: number) {
  let sent = 0;
  let reportedAt = clock.now();
  return {
    /** Bytes of the file. */
    total: 0,
    add(bytes: number): void {
      sent += bytes;
      if (clock.now() - reportedAt < EVERY_MS && sent < this.total) return;
      reportedAt = clock.now();
      outgoing.progress(id, sent, this.total);
    },
  };
}

/** Reacts to a message of the open conversation; an empty emoji removes the reaction. @throws CliError */
export async function react(acting: ActionContext, messageId: string, emoji: string): Promise<void> {
  const { clientId, to } = acting.chat();
  const { fromMe } = shownMessage(acting, messageId);
  const body = { clientId, to, messageId, emoji, targetFromMe: fromMe };
  const answer = await acting.once.send(JSON.stringify(['reaction', body]), (idempotencyKey) =>
    acting.client.sendReaction(body, { idempotencyKey }),
  );
  warn(acting, answer);
  await acting.refreshConversation(messageId);
}

/** Edits an own message. @throws CliError */
export async function edit(acting: ActionContext, messageId: string, text: string): Promise<void> {
  const { clientId, to } = acting.chat();
  const body = { clientId, to, messageId, body: text };
  const answer = await acting.once.send(JSON.stringify(['edit', body]), (idempotencyKey) =>
    acting.client.editMessage(body, { idempotencyKey }),
  );
  warn(acting, answer);
  await acting.refreshConversation(messageId);
}

/**
 * Deletes an own message for everyone; a message of others, or one already deleted, only on the own devices and here.
 * @throws CliError
 */
export async function remove(acting: ActionContext, messageId: string): Promise<void> {
  const { clientId, to, chatRoomId } = acting.chat();
  const { fromMe, deleted } = shownMessage(acting, messageId);
  const mode = fromMe && !deleted ? 'everyone' : 'me';
  const room = mode === 'me' && { chatRoomId };
  await acting.client.deleteMessage({ clientId, to, messageId, fromMe, mode, ...room });
  await acting.refreshConversation(messageId);
}

/** Newest rooms, and messages per room, to search for a message just sent. */
const ROOMS = 10;
const MESSAGES = 20;

/** Sends the first message of a conversation and opens it. @throws CliError */
export async function startChat(acting: ActionContext, to: string, text: string): Promise<void> {
  const { client, once, box } = acting;
  const { clientId } = box.state;
  if (clientId === undefined) throw new CliError('usage', 'pair a number first');
  const body = { clientId, to, body: text };
  const answer = await once.send(JSON.stringify(body), (idempotencyKey) =>
    client.sendMessage(body, { idempotencyKey }),
  );
  warn(acting, answer);
  await acting.refreshRooms();
  const room = await roomOf(acting, answer.messageId);
  if (box.state.clientId !== clientId) return;
  if (room) acting.openRoom(room);
  else say(acting, { level: 'done', text: `sent to ${to}; the session keeps no history`, suggestions: [] });
}

async function roomOf({ client, box }: ActionContext, messageId: string): Promise<string | undefined> {
  const own = box.state.rooms.filter(({ lastMessageAt }) => lastMessageAt).slice(0, ROOMS);
  for (const { chatRoomId } of own) {
    const rows = await fetchMessages(client, chatRoomId, { limit: MESSAGES });
    if (rows.some((row) => row.messageId === messageId)) return chatRoomId;
  }
  return undefined;
}

/** Maximum number of receipts. */
const AT_ONCE = 50;

/** Sends read receipts for the newest messages of others in the open conversation. @throws CliError */
export async function markRead(acting: ActionContext): Promise<void> {
  const { client, box } = acting;
  const { clientId, to } = acting.chat();
  const messages = box.state.conversation?.messages ?? [];
  const others = messages
    .filter(({ fromMe, type }) => !fromMe && type !== 'vote_update' && type !== 'call')
    .slice(-AT_ONCE);
  const messageIds = others.map(({ messageId }) => messageId);
  if (messageIds.length === 0) {
    say(acting, { level: 'done', text: 'no received messages', suggestions: [] });
    return;
  }
  await client.markRead({ clientId, to, messageIds });
  say(acting, { level: 'done', text: 'read receipts sent', suggestions: [] });
}

/** Sets the workspace of a session. @throws CliError */
export async function keepHistory(acting: ActionContext, clientId: string, orgId: string): Promise<void> {
  await acting.client.setOrgId({ clientId, orgId });
  await acting.refreshSessions();
  const text = `${clientId} now keeps its history`;
  say(acting, { level: 'done', text, suggestions: [] });
}
