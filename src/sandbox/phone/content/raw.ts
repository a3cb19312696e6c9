import { proto } from '@whiskeysockets/baileys';
import Joi from 'joi';
import { Refusal } from '../../refusal.js';
import type { PhoneContent } from './content.js';

const MAX_CHARS = 1024 * 1024;

/** Whatever the protocol has a message for: for kinds that phones here do not know. */
export const raw: PhoneContent = {
  write: {
    key: 'raw',
    schema: Joi.string().base64().max(MAX_CHARS),
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
    throw new Refusal(400, '"raw" must be an encoded proto.Message in base64');
  }
}
