import { type Account, type Companion, type Device, deviceRow, devicesOf } from '../state/account.js';
import type { Network } from '../state/network.js';
import { child, childrenOf, type Stanza } from '../wire/stanza.js';
import { type Copy, deliver, type OutgoingMessage } from './deliver.js';

/** Elements of an author's stanza that the network does not forward. */
const FOR_THE_NETWORK = new Set(['participants', 'enc', 'tctoken', 'cstoken', 'reporting']);
const FORWARDED_ATTRS = ['edit', 'category'];

/** The copy of a device that the stanza names. */
export type DeviceCopy = Copy & { to: Device };

/** The one ciphertext of a message for all devices of people but its author, with the sender key for those that get it. */
export function copiesForAll(
  network: Network,
  author: Companion,
  people: readonly Account[],
  message: Stanza,
): DeviceCopy[] {
  const enc = child(message, 'enc');
  if (!enc) return [];
  const keys = keysByDevice(network, child(message, 'participants'));
  return people
    .flatMap(devicesOf)
    .filter((to) => to.companion !== author)
    .map((to) => {
      const key = keys.get(deviceRow(to));
      return { to, encs: key ? [key, enc] : [enc] };
    });
}

/** The `<enc>`s with the author's sender key, by device. */
function keysByDevice(network: Network, participants: Stanza | undefined): Map<string, Stanza> {
  const keys = new Map<string, Stanza>();
  for (const part of childrenOf(participants)) {
    const to = network.directory.device(part.attrs.jid);
    const enc = child(part, 'enc');
    if (to && enc) keys.set(deviceRow(to), enc);
  }
  return keys;
}

/** Delivers each copy once. @param chat key of the partner's account, jid of the group, or that of the statuses */
export function deliverCopies(
  network: Network,
  outgoing: OutgoingMessage,
  chat: string,
  copies: Copy[],
): void {
  const log = network.sentLog(outgoing.author.account);
  const fresh = copies.filter((copy) => isFresh(copy, () => log.give(outgoing.id, chat, deviceRow(copy.to))));
  if (fresh.length < copies.length) network.stats.repeated++;
  for (const copy of fresh) {
    if (copy.encs.length > 1) network.stats.senderKeys++;
    if (isResent(copy)) network.stats.resent++;
    deliver(network, outgoing, copy);
  }
}

/** False for a repeated id, unless the copy answers a retry (it then has a `count`). */
function isFresh(copy: Copy, give: () => boolean): boolean {
  const isFirst = give();
  return isFirst || isResent(copy);
}

function isResent({ encs }: Copy): boolean {
  return encs.some(({ attrs }) => attrs.count !== undefined);
}

/** The parts of a message that the network forwards beside the ciphertext. */
export function forwardedParts(
  message: Stanza,
): Required<Pick<OutgoingMessage, 'type' | 'attrs' | 'extras'>> {
  return {
    type: message.attrs.type ?? 'text',
    attrs: forwardedAttrs(message),
    extras: forwardedElements(message),
  };
}

function forwardedAttrs(message: Stanza): Record<string, string> {
  const attrs: Record<string, string> = {};
  for (const name of FORWARDED_ATTRS) {
    const value = message.attrs[name];
    if (value !== undefined) attrs[name] = value;
  }
  return attrs;
}

function forwardedElements(message: Stanza): Stanza[] {
  return childrenOf(message).filter((element) => !FOR_THE_NETWORK.has(element.tag));
}
