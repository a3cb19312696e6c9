import Joi from 'joi';
import { keyOf, requireTarget } from '../targets.js';
import type { PhoneContent } from './content.js';

const MAX_CHARS = 64;

/** An emoji on somebody's message. */
export const reaction: PhoneContent = {
  write: {
    key: 'reaction',
    schema: Joi.object({
      messageId: Joi.string().required(),
      emoji: Joi.string().allow('').max(MAX_CHARS).required(),
    }),
    compose({ reaction: made }, writing) {
      if (!made) return undefined;
      const target = requireTarget(writing, made.messageId);
      const key = keyOf(writing.network, target);
      const senderTimestampMs = writing.network.clock.now();
      return {
        message: { reactionMessage: { key, text: made.emoji, senderTimestampMs } },
        shape: { type: 'reaction', enc: { 'decrypt-fail': 'hide' } },
      };
    },
  },
  change({ reactionMessage }, { author }) {
    const targetId = reactionMessage?.key?.id;
    if (!targetId) return undefined;
    return {
      type: 'reaction',
      targetId,
      apply(target) {
        if (target.revoked) return undefined;
        const emoji = reactionMessage.text ?? '';
        const { [author.number]: _, ...others } = target.reactions;
        target.reactions = emoji ? { ...others, [author.number]: emoji } : others;
        return { emoji };
      },
    };
  },
};
