import { GatewayError } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import { parseRoomId } from '../../../domain/room.js';
import type { RoomRecord, Store } from '../../store/store.js';
import type { PersonRooms } from '../identities/person-rooms.js';

/**
 * Finds a room by its id, or by the one that it had before its person's LID was known. A room's id names its session.
 * @throws GatewayError room_unknown
 */
export async function findRoom(
  roomId: string,
  { store: { history }, rooms }: { store: Pick<Store, 'history'>; rooms: Pick<PersonRooms, 'renamedTo'> },
): Promise<{ clientId: string; room: RoomRecord }> {
  const clientId = parseRoomId(roomId)?.clientId;
  if (!clientId) throw unknownRoom(roomId);
  const room = await history.room(clientId, roomId);
  if (room) return { clientId, room };
  const chatRoomId = await rooms.renamedTo(roomId);
  const renamed = chatRoomId && (await history.room(clientId, chatRoomId));
  if (renamed) return { clientId, room: renamed };
  throw unknownRoom(roomId);
}

function unknownRoom(chatRoomId: string): GatewayError {
  return new GatewayError('room_unknown', reason('room_unknown', { chatRoomId }));
}
