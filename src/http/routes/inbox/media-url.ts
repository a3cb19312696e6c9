import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { route } from '../../route.js';
import { type RoomParams, roomIdOf, roomParams } from './room.js';

interface MessageParams extends RoomParams {
  messageId: string;
}

export const mediaUrl = route({
  method: 'GET',
  path: '/chatrooms/{chatRoomId}/messages/{messageId}/media-url',
  owner: 'any',
  description: "The permanent link to a stored message's file",
  params: roomParams.append<MessageParams>({
    messageId: Joi.string().max(LIMITS.messageIdLength).required().example('3EB0A9253D5F6C2B1E7A90'),
  }),
  async handler(request, { services }) {
    const { messageId } = request.params;
    return { ok: true, url: await services.inbox.mediaUrl(roomIdOf(request), messageId) };
  },
});
