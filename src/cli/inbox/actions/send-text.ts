import { type Acting, warn } from './acting.js';

/** Writes into the open conversation. @throws CliError */
export async function sendText(acting: Acting, text: string, quotedMessageId?: string): Promise<void> {
  const { client, once, outgoing, order } = acting;
  const { clientId, chatRoomId, to } = acting.chat();
  const id = outgoing.add({ chatRoomId, label: text, progress: undefined });
  const body = { clientId, to, body: text, ...(quotedMessageId && { quotedMessageId }) };
  const what = JSON.stringify(body);
  try {
    const answer = await order.run(chatRoomId, () =>
      once.send(what, (key) => client.send('/send-message', body, key)),
    );
    warn(acting, answer);
    void acting.refreshConversation(answer.messageId).finally(() => outgoing.remove(id));
  } catch (error) {
    outgoing.remove(id);
    throw error;
  }
}
