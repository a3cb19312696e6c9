import type { DeviceCopy } from '../../contract/sandbox/index.js';
import { Account, type Device, deviceId, verifiedName } from '../state/account.js';
import { type Chat, jidIn, jidOf } from '../state/directory.js';
import type { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import type { StatusFeed } from '../state/status-feed.js';
import { bytesOf, type Stanza, stanza } from '../wire/stanza.js';

/** A message that its author has encrypted, one copy per device. */
export interface OutgoingMessage {
  id: string;
  author: Device;
  chat: Chat | StatusFeed;
  /** The stanza's `type`: `text`, `media`, … */
  type: string;
  /** Seconds since the epoch; the same for all copies. */
  timestamp: number;
  /** Attributes that are forwarded: `edit`, … */
  attrs?: Record<string, string>;
  /** Elements that are forwarded beside the ciphertext. */
  extras?: Stanza[];
  /** What the linked devices of others get in place of a readable copy, and the content for it. */
  deviceCopy?: { kind: DeviceCopy; plain: Uint8Array };
}

/** One device's copy. */
export interface Copy {
  to: Device;
  /** One `<enc>`, or in a group the sender key for this device and the message for everybody. */
  encs: Stanza[];
}

/** Delivers one copy to its device. */
export function deliver(network: Network, outgoing: OutgoingMessage, copy: Copy): void {
  const attrs = {
    id: outgoing.id,
    ...originAttrs(network, outgoing, copy),
    type: outgoing.type,
    t: String(outgoing.timestamp),
    ...outgoing.attrs,
  };
  const extras = [...(outgoing.extras ?? []), ...verifiedName(outgoing.author.account)].filter(
    (extra) => extra.tag !== 'device-identity' || opensSession(copy),
  );
  const { author, chat } = outgoing;
  if (chat instanceof Account) network.stats.countContact(author.account, chat);
  network.give(copy.to, stanza('message', attrs, [...payload(outgoing, copy), ...extras]));
}

/** The elements with the content of a message. */
function payload({ author, deviceCopy }: OutgoingMessage, { to, encs }: Copy): Stanza[] {
  if (!deviceCopy || !to.companion || to.account === author.account) return encs;
  const { kind, plain } = deviceCopy;
  if (kind === 'plaintext') return [stanza('plaintext', {}, plain)];
  const isAgain = encs.some(({ attrs }) => attrs.count !== undefined);
  if (kind === 'damaged' || kind === 'damaged-for-good')
    return kind === 'damaged' && isAgain ? encs : encs.map(damage);
  return ABSENCES[kind];
}

/**
 * What stands for a copy that the device does not get: the official client knows the kinds by a `type`, by `hosted`, and by a
 * `<bot>` beside it (whatsapp-rust `message/receive.rs`, zapo `WaRetryCoordinator.ts`, whatsmeow `UnavailableType`).
 */
const ABSENCES = {
  unavailable: [stanza('unavailable')],
  'unavailable-view-once': [stanza('unavailable', { type: 'view_once' })],
  'unavailable-bot': [stanza('unavailable'), stanza('bot')],
  'unavailable-hosted': [stanza('unavailable', { hosted: 'true' })],
};

/** From the end of a ciphertext of any kind to a byte that its checksum or signature covers, or that is part of it. */
const DAMAGED_BYTE = 9;

/** Damages the message. A key for a group, which comes before the message, stays whole. */
function damage(enc: Stanza, place: number, encs: Stanza[]): Stanza {
  if (place < encs.length - 1) return enc;
  const bytes = Buffer.from(bytesOf(enc));
  const position = bytes.length - DAMAGED_BYTE;
  bytes.writeUInt8(bytes.readUInt8(position) ^ 1, position);
  return { ...enc, content: bytes };
}

function opensSession(copy: Copy): boolean {
  return copy.encs.some(({ attrs }) => attrs.type === 'pkmsg');
}

/** The attributes that name author and chat, as the receiving device sees them. */
function originAttrs(
  network: Network,
  { author, chat }: OutgoingMessage,
  { to }: Copy,
): Record<string, string> {
  if (!(chat instanceof Account)) return sharedAttrs(network, author, chat);
  return to.account === author.account ? echoAttrs(network, author, chat) : inboundAttrs(network, author);
}

/** As the members of a group, and the viewers of a status, see the author. */
function sharedAttrs(network: Network, author: Device, chat: Group | StatusFeed): Record<string, string> {
  const { account } = author;
  const mode = network.addressing;
  const attrs = {
    from: jidOf(chat, mode),
    participant: jidIn(chat, account, mode, deviceId(author)),
    addressing_mode: mode,
    notify: account.record.name,
  };
  const names = account.record.username && { participant_username: account.record.username };
  if (account.record.hideLid) return { ...attrs, ...names };
  return mode === 'lid'
    ? { ...attrs, ...names, participant_pn: account.jid('pn') }
    : { ...attrs, ...names, participant_lid: account.jid('lid') };
}

/** As the partner sees the author. */
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

/** As the author's other devices see it: from the author, with the partner beside. */
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
