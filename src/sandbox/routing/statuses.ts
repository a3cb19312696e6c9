import { hasBlocked } from '../people/blocks.js';
import type { Account, Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import { STATUS_FEED } from '../state/status-feed.js';
import { NOT_PLAYED as UNPLAYED } from '../wire/refusals.js';
import { child, childrenOf, type Stanza } from '../wire/stanza.js';
import { copiesForAll, type DeviceCopy, deliverCopies, forwardedParts } from './copies.js';

/** The ack error of a malformed stanza (whatsapp-rust `status_carries_privacy_meta`: SmaxInvalid). */
const MALFORMED = '479';
/** The ack error of what the sandbox does not play. */
const NOT_PLAYED = String(UNPLAYED.code);
/** The `edit` attribute of an author's revoke. */
const REVOKE = '7';

/**
 * Routes a status of a linked device, or its revoke: one ciphertext for all devices of the people that `<participants>`
 * names, with the sender key for the devices that get it. An element names a device with its key, or only a person
 * (whatsmeow `sendGroup`, whatsapp-rust `ensure_status_participants`, zapo `publishStatusMessage`). A copy that answers a
 * retry goes only to the device that asked.
 * @returns the error of the negative ack; undefined when the status was delivered
 */
export function routeStatus(network: Network, companion: Companion, message: Stanza): string | undefined {
  const { type, edit = REVOKE, id = '' } = message.attrs;
  // no source shows what becomes of a reaction to a status, and an edit of one
  if (type === 'reaction' || edit !== REVOKE) return NOT_PLAYED;
  if (network.faults.take('reject-sends', companion.account)) return MALFORMED;
  const copies = readCopies(network, companion, message);
  if (!copies) return MALFORMED;
  const author = { account: companion.account, companion };
  const parts = forwardedParts(message);
  // the author's setting is for the network
  const extras = parts.extras.filter(({ tag }) => tag !== 'meta');
  const outgoing = { id, author, chat: STATUS_FEED, timestamp: network.now(), ...parts, extras };
  const allowed = copies.filter(({ to }) => !hasBlocked(to.account, companion.account));
  deliverCopies(network, outgoing, STATUS_FEED.chatId, allowed);
  return undefined;
}

/** Undefined when the stanza is malformed. */
function readCopies(network: Network, author: Companion, message: Stanza): DeviceCopy[] | undefined {
  const enc = child(message, 'enc');
  if (!enc) return undefined;
  if (message.attrs.participant !== undefined) {
    const to = network.directory.device(message.attrs.participant);
    return to ? [{ to, encs: [enc] }] : [];
  }
  const named = childrenOf(child(message, 'participants'));
  if (enc.attrs.type !== 'skmsg' || named.length === 0) return undefined;
  const people = new Set(
    named.flatMap(({ attrs }): Account[] => {
      const person = network.directory.byJid(attrs.jid);
      return person ? [person] : [];
    }),
  );
  return copiesForAll(network, author, [...people], message);
}
