import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { addressFields, messageIdField, textField } from './envelope.js';
import type { Kind, KindSend, SendPayload } from './kind.js';
import { MESSAGE_EDIT } from './protocol-types.js';
import { isSilent } from './silent.js';
import { requireTarget, targetOf } from './target.js';
import { unwrap } from './unwrap.js';

interface EditPayload extends SendPayload {
  messageId: string;
  body: string;
}

const send: KindSend<EditPayload> = {
  path: '/edit-message',
  description: 'Change the text of an own message',
  payload: Joi.object<EditPayload>({
    ...addressFields,
    messageId: messageIdField.required(),
    body: textField.required().example('Hello, Ada!'),
  }),
  target: ({ messageId }) => ({ messageId, fromMe: true, withinMs: LIMITS.editWindowMs }),
  compose: ({ body }, context) => ({ text: body, edit: requireTarget(context) }),
  answer: ({ messageId }) => ({ targetId: messageId }),
};

/** The new text, or caption, of an earlier message. */
export const edit: Kind = {
  name: 'edit',
  send,
  storedType: undefined,
  read(content, context) {
    const { type, editedMessage } = content.protocolMessage ?? {};
    const target = type === MESSAGE_EDIT && targetOf(content);
    if (!target) return undefined;
    // an edit of an edit is none that a phone makes: its like could be nested without end
    const isText = editedMessage && !isSilent(editedMessage) && !unwrap(editedMessage).protocolMessage;
    const body = isText ? context.read(editedMessage).body : '';
    return { type: 'edit', body, extra: { edit: { targetId: target.messageId, body } } };
  },
};
