import { say } from '../context.js';
import type { Acting } from './acting.js';

/** Messages of others for which receipts are sent at once. */
const AT_ONCE = 50;

/** Sends read receipts for the newest messages of others in the open conversation. @throws CliError */
export async function markRead(acting: Acting): Promise<void> {
  const { client, box } = acting;
  const { clientId, to } = acting.chat();
  const messages = box.state.conversation?.messages ?? [];
  const others = messages.filter(({ fromMe, type }) => !fromMe && type !== 'vote_update').slice(-AT_ONCE);
  const messageIds = others.map(({ messageId }) => messageId);
  if (messageIds.length === 0) {
    say(acting, { level: 'done', text: 'nobody has written anything here yet', suggestions: [] });
    return;
  }
  await client.call('POST', '/mark-read', { body: { clientId, to, messageIds } });
  say(acting, { level: 'done', text: 'read receipts sent', suggestions: [] });
}
