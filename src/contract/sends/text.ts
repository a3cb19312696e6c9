import Joi from 'joi';
import { envelopeFields, textField } from '../fields.js';
import type { SendPayload, SendRequest } from './send-request.js';

export interface TextPayload extends SendPayload {
  body: string;
  linkPreview?: boolean;
}

export const textSend: SendRequest<TextPayload> = {
  path: '/send-message',
  description: 'Send a text',
  payload: Joi.object<TextPayload>({
    ...envelopeFields,
    body: textField.required().example('Hello'),
    linkPreview: Joi.boolean()
      .description('Show a preview of the first https link; default: the setting --link-previews')
      .example(true),
  }),
};
