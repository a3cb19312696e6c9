import Joi from 'joi';
import { addressFields, messageIdField } from '../fields.js';
import type { SendPayload, SendRequest } from './send-request.js';

export interface PinPayload extends SendPayload {
  messageId: string;
  pinned: boolean;
  duration: number;
}

const DAY_S = 24 * 60 * 60;
/** Seconds that WhatsApp's own clients offer: a day, a week, 30 days. */
const DURATIONS = [DAY_S, 7 * DAY_S, 30 * DAY_S];

export const pinSend: SendRequest<PinPayload> = {
  path: '/pin-message',
  description: 'Pin a message for everyone in its chat, or unpin it',
  payload: Joi.object<PinPayload>({
    ...addressFields,
    messageId: messageIdField.required().description('The message'),
    pinned: Joi.boolean().default(true).description('`false` unpins the message').example(true),
    duration: Joi.number()
      .valid(...DURATIONS)
      .default(7 * DAY_S)
      .description('Seconds until the pin ends by itself: a day, a week or 30 days')
      .example(7 * DAY_S),
  }),
  namesTarget: true,
};
