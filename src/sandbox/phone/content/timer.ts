import { proto } from '@whiskeysockets/baileys';
import { Refusal } from '../../wire/refusals.js';
import type { PhoneContent } from './content.js';

const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type;

/**
 * Sets the timer of a private chat: a message that both phones note and show as no text (whatsmeow,
 * `SetDisappearingTimer`). Groups have a setting instead.
 */
export const timer: PhoneContent = {
  write: {
    key: 'timer',
    compose({ timer: seconds }, { partner, network }) {
      if (seconds === undefined) return undefined;
      if (!('companions' in partner))
        throw new Refusal('invalid_request', 'the timer of a group is one of its settings');
      return {
        message: {
          protocolMessage: {
            type: EPHEMERAL_SETTING,
            ephemeralExpiration: seconds,
            ephemeralSettingTimestamp: network.now(),
          },
        },
        shape: { type: 'text' },
      };
    },
  },
  read({ protocolMessage }) {
    if (protocolMessage?.type !== EPHEMERAL_SETTING) return undefined;
    return { type: 'timer', text: '', timer: protocolMessage.ephemeralExpiration ?? 0 };
  },
};
