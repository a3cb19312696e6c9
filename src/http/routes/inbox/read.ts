import { route } from '../../route.js';
import { roomIdOf, roomParams } from './room.js';

export const read = route({
  method: 'POST',
  path: '/chatrooms/{chatRoomId}/read',
  owner: 'any',
  description: "Set a room's unread count to 0, without read receipts",
  params: roomParams,
  async handler(request, { services }) {
    await services.inbox.markRead(roomIdOf(request));
    return { status: 'ok' };
  },
});
