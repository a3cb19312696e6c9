import Joi from 'joi';
import { LIMITS } from '../../../domain/limits.js';
import {
  EXTRA_EVENT_TYPES,
  type ExtraEventType,
  MESSAGE_EVENT_TYPES,
  type MessageEventType,
} from '../../../events/catalogue.js';
import type { SampleFields } from '../../../events/sample.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface SendTestEventBody {
  clientId: string;
  type: MessageEventType | ExtraEventType;
  fields?: SampleFields;
}

const NAME = Joi.string().allow('').max(LIMITS.displayNameLength);

/** What of the event is not as usual. */
const fields = Joi.object<SampleFields>({
  body: Joi.string().max(LIMITS.textLength),
  messageId: Joi.string().max(LIMITS.messageIdLength),
  remoteName: NAME,
  remotePhone: NAME,
  pushName: NAME,
});

export const sendTestEvent = route({
  method: 'POST',
  path: '/send-test-event',
  owner: 'session',
  description: "Send a made-up event of a type to the session's webhook, and tell how it went",
  body: Joi.object<SendTestEventBody>({
    clientId,
    type: Joi.valid(...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES).required(),
    fields,
  }),
  handler: ({ payload: { clientId, type, fields } }, { services }) =>
    services.deliveries.sendTestEvent(clientId, type, fields),
});
