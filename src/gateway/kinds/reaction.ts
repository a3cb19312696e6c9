import { type ReactionPayload, reactionSend } from '../../contract/sends/reaction.js';
import { requireTarget, targetOf } from './content.js';
import type { Kind, KindSend } from './kind.js';

const send: KindSend<ReactionPayload> = {
  ...reactionSend,
  target: ({ messageId, targetFromMe }) => ({ messageId, fromMe: targetFromMe }),
  compose: ({ emoji }, context) => ({ react: { key: requireTarget(context), text: emoji } }),
  answer: ({ messageId }) => ({ targetId: messageId }),
};

/** An emoji on an earlier message, or its removal. */
export const reaction: Kind = {
  name: 'reaction',
  send,
  storedType: undefined,
  read(content) {
    const target = content.reactionMessage && targetOf(content);
    if (!target) return undefined;
    const emoji = content.reactionMessage?.text ?? '';
    const { messageId: targetId, fromMe: targetFromMe } = target;
    return { type: 'reaction', body: emoji, extra: { reaction: { targetId, targetFromMe, emoji } } };
  },
};
