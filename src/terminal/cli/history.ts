import type { Answer, ChatRoom, StoredMessage } from '../../contract/index.js';
import { type Address, parseJid, parseRecipient } from '../../domain/address.js';
import { parseRoomId } from '../../domain/room.js';
import { plainLine } from '../../domain/text.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';
import { messageItems } from './inbox/message-item.js';
import type { Attachment, MessageItem, Tick } from './inbox/model.js';
import type { Paint } from './output.js';
import { requireSession } from './sessions.js';

/** Maximum page size of the API. */
export const LARGEST_PAGE = 200;

/** The rooms of a session, newest activity first. @throws CliError */
export async function fetchRooms(client: DaemonClient, clientId: string): Promise<ChatRoom[]> {
  return (await client.listChatRooms({ clientId })).chatRooms;
}

/** The newest messages, or those before another one; oldest first. @throws CliError */
export async function fetchMessages(
  client: DaemonClient,
  chatRoomId: string,
  { limit, before, signal }: { limit: number; before?: string; signal?: AbortSignal },
): Promise<StoredMessage[]> {
  return (await client.listMessages({ chatRoomId, limit, before, status: true }, { signal })).messages;
}

/** Describes a last message without text, such as `deleted` or `[image] photo.jpg`; empty if the room cannot be read. */
export async function textlessMessage(client: DaemonClient, room: ChatRoom): Promise<string> {
  const { chatRoomId, name, isGroup } = room;
  const rows = await fetchMessages(client, chatRoomId, { limit: 1 }).catch(() => []);
  const [last] = messageItems(rows, { chatRoomId, name, isGroup, ownJid: '' });
  if (!last || last.deleted) return last ? 'deleted' : '';
  return [`[${last.attachment?.mediaType ?? last.type}]`, last.attachment?.fileName]
    .filter(Boolean)
    .join(' ');
}

/** Rooms listed if a name matches several. */
const NAMED_AT_MOST = 5;

/**
 * Finds a room.
 * @param wanted chatRoomId, `+phone`, LID digits, jid, or a part of the name
 * @throws CliError `not_found`; `conflict` without a workspace; `usage` if it matches several rooms
 */
export async function findRoom(client: DaemonClient, clientId: string, wanted: string): Promise<ChatRoom> {
  const rooms = await fetchRooms(client, clientId);
  const byId = rooms.find(({ chatRoomId }) => chatRoomId === wanted);
  if (byId) return byId;
  if (rooms.length === 0) {
    await requireWorkspace(client, clientId, 'history');
    throw new CliError('not_found', emptyHistory(clientId));
  }
  const address = parseRecipient(wanted);
  const room = address
    ? (withAddress(rooms, address) ?? (await withLidOf(client, clientId, rooms, address)))
    : withName(rooms, wanted);
  if (room) return room;
  throw new CliError('not_found', `${clientId} has no room ${wanted}`, {
    suggestions: [`list the rooms: switchboard rooms list ${clientId}`],
  });
}

/** The note for a session that keeps a history but has no rooms yet. */
export function emptyHistory(clientId: string): string {
  return `${clientId} has no messages since it keeps a history`;
}

/**
 * The workspace of a session.
 * @param kept kind of data that needs a workspace, for the error
 * @throws CliError `not_found` if there is no such session, `conflict` if it has no workspace
 */
export async function requireWorkspace(
  client: DaemonClient,
  clientId: string,
  kept: 'history' | 'files',
): Promise<string> {
  const { orgId } = await requireSession(client, clientId);
  if (orgId) return orgId;
  throw new CliError('conflict', `${clientId} has no workspace and keeps no ${kept}`, {
    suggestions: [`set a workspace: switchboard sessions org ${clientId} NAME`],
  });
}

function withAddress(rooms: readonly ChatRoom[], { kind, user }: Address): ChatRoom | undefined {
  return rooms.find(({ chatRoomId, remoteJid }) => {
    const address = parseJid(remoteJid);
    if (address?.kind === kind && address.user === user) return true;
    return kind !== 'pn' && parseRoomId(chatRoomId)?.other === user;
  });
}

