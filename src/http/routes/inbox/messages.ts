import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';
import { roomIdOf, roomParams } from './room.js';

const MESSAGE_ID_LENGTH = 128;

interface MessagesQuery {
  clientId?: string;
  limit: number;
  before?: string;
  status: boolean;
}

export const messages = route({
  method: 'GET',
  path: '/chatrooms/{chatRoomId}/messages',
  owner: 'any',
  description: 'The newest messages of a room, oldest first; those before a message with `before`',
  params: roomParams,
  query: Joi.object<MessagesQuery>({
    clientId: clientId.optional(),
    limit: Joi.number().integer().min(1).max(LIMITS.historyPage).default(LIMITS.historyPage),
    before: Joi.string().max(MESSAGE_ID_LENGTH).example('3EB0A9253D5F6C2B1E7A90'),
    status: Joi.boolean().default(false),
  }),
  async handler(request, { services }) {
    const { limit, before, status } = request.query;
    const page = { limit, status, ...(before !== undefined && { before }) };
    return { messages: await services.inbox.messages(roomIdOf(request), page) };
  },
});
