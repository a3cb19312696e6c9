import { proto } from '@whiskeysockets/baileys';
import { unwrap } from '../../../domain/wrappers.js';
import { jidIn } from '../../state/directory.js';
import { Refusal } from '../../wire/refusals.js';
import { openSealed, type Sealed, seal, secretOf } from '../message-secret.js';
import type { PhoneMessage } from '../phone-messages.js';
import { keyOf, requireTarget } from '../targets.js';
import type { PhoneContent, Reading, Writing } from './content.js';

const { Type } = proto.Message.ProtocolMessage;
/** Contents whose caption is their text. */
const CAPTIONED = ['imageMessage', 'videoMessage', 'documentMessage'] as const;

/** The author changes the text of a message. */
export const edit: PhoneContent = {
  write: {
    key: 'edit',
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
 * The edit of an own message.
 * @throws Refusal when the phone cannot edit the message
 */
function composeEdit(writing: Writing, messageId: string, text: string): proto.IMessage {
  const target = requireTarget(writing, messageId);
  if (!target.fromMe) throw new Refusal('message_not_own', `the message ${messageId} is somebody else's`);
  const editedMessage = withText(target, text);
  if (!editedMessage)
    throw new Refusal('message_not_editable', `the message ${messageId} has no text that can be edited`);
  const key = keyOf(writing.network, target);
  const timestampMs = writing.network.clock.now();
  return { protocolMessage: { type: Type.MESSAGE_EDIT, key, editedMessage, timestampMs } };
}

/** Puts the new text into the target; undefined when somebody else than the author edits. */
function applyEdit(
  target: PhoneMessage,
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

/** The target's content with another text; undefined when it has no text. */
export function withText(target: PhoneMessage, text: string): proto.IMessage | undefined {
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

const USE_CASE = 'Message Edit';
const { MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;

/** An edit that is encrypted with the message's secret. */
export const encryptedEdit: PhoneContent = {
  write: {
    key: 'encryptedEdit',
    compose({ encryptedEdit: made }, writing) {
      if (!made) return undefined;
      const plain = proto.Message.encode(composeEdit(writing, made.messageId, made.text)).finish();
      const target = requireTarget(writing, made.messageId);
      const secretEncryptedMessage = {
        targetMessageKey: keyOf(writing.network, target),
        secretEncType: MESSAGE_EDIT,
        ...sealEdit(writing, target, plain),
      };
      return { message: { secretEncryptedMessage }, shape: { type: 'text', attrs: { edit: '1' } } };
    },
  },
  change({ secretEncryptedMessage }, reading) {
    const targetId = secretEncryptedMessage?.targetMessageKey?.id;
    if (secretEncryptedMessage?.secretEncType !== MESSAGE_EDIT || !targetId) return undefined;
    return {
      type: 'edit',
      targetId,
      apply(target) {
        const plain = openEdit(reading, target, secretEncryptedMessage);
        if (!plain) return undefined;
        const message = unwrap(proto.Message.decode(plain));
        return applyEdit(target, message.protocolMessage?.editedMessage ?? message, reading);
      },
    };
  },
};

function sealEdit(
  { network, author: writer, partner }: Writing,
  target: PhoneMessage,
  plain: Uint8Array,
): Sealed {
  const secret = secretOf(target);
  if (!secret)
    throw new Refusal('message_not_editable', `the message ${target.messageId} came without its secret`);
  const author = jidIn(partner, writer, network.addressing);
  const { messageId: targetId } = target;
  return seal(plain, { secret, targetId, targetAuthor: author, sender: author, useCase: USE_CASE });
}

/** Only the author can edit, so both jids in the key are the author's, in either addressing. */
function openEdit(
  { author }: Reading,
  target: PhoneMessage,
  sealed: proto.Message.ISecretEncryptedMessage,
): Buffer | undefined {
  const secret = secretOf(target);
  if (!secret) return undefined;
  const { messageId: targetId } = target;
  for (const sender of [author.jid('lid'), author.jid('pn')]) {
    const plain = openSealed(sealed, { secret, targetId, targetAuthor: sender, sender, useCase: USE_CASE });
    if (plain) return plain;
  }
  return undefined;
}
