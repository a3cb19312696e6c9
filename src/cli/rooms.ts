import { type Address, parseJid, parseRecipient } from '../domain/address.js';
import { parseRoomId } from '../domain/room.js';
import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';
import { fetchRooms, type RoomRow } from './inbox/wire.js';
import { plainLine } from './plain-text.js';

/** Rooms named when a name fits several. */
const NAMED_AT_MOST = 5;

/**
 * The room that somebody means.
 * @param wanted a room's id, `+phone`, LID digits, a jid, or the name or a part of it
 * @throws CliError `not_found`, which says why; `usage` when it fits several rooms
 */
export async function findRoom(client: DaemonClient, clientId: string, wanted: string): Promise<RoomRow> {
  const rooms = await fetchRooms(client, clientId);
  const byId = rooms.find(({ chatRoomId }) => chatRoomId === wanted);
  if (byId) return byId;
  if (rooms.length === 0)
    throw new CliError('not_found', await whyNoRooms(client, clientId), noRooms(clientId));
  const address = parseRecipient(wanted);
  const room = address
    ? (withAddress(rooms, address) ?? (await withLidOf(client, clientId, rooms, address)))
    : withName(rooms, wanted);
  if (room) return room;
  throw new CliError('not_found', `${clientId} has no room ${wanted}`, {
    suggestions: [`see which there are: switchboard rooms list ${clientId}`],
  });
}

/** Why a session has no rooms, in words. */
export async function whyNoRooms(client: DaemonClient, clientId: string): Promise<string> {
  const session = (await client.clients()).find((row) => row.clientId === clientId);
  if (!session) return `there is no session ${clientId}`;
  if (session.orgId) return `nobody has written since ${clientId} keeps its history`;
  return `${clientId} keeps no history, because it has no workspace`;
}

function noRooms(clientId: string): { suggestions: string[] } {
  return { suggestions: [`keep it from now on: switchboard sessions org ${clientId} NAME`] };
}

function withAddress(rooms: readonly RoomRow[], { kind, user }: Address): RoomRow | undefined {
  return rooms.find(({ chatRoomId, remoteJid }) => {
    const address = parseJid(remoteJid);
    if (address?.kind === kind && address.user === user) return true;
    return kind !== 'pn' && parseRoomId(chatRoomId)?.other === user;
  });
}

/** A room is known by the LID; whose a phone number is the daemon knows. */
async function withLidOf(
  client: DaemonClient,
  clientId: string,
  rooms: readonly RoomRow[],
  { kind, user }: Address,
): Promise<RoomRow | undefined> {
  if (kind !== 'pn') return undefined;
  const body = { clientId, number: `+${user}` };
  const { numberLid } = await client.call<{ numberLid: string }>('POST', '/check-owner-lid', { body });
  return numberLid ? withAddress(rooms, { kind: 'lid', user: numberLid.replace(/@.*/, '') }) : undefined;
}

/** @throws CliError `usage` when it fits several */
function withName(rooms: readonly RoomRow[], wanted: string): RoomRow | undefined {
  const name = wanted.toLowerCase();
  const same = rooms.filter((room) => room.name.toLowerCase() === name);
  const fitting = same.length > 0 ? same : rooms.filter((room) => room.name.toLowerCase().includes(name));
  if (fitting.length <= 1) return fitting[0];
  throw new CliError('usage', `${wanted} fits ${fitting.length} rooms`, {
    suggestions: fitting
      .slice(0, NAMED_AT_MOST)
      .map(({ name, chatRoomId }) => `${plainLine(name)}: ${chatRoomId}`),
  });
}
