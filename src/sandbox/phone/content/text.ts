import Joi from 'joi';
import type { PhoneContent } from './content.js';

const MAX_CHARS = 65_536;

/** Plain text, and text that quotes, mentions, was forwarded or shows what a link leads to. */
export const text: PhoneContent = {
  write: {
    key: 'text',
    schema: Joi.string().max(MAX_CHARS),
    options: {
      linkPreview: Joi.object({
        matchedText: Joi.string().required(),
        title: Joi.string().required(),
        description: Joi.string(),
      }),
    },
    compose({ text: body, linkPreview }, { contextInfo }) {
      if (body === undefined) return undefined;
      const isPlain = !contextInfo && !linkPreview;
      return {
        message: isPlain
          ? { conversation: body }
          : { extendedTextMessage: { text: body, ...linkPreview, ...(contextInfo && { contextInfo }) } },
        shape: { type: 'text' },
      };
    },
  },
  read({ conversation, extendedTextMessage }) {
    const body = conversation || extendedTextMessage?.text;
    if (typeof body !== 'string') return undefined;
    const { matchedText, title, description } = extendedTextMessage ?? {};
    const linkPreview = matchedText && {
      matchedText,
      title: title ?? '',
      ...(description && { description }),
    };
    return { type: 'text', text: body, ...(linkPreview && { linkPreview }) };
  },
};
