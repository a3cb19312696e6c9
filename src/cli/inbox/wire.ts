import type { DaemonClient } from '../client.js';

/** The daemon's rows as far as the inbox reads them; what a daemon of another version leaves out is missing. */

export interface RoomRow {
  chatRoomId: string;
  name: string;
  isGroup: boolean;
  remoteJid: string;
  lastMessage: string;
  lastMessageFromMe: boolean;
  /** RFC 3339; empty before the first message. */
  lastMessageAt: string;
  unreadCount: number;
}

export interface MessageRow {
  messageId: string;
  chatRoomId: string;
  body: string;
  messageType: string;
  fromMe: boolean;
  pushname: string;
  /** RFC 3339. */
  sentAt: string;
  deleted: boolean;
  fromAi: boolean;
  media?: { mediaType: string; fileName: string; fileSize: number };
  downloadUrl?: string;
  /** Of an own message: how far it has come. */
  status?: string;
  extras?: Readonly<Record<string, unknown>>;
}

/** Messages that a page holds at most. */
export const LARGEST_PAGE = 200;

/** Newest activity first. @throws CliError */
export async function fetchRooms(client: DaemonClient, clientId: string): Promise<RoomRow[]> {
  const answer = await client.call<{ chatRooms: RoomRow[] }>('GET', '/chatrooms', { query: { clientId } });
  return answer.chatRooms;
}

/** The newest messages, or those before another one; oldest first. @throws CliError */
export async function fetchMessages(
  client: DaemonClient,
  chatRoomId: string,
  { limit, before }: { limit: number; before?: string },
): Promise<MessageRow[]> {
  const query = { limit: String(limit), before, status: 'true' };
  const path = `/chatrooms/${encodeURIComponent(chatRoomId)}/messages`;
  return (await client.call<{ messages: MessageRow[] }>('GET', path, { query })).messages;
}

/** Sets a room's unread count to 0; nobody is sent a receipt. @throws CliError */
export async function resetUnread(client: DaemonClient, chatRoomId: string): Promise<void> {
  await client.call('POST', `/chatrooms/${encodeURIComponent(chatRoomId)}/read`, {});
}
