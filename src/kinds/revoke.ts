import type { Composed, Kind, MessageKey } from './kind.js';
import { REVOKE } from './protocol-types.js';
import { targetOf } from './target.js';

/** The message that deletes an earlier one for everybody. It is no send route's: `/delete-message` does more. */
export function composeRevoke(key: MessageKey): Composed {
  return { delete: key };
}

/** An earlier message is deleted for everybody. */
export const revoke: Kind = {
  name: 'revoke',
  storedType: undefined,
  read(content) {
    const { protocolMessage } = content;
    const isRevoke = protocolMessage && (protocolMessage.type ?? REVOKE) === REVOKE;
    const target = isRevoke && targetOf(content);
    if (!target) return undefined;
    // its key is written from the view of who deletes: only admins delete what they did not write
    const { messageId: targetId, fromMe } = target;
    return { type: 'revoke', body: '', extra: { revoke: { targetId, byAdmin: !fromMe } } };
  },
};
