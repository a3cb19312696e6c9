import Joi from 'joi';
import { requireTarget, targetOf } from './content.js';
import { addressFields, messageIdField } from './fields.js';
import type { Kind, KindSend, SendPayload } from './kind.js';

interface ReactionPayload extends SendPayload {
  messageId: string;
  /** The emoji; an empty text removes the reaction. */
  emoji: string;
  targetFromMe: boolean;
}

/** UTF-16 units of the longest emojis: families of four with skin tones. */
const EMOJI_LENGTH = 64;
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Pictographs, flags and keycaps. */
const EMOJI = /\p{Extended_Pictographic}|^\p{Regional_Indicator}{2}$|\u20e3/u;

const send: KindSend<ReactionPayload> = {
  path: '/send-reaction',
  description: 'React to a message',
  payload: Joi.object<ReactionPayload>({
    ...addressFields,
    messageId: messageIdField.required(),
    emoji: Joi.string()
      .allow('')
      .max(EMOJI_LENGTH)
      .custom((value: string, helpers) => (isEmoji(value) ? value : helpers.error('string.emoji')))
      .messages({ 'string.emoji': '{#label} must be one emoji, or "" to take the reaction back' })
      .required()
      .example('👍'),
    targetFromMe: Joi.boolean().default(false).example(false),
  }),
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

/** True for one emoji, of any number of code points. */
function isEmoji(text: string): boolean {
  return [...characters.segment(text)].length === 1 && EMOJI.test(text);
}
