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
    body: textField.required().description('The text; an emoji is one character').example('Hello'),
    linkPreview: Joi.boolean()
      .description(
        '`true` shows a preview of the first `https://` link: title, description and picture of its page. The default is the setting ' +
          '`--link-previews`, which is off',
      )
      .example(true),
  }),
};
