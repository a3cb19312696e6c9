import { CliError } from '../../cli-error.js';
import { say } from '../context.js';
import { fetchMessages } from '../wire.js';
import { type Acting, warn } from './acting.js';

/** Rooms with the newest activity, and messages in each, among which a message that was just sent is looked for. */
const ROOMS = 10;
const MESSAGES = 20;

/** Starts a conversation by its first message, and opens it. @throws CliError */
export async function startChat(acting: Acting, to: string, text: string): Promise<void> {
  const { client, once, box } = acting;
  const { clientId } = box.state;
  if (clientId === undefined) throw new CliError('usage', 'pair a number first');
  const body = { clientId, to, body: text };
  const answer = await once.send(JSON.stringify(body), (key) => client.send('/send-message', body, key));
  warn(acting, answer);
  await acting.refreshRooms();
  const room = await roomOf(acting, answer.messageId);
  if (box.state.clientId !== clientId) return;
  if (room) acting.openRoom(room);
  else say(acting, { level: 'done', text: `sent to ${to}; its conversation is not kept`, suggestions: [] });
}

async function roomOf({ client, box }: Acting, messageId: string): Promise<string | undefined> {
  const own = box.state.rooms.filter(({ lastMessageAt }) => lastMessageAt).slice(0, ROOMS);
  for (const { chatRoomId } of own) {
    const rows = await fetchMessages(client, chatRoomId, { limit: MESSAGES });
    if (rows.some((row) => row.messageId === messageId)) return chatRoomId;
  }
  return undefined;
}
