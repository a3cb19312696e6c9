import { basename } from 'node:path';
import { detectType } from '../../send-media.js';
import { fileSize, openUpload, type Upload } from '../../upload.js';
import type { SendAnswer } from '../../wire.js';
import { type Acting, type OpenChat, warn } from './acting.js';

/** Milliseconds between two changes of the progress. */
const EVERY_MS = 100;

export interface FileToSend {
  path: string;
  caption?: string;
  quotedMessageId?: string;
}

/** Sends a file of this machine into the open conversation. @throws CliError */
export async function sendFile(acting: Acting, file: FileToSend): Promise<void> {
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
  acting: Acting,
  { clientId, to }: OpenChat,
  { path, caption, quotedMessageId }: FileToSend,
  id: number,
  key: string,
): Promise<SendAnswer> {
  const { client, signal } = acting;
  const fields = { clientId, to, caption: caption || undefined, quotedMessageId };
  const told = progressOf(acting, id);
  const form = await openUpload(path, await detectType(path), fields, (bytes) => told.add(bytes));
  told.total = form.size;
  const abort = () => form.body.destroy(new Error('the inbox was closed'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await client.upload('/send-media-message', clientId, form, key);
  } finally {
    signal.removeEventListener('abort', abort);
    end(form);
  }
}

/** What has gone, told now and then. */
function progressOf({ clock, outgoing }: Acting, id: number) {
  let sent = 0;
  let toldAt = clock.now();
  return {
    /** Bytes of the file. */
    total: 0,
    add(bytes: number): void {
      sent += bytes;
      if (clock.now() - toldAt < EVERY_MS && sent < this.total) return;
      toldAt = clock.now();
      outgoing.progress(id, sent, this.total);
    },
  };
}

/** A refused upload leaves the rest of the file unread. */
function end({ body }: Upload): void {
  if (!body.readableEnded) body.destroy();
}
