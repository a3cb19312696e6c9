import Joi from 'joi';
import { addressFields } from '../../../kinds/envelope.js';
import { route } from '../../route.js';

interface TypingBody {
  clientId: string;
  to: string;
  composing: boolean;
}

export const sendTyping = route({
  method: 'POST',
  path: '/send-typing',
  owner: 'session',
  description: 'Show the other side that you are typing, or not any more',
  body: Joi.object<TypingBody>({
    ...addressFields,
    composing: Joi.boolean().default(true),
  }),
  async handler({ payload: { clientId, to, composing } }, { services }) {
    await services.chats.setTyping(clientId, to, composing);
    return { status: 'ok' };
  },
});
