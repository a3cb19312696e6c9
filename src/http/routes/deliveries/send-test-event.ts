import Joi from 'joi';
import {
  EXTRA_EVENT_TYPES,
  type ExtraEventType,
  MESSAGE_EVENT_TYPES,
  type MessageEventType,
} from '../../../events/catalogue.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface SendTestEventBody {
  clientId: string;
  type: MessageEventType | ExtraEventType;
}

export const sendTestEvent = route({
  method: 'POST',
  path: '/send-test-event',
  owner: 'session',
  description: "Send a made-up event of a type to the session's webhook, and tell how it went",
  body: Joi.object<SendTestEventBody>({
    clientId,
    type: Joi.valid(...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES).required(),
  }),
  handler: ({ payload: { clientId, type } }, { services }) =>
    services.deliveries.sendTestEvent(clientId, type),
});
