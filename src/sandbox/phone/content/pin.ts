import { proto } from '@whiskeysockets/baileys';
import { keyOf, requireTarget } from '../targets.js';
import type { PhoneContent } from './content.js';

const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;
const WEEK_S = 7 * 24 * 60 * 60;
/** The stanza's `edit` attribute of a pin (Baileys `messages-send.js`, whatsapp-rust `EditAttribute::PinInChat`). */
const EDIT_PIN = '2';

/** A message is pinned for everybody in its chat, or unpinned. */
export const pin: PhoneContent = {
  write: {
    key: 'pin',
    compose({ pin: made }, writing) {
      if (!made) return undefined;
      const { messageId, pinned = true, duration = WEEK_S } = made;
      const key = keyOf(writing.network, requireTarget(writing, messageId));
      return {
        message: {
          pinInChatMessage: {
            key,
            type: pinned ? PIN_FOR_ALL : UNPIN_FOR_ALL,
            senderTimestampMs: writing.network.clock.now(),
          },
          messageContextInfo: { messageAddOnDurationInSecs: pinned ? duration : 0 },
        },
        shape: { type: 'text', attrs: { edit: EDIT_PIN }, enc: { 'decrypt-fail': 'hide' } },
      };
    },
  },
  change({ pinInChatMessage, messageContextInfo }, { author, network }) {
    const targetId = pinInChatMessage?.key?.id;
    if (!targetId) return undefined;
    return {
      type: 'pin',
      targetId,
      apply(target) {
        if (target.revoked) return undefined;
        if (pinInChatMessage.type === UNPIN_FOR_ALL) {
          delete target.pin;
          return { pinned: false };
        }
        // phones drop a pin without a duration (zapo, `messages.ts`)
        const duration = messageContextInfo?.messageAddOnDurationInSecs ?? 0;
        if (duration === 0) return undefined;
        target.pin = { by: author.number, until: network.now() + duration };
        return { pinned: true };
      },
    };
  },
};
