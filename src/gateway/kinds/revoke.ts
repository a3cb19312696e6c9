import { targetOf } from './content.js';
import type { Composed, Kind, MessageKey } from './kind.js';
import { REVOKE } from './protocol-types.js';

/** Composes the message that deletes an earlier one for everybody. `/delete-message` sends it. */
export function composeRevoke(key: MessageKey): Composed {
  return { delete: key };
}

/** The deletion of an earlier message for everybody. */
export const revoke: Kind = {
  name: 'revoke',
  storedType: undefined,
  read(content) {
    const { protocolMessage } = content;
    const isRevoke = protocolMessage && (protocolMessage.type ?? REVOKE) === REVOKE;
    const target = isRevoke && targetOf(content);
    if (!target) return undefined;
    // the key is from the deleter's point of view: only admins delete messages of others
    const { messageId: targetId, fromMe } = target;
    return { type: 'revoke', body: '', extra: { revoke: { targetId, byAdmin: !fromMe } } };
  },
};
