import { type EditPayload, editSend } from '../../contract/sends/edit.js';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import { reason } from '../../domain/reasons.js';
import { unwrap } from '../../domain/wrappers.js';
import { isSilent, requireTarget, targetOf } from './content.js';
import type { ComposeContext, Composed, Kind, KindSend } from './kind.js';
import { MESSAGE_EDIT } from './protocol-types.js';

/** Contents whose text is a caption: phones accept a new caption in no other form. */
const CAPTIONED = ['imageMessage', 'videoMessage', 'documentMessage'] as const;
/** Contents that are text. */
const TEXTS = ['conversation', 'extendedTextMessage'] as const;

const send: KindSend<EditPayload> = {
  ...editSend,
  target: ({ messageId }) => ({ messageId, fromMe: true, withinMs: LIMITS.editWindowMs }),
  compose: ({ body }, context) => composeEdit(body, context),
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
    // phones make no edits of edits, and those could be nested without end
    const isText = editedMessage && !isSilent(editedMessage) && !unwrap(editedMessage).protocolMessage;
    const body = isText ? context.read(editedMessage).body : '';
    return { type: 'edit', body, extra: { edit: { targetId: target.messageId, body } } };
  },
};

/** @throws GatewayError target_not_editable when the earlier message has no text: phones ignore such an edit */
function composeEdit(body: string, context: ComposeContext): Composed {
  const key = requireTarget(context);
  const { targetContent, now } = context;
  const earlier = unwrap(targetContent ?? {});
  const captioned = CAPTIONED.find((field) => earlier[field]);
  const isText = !targetContent || TEXTS.some((field) => earlier[field]);
  if (!captioned && !isText) {
    throw new GatewayError('target_not_editable', reason('message_without_text', { messageId: key.id }));
  }
  if (!captioned) return { text: body, edit: key };
  const editedMessage = { [captioned]: { caption: body } };
  return {
    raw: { protocolMessage: { type: MESSAGE_EDIT, key, editedMessage, timestampMs: now } },
  };
}
