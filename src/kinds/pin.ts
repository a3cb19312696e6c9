import Joi from 'joi';
import { requireTarget } from './content.js';
import { addressFields, messageIdField } from './fields.js';
import type { Kind, KindSend, SendPayload } from './kind.js';

interface PinPayload extends SendPayload {
  messageId: string;
  pinned: boolean;
  duration: number;
}

const DAY_S = 24 * 60 * 60;
/** Seconds that WhatsApp's own clients offer: a day, a week, 30 days. */
const DURATIONS = [DAY_S, 7 * DAY_S, 30 * DAY_S];
/** Types of the protocol's `pinInChatMessage`. */
const PIN_FOR_ALL = 1;
const UNPIN_FOR_ALL = 2;

const send: KindSend<PinPayload> = {
  path: '/pin-message',
  description: 'Pin a message for everyone in its chat, or unpin it',
  payload: Joi.object<PinPayload>({
    ...addressFields,
    messageId: messageIdField.required(),
    pinned: Joi.boolean().default(true).example(true),
    duration: Joi.number()
      .valid(...DURATIONS)
      .default(7 * DAY_S)
      .description('Seconds until the pin ends by itself: a day, a week or 30 days')
      .example(7 * DAY_S),
  }),
  target: ({ messageId }) => ({ messageId, fromMe: false, mustBeKnown: true }),
  /** Phones ignore a pin without a duration (zapo, `messages.ts`). */
  compose: ({ pinned, duration }, context) => ({
    raw: {
      pinInChatMessage: {
        key: requireTarget(context),
        type: pinned ? PIN_FOR_ALL : UNPIN_FOR_ALL,
        senderTimestampMs: context.now,
      },
      messageContextInfo: { messageAddOnDurationInSecs: pinned ? duration : 0 },
    },
  }),
  answer: ({ messageId }) => ({ targetId: messageId }),
};

/** A message was pinned for everyone in its chat, or unpinned. The event has the type of a text, with the object `pin`. */
export const pin: Kind = {
  name: 'pin',
  send,
  storedType: 'chat',
  read({ pinInChatMessage, messageContextInfo }) {
    const targetId = pinInChatMessage?.key?.id;
    if (!targetId) return undefined;
    const pinned = pinInChatMessage.type !== UNPIN_FOR_ALL;
    const duration = pinned ? (messageContextInfo?.messageAddOnDurationInSecs ?? 0) : 0;
    const body = pinned ? '[pinned message]' : '[unpinned message]';
    return { type: 'text', body, extra: { pin: { targetId, pinned, duration } } };
  },
};
