import { proto } from '@whiskeysockets/baileys';
import { Refusal } from '../../wire/refusals.js';
import type { PhoneContent } from './content.js';

/** Text, with an optional context and link preview. */
export const text: PhoneContent = {
  write: {
    key: 'text',
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
    const { matchedText, title, description, jpegThumbnail } = extendedTextMessage ?? {};
    const { backgroundArgb, font } = extendedTextMessage ?? {};
    const linkPreview = matchedText && {
      matchedText,
      title: title ?? '',
      ...(description && { description }),
      ...(jpegThumbnail?.length && { thumbnail: jpegThumbnail.length }),
    };
    return {
      type: 'text',
      text: body,
      ...(linkPreview && { linkPreview }),
      ...(typeof backgroundArgb === 'number' && { backgroundColor: colorOf(backgroundArgb) }),
      ...(font && { font }),
    };
  },
};

const RGB = 0xffffff;
const HEX_DIGITS = 6;

function colorOf(argb: number): string {
  return `#${(argb & RGB).toString(16).padStart(HEX_DIGITS, '0')}`;
}

/** Any encoded message of the protocol, for kinds that the sandbox does not know. */
export const raw: PhoneContent = {
  write: {
    key: 'raw',
    compose({ raw: encoded }) {
      if (encoded === undefined) return undefined;
      return { message: decode(Buffer.from(encoded, 'base64')), shape: { type: 'text' } };
    },
  },
};

function decode(bytes: Buffer): proto.IMessage {
  try {
    return proto.Message.decode(bytes);
  } catch {
    throw new Refusal('invalid_request', '"raw" must be an encoded proto.Message in base64');
  }
}
