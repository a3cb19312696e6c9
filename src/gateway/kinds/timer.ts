import type { Composed } from './kind.js';
import { EPHEMERAL_SETTING } from './protocol-types.js';

/**
 * Composes the message that sets the timer of a private chat for both sides (whatsmeow, `SetDisappearingTimer`).
 * `/disappearing-messages` sends it; nobody sees it as a message.
 * @param seconds 0 turns the timer off
 * @param now milliseconds since the epoch
 */
export function composeTimer(seconds: number, now: number): Composed {
  const ephemeralSettingTimestamp = Math.floor(now / 1000);
  return {
    raw: {
      protocolMessage: {
        type: EPHEMERAL_SETTING,
        ephemeralExpiration: seconds,
        ephemeralSettingTimestamp,
      },
    },
  };
}
