import { type Acting, shownMessage, warn } from './acting.js';

/** Reacts to a message of the open conversation; an empty emoji takes the reaction back. @throws CliError */
export async function react(acting: Acting, messageId: string, emoji: string): Promise<void> {
  const { clientId, to } = acting.chat();
  const { fromMe } = shownMessage(acting, messageId);
  await change(acting, '/send-reaction', { clientId, to, messageId, emoji, targetFromMe: fromMe });
}

/** Gives an own message another text. @throws CliError */
export async function edit(acting: Acting, messageId: string, text: string): Promise<void> {
  const { clientId, to } = acting.chat();
  await change(acting, '/edit-message', { clientId, to, messageId, body: text });
}

/**
 * Deletes a message: an own one for everyone, one of somebody else's, or one that is deleted already, from the number's
 * own devices and from here.
 * @throws CliError
 */
export async function remove(acting: Acting, messageId: string): Promise<void> {
  const { clientId, to, chatRoomId } = acting.chat();
  const { fromMe, deleted } = shownMessage(acting, messageId);
  const mode = fromMe && !deleted ? 'everyone' : 'me';
  const deletion = { clientId, to, messageId, fromMe, mode, ...(mode === 'me' && { chatRoomId }) };
  await acting.client.deleteMessage(deletion);
  await acting.refreshConversation(messageId);
}

interface Change {
  clientId: string;
  to: string;
  messageId: string;
  emoji?: string;
  targetFromMe?: boolean;
  body?: string;
}

async function change(acting: Acting, path: `/${string}`, body: Change): Promise<void> {
  const { client, once } = acting;
  warn(acting, await once.send(JSON.stringify([path, body]), (key) => client.send(path, body, key)));
  await acting.refreshConversation(body.messageId);
}
