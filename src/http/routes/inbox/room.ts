import Joi from 'joi';
import { GatewayError } from '../../../domain/errors.js';

/** Longer than any room's id: three parts of at most 64, 20 and 64 characters. */
const ROOM_ID_LENGTH = 256;

/** What the path of a room's routes names. */
export interface RoomParams {
  chatRoomId: string;
}

export const roomParams = Joi.object<RoomParams>({
  chatRoomId: Joi.string().max(ROOM_ID_LENGTH).required().example('acme-90000000000001-90000000000002'),
});

/**
 * A room's id names its session; a `clientId` beside it is accepted, and must agree.
 * @throws GatewayError invalid_request
 */
export function roomIdOf({ params, query }: { params: RoomParams; query: { clientId?: string } }): string {
  const { chatRoomId } = params;
  if (query.clientId !== undefined && !chatRoomId.startsWith(`${query.clientId}-`)) {
    throw new GatewayError('invalid_request', `clientId: ${chatRoomId} is not a room of ${query.clientId}`);
  }
  return chatRoomId;
}
