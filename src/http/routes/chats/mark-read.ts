import Joi from 'joi';
import { addressFields, messageIdField } from '../../../kinds/envelope.js';
import { route } from '../../route.js';

/** More than a person reads at once; each is looked up by itself. */
const MAX_MESSAGES = 1_000;

interface MarkReadBody {
  clientId: string;
  to: string;
  messageIds: string[];
}

export const markRead = route({
  method: 'POST',
  path: '/mark-read',
  owner: 'session',
  description: "Send read receipts, and set the hosted room's unread count to 0",
  body: Joi.object<MarkReadBody>({
    ...addressFields,
    messageIds: Joi.array().items(messageIdField).min(1).max(MAX_MESSAGES).required(),
  }),
  async handler({ payload: { clientId, to, messageIds } }, { services }) {
    return { ok: true, ...(await services.chats.markRead(clientId, to, messageIds)) };
  },
});
