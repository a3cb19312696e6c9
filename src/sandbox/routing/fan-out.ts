import type { Account } from '../account.js';
import type { Network } from '../network.js';
import { type Device, deviceId } from '../registry.js';
import { type Stanza, stanza } from '../wire/stanza.js';

/** A message that its author has encrypted, once for each device. */
export interface Parcel {
  id: string;
  author: Device;
  /** The other side of the chat. */
  partner: Account;
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
  /** `<enc>` */
  enc: Stanza;
}

/** Hands one copy to its device: at once to a phone, by its mailbox to a linked device. */
export function hand(network: Network, parcel: Parcel, copy: Copy): void {
  const isOwn = copy.to.account === parcel.author.account;
  const attrs = {
    id: parcel.id,
    ...(isOwn ? echoAttrs(network, parcel) : inboundAttrs(network, parcel)),
    type: parcel.type,
    t: String(network.now()),
    ...parcel.attrs,
  };
  const extras = (parcel.extras ?? []).filter(
    (extra) => extra.tag !== 'device-identity' || opensSession(copy),
  );
  give(network, copy.to, stanza('message', attrs, [copy.enc, ...extras]));
}

/** Brings a stanza to a device. */
export function give(network: Network, device: Device, letter: Stanza): void {
  if (device.companion) device.companion.mailbox.push(letter);
  else network.phone(device.account).accept(letter);
}

function opensSession(copy: Copy): boolean {
  return copy.enc.attrs.type === 'pkmsg';
}

/** How others see the author. */
function inboundAttrs(network: Network, { author }: Parcel): Record<string, string> {
  const { account } = author;
  const from = account.jid(network.addressing, deviceId(author));
  const names = { addressing_mode: network.addressing, notify: account.record.name };
  return network.addressing === 'lid'
    ? { from, sender_pn: account.jid('pn'), ...names }
    : { from, sender_lid: account.jid('lid'), ...names };
}

/** How the author's own other devices see it: from themselves, with the chat beside it. */
function echoAttrs(network: Network, { author, partner }: Parcel): Record<string, string> {
  const mode = network.addressing;
  const attrs = {
    from: author.account.jid(mode, deviceId(author)),
    recipient: partner.jid(mode),
    addressing_mode: mode,
  };
  return mode === 'lid'
    ? { ...attrs, peer_recipient_pn: partner.jid('pn') }
    : { ...attrs, peer_recipient_lid: partner.jid('lid') };
}
