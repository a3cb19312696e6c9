import type { Companion } from '../companion.js';
import type { Stanza } from '../wire/stanza.js';

/** A device acknowledges what it was handed; an `error` says that it could not use a message. */
export function routeAck(companion: Companion, ack: Stanza): void {
  const { class: tag, id, to, participant, type, error } = ack.attrs;
  if (!id || !tag) return;
  if (tag === 'message' && error) companion.mailbox.settleFailed(id);
  else
    companion.mailbox.settle(tag, {
      id,
      ...(to && { from: to }),
      ...(participant && { participant }),
      ...(type && { type }),
    });
}
