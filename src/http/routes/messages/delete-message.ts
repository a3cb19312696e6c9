import Joi from 'joi';
import { addressFields, messageIdField } from '../../../kinds/envelope.js';
import type { Deletion } from '../../../services/services.js';
import { route } from '../../route.js';
import { roomParams } from '../inbox/room.js';

export const deleteMessage = route({
  method: 'POST',
  path: '/delete-message',
  owner: 'session',
  description: 'Delete a message for everyone, or on your own devices only',
  body: Joi.object<Deletion>({
    ...addressFields,
    messageId: messageIdField.required(),
    fromMe: Joi.boolean().required(),
    mode: Joi.string().valid('everyone', 'me').required(),
    chatRoomId: roomParams.extract('chatRoomId').optional(),
  }),
  async handler({ payload }, { services }) {
    await services.chats.deleteMessage(payload);
    return { status: true };
  },
});
