import type { Account } from '../account.js';
import type { Chat } from '../chat.js';
import { Group } from '../groups/group.js';
import type { Network } from '../network.js';
import { vouched } from '../people/business.js';
import { type Device, deviceId } from '../registry.js';
import { type Stanza, stanza } from '../wire/stanza.js';

/** A message that its author has encrypted, once for each device. */
export interface Parcel {
  id: string;
  author: Device;
  /** The other side of the chat. */
  chat: Chat;
  /** The stanza's `type`: `text`, `media`, … */
  type: string;
  /** Attributes that travel along: `edit`, … */
  attrs?: Record<string, string>;
  /** Elements that travel along, beside the ciphertext. */
  extras?: Stanza[];
}

/** One device's copy. */
export interface Copy {
  to: Device;
  /** `<enc>`s: one, or in a group the group's key for this device and the message for everybody. */
  encs: Stanza[];
}

/** Hands one copy to its device: at once to a phone, by its mailbox to a linked device. */
export function hand(network: Network, parcel: Parcel, copy: Copy): void {
  const attrs = {
    id: parcel.id,
    ...wayAttrs(network, parcel, copy),
    type: parcel.type,
    t: String(network.now()),
    ...parcel.attrs,
  };
  const extras = [...(parcel.extras ?? []), ...vouched(parcel.author.account)].filter(
    (extra) => extra.tag !== 'device-identity' || opensSession(copy),
  );
  give(network, copy.to, stanza('message', attrs, [...copy.encs, ...extras]));
}

/** Brings a stanza to a device. */
export function give(network: Network, device: Device, letter: Stanza): void {
  if (device.companion) device.companion.mailbox.push(letter);
  else network.phone(device.account).accept(letter);
}

function opensSession(copy: Copy): boolean {
  return copy.encs.some(({ attrs }) => attrs.type === 'pkmsg');
}

/** Where a copy comes from, as its device sees it. */
function wayAttrs(network: Network, { author, chat }: Parcel, { to }: Copy): Record<string, string> {
  if (chat instanceof Group) return groupAttrs(network, author, chat);
  return to.account === author.account ? echoAttrs(network, author, chat) : inboundAttrs(network, author);
}

/** How members see the author. */
function groupAttrs(network: Network, author: Device, group: Group): Record<string, string> {
  const { account } = author;
  const mode = network.addressing;
  const attrs = {
    from: group.jid(),
    participant: account.jid(mode, deviceId(author)),
    addressing_mode: mode,
    notify: account.record.name,
  };
  const names = account.record.username && { participant_username: account.record.username };
  if (account.record.hideLid) return { ...attrs, ...names };
  return mode === 'lid'
    ? { ...attrs, ...names, participant_pn: account.jid('pn') }
    : { ...attrs, ...names, participant_lid: account.jid('lid') };
}

/** How others see the author. */
function inboundAttrs(network: Network, author: Device): Record<string, string> {
  const { account } = author;
  const { hideLid, name } = account.record;
  const mode = hideLid ? 'pn' : network.addressing;
  const attrs = { from: account.jid(mode, deviceId(author)), addressing_mode: mode, notify: name };
  if (hideLid) return attrs;
  return mode === 'lid'
    ? { ...attrs, sender_pn: account.jid('pn') }
    : { ...attrs, sender_lid: account.jid('lid') };
}

/** How the author's own other devices see it: from themselves, with the chat beside it. */
function echoAttrs(network: Network, author: Device, partner: Account): Record<string, string> {
  const { hideLid, username } = partner.record;
  const mode = hideLid ? 'pn' : network.addressing;
  const attrs = {
    from: author.account.jid(mode, deviceId(author)),
    recipient: partner.jid(mode),
    addressing_mode: mode,
    ...(username && { peer_recipient_username: username }),
  };
  if (hideLid) return attrs;
  return mode === 'lid'
    ? { ...attrs, peer_recipient_pn: partner.jid('pn') }
    : { ...attrs, peer_recipient_lid: partner.jid('lid') };
}
