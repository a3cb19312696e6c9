import Joi from 'joi';
import { AMPLE, addressFields, messageIdField } from '../fields.js';
import type { SendPayload, SendRequest } from './send-request.js';

export interface ReactionPayload extends SendPayload {
  messageId: string;
  /** Empty removes the reaction. */
  emoji: string;
  targetFromMe: boolean;
}

/** UTF-16 units of the longest emojis: families of four with skin tones. */
const EMOJI_LENGTH = 64;
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Pictographs, flags and keycaps. */
const EMOJI = /\p{Extended_Pictographic}|^\p{Regional_Indicator}{2}$|\u20e3/u;

export const reactionSend: SendRequest<ReactionPayload> = {
  path: '/send-reaction',
  description: 'React to a message',
  payload: Joi.object<ReactionPayload>({
    ...addressFields,
    messageId: messageIdField.required().description('The message to react to'),
    emoji: Joi.string()
      .allow('')
      .max(EMOJI_LENGTH)
      .meta(AMPLE)
      .custom((value: string, helpers) => (isEmoji(value) ? value : helpers.error('string.emoji')))
      .messages({ 'string.emoji': '{#label} must be one emoji, or "" to take the reaction back' })
      .required()
      .description('One emoji; `""` removes the reaction')
      .example('👍'),
    targetFromMe: Joi.boolean()
      .default(false)
      .description(
        '`true` if the linked number sent the message. The gateway uses this field only for a message that it does not know',
      )
      .example(false),
  }),
  namesTarget: true,
};

/** True for one emoji, of any number of code points. */
function isEmoji(text: string): boolean {
  return [...characters.segment(text)].length === 1 && EMOJI.test(text);
}
