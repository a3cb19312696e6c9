import { type PinPayload, pinSend } from '../../contract/sends/pin.js';
import { requireTarget } from './content.js';
import type { Kind, KindSend } from './kind.js';

/** Types of the protocol's `pinInChatMessage`. */
const PIN_FOR_ALL = 1;
const UNPIN_FOR_ALL = 2;

const send: KindSend<PinPayload> = {
  ...pinSend,
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