/** Asks the daemon for the LID of a phone number, because rooms are addressed by LID. */
async function withLidOf(
  client: DaemonClient,
  clientId: string,
  rooms: readonly ChatRoom[],
  { kind, user }: Address,
): Promise<ChatRoom | undefined> {
  if (kind !== 'pn') return undefined;
  const { numberLid } = await client.checkOwnerLid({ clientId, number: `+${user}` });
  return numberLid ? withAddress(rooms, { kind: 'lid', user: numberLid.replace(/@.*/, '') }) : undefined;
}

/** @throws CliError `usage` if the name matches several rooms */
function withName(rooms: readonly ChatRoom[], wanted: string): ChatRoom | undefined {
  const name = wanted.toLowerCase();
  const same = rooms.filter((room) => room.name.toLowerCase() === name);
  const fitting = same.length > 0 ? same : rooms.filter((room) => room.name.toLowerCase().includes(name));
  if (fitting.length <= 1) return fitting[0];
  throw new CliError('usage', `${wanted} matches ${fitting.length} rooms`, {
    suggestions: fitting
      .slice(0, NAMED_AT_MOST)
      .map(({ name, chatRoomId }) => `${plainLine(name)}: ${chatRoomId}`),
  });
}

export type FilePage = Omit<Answer<'listMediaFiles'>, 'ok'>;

/**
 * A page of a session's stored files, newest first.
 * @throws CliError `conflict` if the session has no workspace
 */
export async function listFiles(
  client: DaemonClient,
  clientId: string,
  { page, limit }: { page: number; limit: number },
): Promise<FilePage> {
  const orgId = await requireWorkspace(client, clientId, 'files');
  const { files, pagination } = await client.listMediaFiles({ clientId, orgId, page, limit });
  return { files, pagination };
}

const INDENT = '  ';
const TICKS: Readonly<Record<Tick, string>> = {
  sent: '✓ sent',
  delivered: '✓✓ delivered',
  read: '✓✓ read',
  played: '✓✓ played',
  failed: '✗ failed',
};

/** A message as lines: author, time and id, then its content. */
export function messageLines(message: MessageItem, paint: Paint): string[] {
  const { author, fromMe, sentAt, messageId, tick } = message;
  const who = paint('bold', fromMe ? 'You' : author);
  const marks = [tick && TICKS[tick], message.edited && 'edited', message.forwarded && 'forwarded'];
  const small = [timeText(sentAt), messageId, ...marks].filter(Boolean).join('  ');
  return [`${who}  ${paint('dim', small)}`, ...content(message, paint).map((line) => `${INDENT}${line}`)];
}

function content(message: MessageItem, paint: Paint): string[] {
  const { type, deleted, quoted, body, attachment, reactions, unreadable } = message;
  if (deleted) return [paint('dim', 'deleted')];
  if (unreadable) return [paint('yellow', `could not be read: ${unreadable}`)];
  if (type === 'call') return [paint('yellow', `[call] ${body}`)];
  const quote = quoted && `> ${quoted.author}: ${quoted.body}`.replaceAll('\n', ' ⏎ ');
  const emojis = reactions.map(({ emoji, count }) => (count > 1 ? `${emoji} ${count}` : emoji));
  return [
    ...(quote ? [paint('dim', quote)] : []),
    ...(body ? body.split('\n') : []),
    ...(attachment ? [attachmentLine(attachment)] : []),
    ...(emojis.length > 0 ? [emojis.join('  ')] : []),
  ];
}

function attachmentLine({ mediaType, fileName, size, url }: Attachment): string {
  const file = [`[${mediaType}]`, fileName, size > 0 && `(${sizeText(size)})`].filter(Boolean).join(' ');
  return url ? `${file} ${url}` : `${file} not stored`;
}

/** A size for people, such as `2.0 kB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power === 0 || value >= 10 ? 0 : 1)} ${units[power]}`;
}

/** Local time, to the minute. */
export function timeText(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
