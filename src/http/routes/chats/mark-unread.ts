import Joi from 'joi';
import { addressFields } from '../../../kinds/envelope.js';
import { route } from '../../route.js';

interface MarkUnreadBody {
  clientId: string;
  to: string;
}

export const markUnread = route({
  method: 'POST',
  path: '/mark-unread',
  owner: 'session',
  description: 'Flag a chat as unread on the linked phone',
  body: Joi.object<MarkUnreadBody>(addressFields),
  async handler({ payload: { clientId, to } }, { services }) {
    await services.chats.markUnread(clientId, to);
    return { ok: true };
  },
});
