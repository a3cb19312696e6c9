import Joi from 'joi';
import { envelopeFields, textField } from './envelope.js';
import type { Kind, KindSend, SendPayload } from './kind.js';

interface TextPayload extends SendPayload {
  body: string;
}

const send: KindSend<TextPayload> = {
  path: '/send-message',
  description: 'Send a text',
  payload: Joi.object<TextPayload>({
    ...envelopeFields,
    body: textField.required().example('Hello'),
  }),
  compose: ({ body }, { mentionedJids }) => ({
    text: body,
    ...(mentionedJids.length > 0 && { mentions: mentionedJids }),
  }),
};

/** Text, plain or extended (with a link preview, a quote, mentions or formatting). */
export const text: Kind = {
  name: 'text',
  send,
  storedType: 'chat',
  read({ conversation, extendedTextMessage: extended }) {
    const body = conversation || extended?.text || extended?.matchedText || extended?.title;
    return body ? { type: 'text', body } : undefined;
  },
};
