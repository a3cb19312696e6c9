import { proto } from '@whiskeysockets/baileys';
import Joi from 'joi';
import { unwrap } from '../../../kinds/unwrap.js';
import { Refusal } from '../../refusal.js';
import type { HeldMessage } from '../held-messages.js';
import { keyOf, requireTarget } from '../targets.js';
import type { PhoneContent, Reading, Writing } from './content.js';

const MAX_CHARS = 65_536;
const { Type } = proto.Message.ProtocolMessage;
/** Contents whose caption is their text. */
const CAPTIONED = ['imageMessage', 'videoMessage', 'documentMessage'] as const;

/** The author changes the text of a message. */
export const edit: PhoneContent = {
  write: {
    key: 'edit',
    schema: Joi.object({
      messageId: Joi.string().required(),
      text: Joi.string().max(MAX_CHARS).required(),
      wrapped: Joi.boolean(),
    }),
    compose({ edit: made }, writing) {
      if (!made) return undefined;
      const message = composeEdit(writing, made.messageId, made.text);
      return {
        message: made.wrapped ? { editedMessage: { message } } : message,
        shape: { type: 'text', attrs: { edit: '1' } },
      };
    },
  },
  change({ protocolMessage: change }, reading) {
    const targetId = change?.key?.id;
    if (change?.type !== Type.MESSAGE_EDIT || !targetId) return undefined;
    return {
      type: 'edit',
      targetId,
      apply: (target) => applyEdit(target, change.editedMessage, reading),
    };
  },
};

/**
 * The message that changes the text of an own one.
 * @throws Refusal when the phone cannot edit that message.
 */
export function composeEdit(writing: Writing, messageId: string, text: string): proto.IMessage {
  const target = requireTarget(writing, messageId);
  if (!target.fromMe) throw new Refusal(403, `the message ${messageId} is somebody else's`);
  const editedMessage = withText(target, text);
  if (!editedMessage) throw new Refusal(400, `the message ${messageId} has no text that can be edited`);
  const key = keyOf(writing.network, target);
  const timestampMs = writing.network.clock.now();
  return { protocolMessage: { type: Type.MESSAGE_EDIT, key, editedMessage, timestampMs } };
}

/** The new text goes into the target; undefined when only somebody else says so. */
export function applyEdit(
  target: HeldMessage,
  edited: proto.IMessage | null | undefined,
  { author }: Reading,
): { text: string } | undefined {
  const text = edited && textOf(unwrap(edited));
  if (typeof text !== 'string' || target.from !== author.number || target.revoked) return undefined;
  target.history = [...(target.history ?? []), target.text];
  target.text = text;
  target.edited = true;
  if (target.media) target.media = { ...target.media, caption: text };
  return { text };
}

/** The target's content with another text; undefined when it has none. */
export function withText(target: HeldMessage, text: string): proto.IMessage | undefined {
  const message = unwrap(proto.Message.decode(target.source));
  for (const field of CAPTIONED) {
    const medium = message[field];
    if (medium) return { [field]: { ...medium, caption: text } };
  }
  if (message.extendedTextMessage) return { extendedTextMessage: { ...message.extendedTextMessage, text } };
  return message.conversation ? { conversation: text } : undefined;
}

function textOf(message: proto.IMessage): string | null | undefined {
  for (const field of CAPTIONED) {
    if (message[field]) return message[field].caption;
  }
  return message.extendedTextMessage?.text ?? message.conversation;
}
