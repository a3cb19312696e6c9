import type { Companion } from '../companion.js';
import { dropAcks } from '../faults/drop-acks.js';
import { rejectSends } from '../faults/reject-sends.js';
import { isGroupJid } from '../groups/groups.js';
import type { Network } from '../network.js';
import { type Device, deviceId } from '../registry.js';
import { child, childrenOf, type Stanza, stanza } from '../wire/stanza.js';
import { refuseButtons } from './buttons.js';
import { type Copy, hand, type Parcel } from './fan-out.js';
import { routeGroupMessage } from './group-messages.js';

/** What a stanza that cannot be delivered is answered with, as a malformed fan-out is. */
export const MALFORMED = '479';
/** What somebody gets who does what only admins of a group may do. */
export const NOT_ALLOWED = '403';
/** The `edit` of a stanza by which an admin deletes somebody's message. */
export const ADMIN_REVOKE = '8';
/** Parts of an author's stanza that are for the network alone. */
const FOR_THE_NETWORK = new Set(['participants', 'enc', 'tctoken', 'reporting']);
const TRAVELLING_ATTRS = ['edit', 'category'];

/** A linked device sends: every copy goes to its device, and the author gets the network's ack. */
export function routeMessage(network: Network, companion: Companion, message: Stanza): void {
  const { id = '', to } = message.attrs;
  if (isGroupJid(to)) {
    answer(network, companion, message, routeGroupMessage(network, companion, message));
    return;
  }
  const copies = readCopies(network, message);
  const error = refuse(network, companion, message, copies);
  if (error) {
    acknowledge(network, companion, message, error);
    return;
  }
  const author = { account: companion.account, companion };
  const partner = partnerOf(network, companion, message) ?? companion.account;
  const parcel: Parcel = {
    id,
    author,
    chat: partner,
    ...travelling(message),
  };
  const allowed = copies.filter((copy) => isAllowed(network, companion, copy.to, to));
  handOut(network, parcel, partner.key, allowed);
  answer(network, companion, message);
}

/** Tells the author that the network has the message, or why not. */
function answer(network: Network, companion: Companion, message: Stanza, error?: string): void {
  if (error || !network.faults.take(dropAcks, companion.account))
    acknowledge(network, companion, message, error);
}

/** Why a message is not taken: the error of the negative ack. Undefined when nothing is wrong. */
function refuse(network: Network, companion: Companion, message: Stanza, copies: Copy[]): string | undefined {
  if (network.faults.take(rejectSends, companion.account) || copies.length === 0) return MALFORMED;
  // between two people nobody is an admin
  if (message.attrs.edit === ADMIN_REVOKE) return NOT_ALLOWED;
  return refuseButtons(message);
}

/** A device's key in the logs. */
export function deviceRow(device: Device): string {
  return `${device.account.key}:${deviceId(device)}`;
}

/** Copies for devices in `<participants>`, or one `<enc>` for the device in `to`. Unknown devices get none. */
function readCopies(network: Network, message: Stanza): (Copy & { to: Device })[] {
  const direct = child(message, 'enc');
  const parts = direct
    ? [{ jid: message.attrs.to, enc: direct }]
    : childrenOf(child(message, 'participants')).map((part) => ({
        jid: part.attrs.jid,
        enc: child(part, 'enc'),
      }));
  return parts.flatMap(({ jid, enc }) => {
    const to = network.registry.device(jid);
    return to && enc ? [{ to, encs: [enc] }] : [];
  });
}

/** The other side of the chat; a copy that is sent again to an own device names it otherwise or not at all. */
function partnerOf(network: Network, companion: Companion, message: Stanza) {
  const { to, recipient, id = '' } = message.attrs;
  const addressee = network.registry.byJid(recipient ?? to);
  if (addressee && (recipient || addressee !== companion.account)) return addressee;
  const logged = network.sentLog(companion.account).partnerOf(id);
  return logged === undefined ? addressee : network.registry.byKey(logged);
}

/** Copies go to the addressee and to the author's own other devices, to nobody else. */
function isAllowed(
  network: Network,
  companion: Companion,
  to: Device,
  addressee: string | undefined,
): boolean {
  if (to.companion === companion) return false;
  return to.account === companion.account || to.account === network.registry.byJid(addressee);
}

/** Gives devices their copies, each of them only once. @param chat key of the account, or jid of the group */
export function handOut(network: Network, parcel: Parcel, chat: string, copies: Copy[]): void {
  const log = network.sentLog(parcel.author.account);
  const fresh = copies.filter((copy) => isFresh(copy, () => log.give(parcel.id, chat, deviceRow(copy.to))));
  if (fresh.length < copies.length) network.stats.repeated++;
  for (const copy of fresh) hand(network, parcel, copy);
}

/** The same id again is dropped, unless the copy answers a retry (which the `count` says). */
function isFresh(copy: Copy, give: () => boolean): boolean {
  const isFirst = give();
  return isFirst || copy.encs.some(({ attrs }) => attrs.count !== undefined);
}

/** What of a message goes on to those it is for, beside the ciphertext. */
export function travelling(message: Stanza): Required<Pick<Parcel, 'type' | 'attrs' | 'extras'>> {
  return {
    type: message.attrs.type ?? 'text',
    attrs: travellingAttrs(message),
    extras: travellingElements(message),
  };
}

function travellingAttrs(message: Stanza): Record<string, string> {
  const attrs: Record<string, string> = {};
  for (const name of TRAVELLING_ATTRS) {
    const value = message.attrs[name];
    if (value !== undefined) attrs[name] = value;
  }
  return attrs;
}

function travellingElements(message: Stanza): Stanza[] {
  return childrenOf(message).filter((element) => !FOR_THE_NETWORK.has(element.tag));
}

function acknowledge(network: Network, companion: Companion, message: Stanza, error?: string): void {
  const { id, to } = message.attrs;
  companion.connection?.send(
    stanza('ack', { class: 'message', id, from: to, t: String(network.now()), error }),
  );
}
