import Joi from 'joi';
import { addressFields, messageIdField, textField } from '../fields.js';
import type { SendPayload, SendRequest } from './send-request.js';

export interface EditPayload extends SendPayload {
  messageId: string;
  body: string;
}

export const editSend: SendRequest<EditPayload> = {
  path: '/edit-message',
  description: 'Change the text of an own message',
  payload: Joi.object<EditPayload>({
    ...addressFields,
    messageId: messageIdField.required().description('An own message, sent within the last 15 minutes'),
    body: textField.required().description('The new text or caption').example('Hello, Ada!'),
  }),
  namesTarget: true,
};
