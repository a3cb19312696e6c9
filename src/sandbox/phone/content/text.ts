import Joi from 'joi';
import type { PhoneContent } from './content.js';

const MAX_CHARS = 65_536;

/** Plain text, and text that quotes, mentions or was forwarded. */
export const text: PhoneContent = {
  key: 'text',
  schema: Joi.string().max(MAX_CHARS),
  stanzaType: 'text',
  compose({ text: body }, contextInfo) {
    if (body === undefined) return undefined;
    return contextInfo ? { extendedTextMessage: { text: body, contextInfo } } : { conversation: body };
  },
  read(message) {
    const body = message.conversation || message.extendedTextMessage?.text;
    return typeof body === 'string' ? { type: 'text', text: body } : undefined;
  },
};
