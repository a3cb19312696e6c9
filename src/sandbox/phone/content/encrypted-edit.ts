import { proto } from '@whiskeysockets/baileys';
import Joi from 'joi';
import { unwrap } from '../../../kinds/unwrap.js';
import { jidIn } from '../../chat.js';
import { Refusal } from '../../refusal.js';
import type { HeldMessage } from '../held-messages.js';
import { openSealed, type Sealed, seal, secretOf } from '../message-secret.js';
import { keyOf, requireTarget } from '../targets.js';
import type { PhoneContent, Reading, Writing } from './content.js';
import { applyEdit, composeEdit } from './edit.js';

const MAX_CHARS = 65_536;
const USE_CASE = 'Message Edit';
const { MESSAGE_EDIT } = proto.Message.SecretEncryptedMessage.SecretEncType;

/** An edit that is sealed with the message's own secret. */
export const encryptedEdit: PhoneContent = {
  write: {
    key: 'encryptedEdit',
    schema: Joi.object({
      messageId: Joi.string().required(),
      text: Joi.string().max(MAX_CHARS).required(),
    }),
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

function sealEdit({ network, phone, partner }: Writing, target: HeldMessage, plain: Uint8Array): Sealed {
  const secret = secretOf(target);
  if (!secret) throw new Refusal(400, `the message ${target.messageId} came without its secret`);
  const author = jidIn(partner, phone.account, network.addressing);
  const { messageId: targetId } = target;
  return seal(plain, { secret, targetId, targetAuthor: author, sender: author, useCase: USE_CASE });
}

/** Only the author can edit, so both names in the key are the author's, by either address. */
function openEdit(
  { author }: Reading,
  target: HeldMessage,
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
