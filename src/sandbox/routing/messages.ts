import { LID_SERVER } from '../../domain/address.js';
import { routeChannelMessage } from '../channels/route.js';
import { hasBlocked } from '../people/blocks.js';
import { refuseWithoutToken } from '../people/tokens.js';
import type { Companion, Device } from '../state/account.js';
import { type Group, isGroupJid } from '../state/group.js';
import type { Network } from '../state/network.js';
import { CHANNEL_SERVER, child, childrenOf, STATUS_JID, type Stanza } from '../wire/stanza.js';
import { acknowledge } from './acknowledgement.js';
import { copiesForAll, type DeviceCopy, deliverCopies, forwardedParts } from './copies.js';
import type { OutgoingMessage } from './deliver.js';
import { routeStatus } from './statuses.js';

/** The ack error of a malformed stanza or fan-out. */
const MALFORMED = '479';
/** The ack error of a LID, for an account whose private chats have not been moved to LIDs (whatsapp-rust #943). */
const BAD_REQUEST = '400';
/** The ack error of what the sandbox does not play. */
const NOT_PLAYED = '501';
/** The ack error of an action that only group admins may take. */
const NOT_ALLOWED = '403';
/** The `edit` attribute of an admin's revoke of somebody's message. */
const ADMIN_REVOKE = '8';

/** Routes a message of a linked device: each copy goes to its device, and the author gets an ack. */
export function routeMessage(network: Network, companion: Companion, message: Stanza): void {
  const { id = '', to } = message.attrs;
  if (isGroupJid(to)) {
    const chat = network.directory.groups.byJid(to);
    answer(network, companion, message, { chat, error: routeGroupMessage(network, companion, message) });
    return;
  }
  if (message.attrs.to?.endsWith(CHANNEL_SERVER)) {
    const rejected = network.faults.take('reject-sends', companion.account);
    const routed = rejected ? { error: MALFORMED } : routeChannelMessage(network, companion, message);
    answer(network, companion, message, routed);
    return;
  }
  if (to === STATUS_JID) {
    answer(network, companion, message, { error: routeStatus(network, companion, message) });
    return;
  }
  const copies = readCopies(network, message);
  const error = refuse(network, companion, message, copies);
  if (error) {
    acknowledge(network, companion, message, { error });
    return;
  }
  const author = { account: companion.account, companion };
  const partner = partnerOf(network, companion, message) ?? companion.account;
  const outgoing: OutgoingMessage = {
    id,
    author,
    chat: partner,
    timestamp: network.now(),
    ...forwardedParts(message),
  };
  const allowed = copies.filter((copy) => isAllowed(network, companion, copy.to, to));
  deliverCopies(network, outgoing, partner.key, allowed);
  answer(network, companion, message, { chat: partner });
}

/** Sends the author the ack, or the negative ack with its error. */
function answer(
  network: Network,
  companion: Companion,
  message: Stanza,
  outcome: Parameters<typeof acknowledge>[3],
): void {
  if (outcome.error || !network.faults.take('drop-acks', companion.account))
    acknowledge(network, companion, message, outcome);
}

/** The error of the negative ack; undefined when the message is accepted. */
function refuse(
  network: Network,
  companion: Companion,
  message: Stanza,
  copies: DeviceCopy[],
): string | undefined {
  // broadcast lists of clients
  if (message.attrs.to?.endsWith('@broadcast')) return NOT_PLAYED;
  if (network.faults.take('reject-sends', companion.account) || copies.length === 0) return MALFORMED;
  if (message.attrs.to?.endsWith(`@${LID_SERVER}`) && network.faults.take('no-lid-chats', companion.account))
    return BAD_REQUEST;
  // private chats have no admins
  if (message.attrs.edit === ADMIN_REVOKE) return NOT_ALLOWED;
  const partner = partnerOf(network, companion, message);
  const restricted = partner && refuseWithoutToken(network, companion, partner, message);
  if (restricted) return restricted;
  return refuseButtons(message);
}

/** One copy per device in `<participants>`, or one `<enc>` for the device in `to`. Skips unknown devices. */
function readCopies(network: Network, message: Stanza): DeviceCopy[] {
  const direct = child(message, 'enc');
  const parts = direct
    ? [{ jid: message.attrs.to, enc: direct }]
    : childrenOf(child(message, 'participants')).map((part) => ({
        jid: part.attrs.jid,
        enc: child(part, 'enc'),
      }));
  return parts.flatMap(({ jid, enc }) => {
    const to = network.directory.device(jid);
    return to && enc ? [{ to, encs: [enc] }] : [];
  });
}

/** The partner of the chat. A retry for an own device names the partner in `recipient`, or not at all. */
function partnerOf(network: Network, companion: Companion, message: Stanza) {
  const { to, recipient, id = '' } = message.attrs;
  const addressee = network.directory.byJid(recipient ?? to);
  if (addressee && (recipient || addressee !== companion.account)) return addressee;
  const logged = network.sentLog(companion.account).partnerOf(id);
  return logged === undefined ? addressee : network.directory.byKey(logged);
}

/** Copies may only go to the author's other devices, and to the addressee's devices unless the addressee blocks the author. */
function isAllowed(
  network: Network,
  companion: Companion,
  to: Device,
  addressee: string | undefined,
): boolean {
  if (to.companion === companion) return false;
  if (to.account === companion.account) return true;
  return to.account === network.directory.byJid(addressee) && !hasBlocked(to.account, companion.account);
}

const NOT_FOUND = '404';
/** For former members. */
const NO_MORE_MEMBER = '401';

/**
 * Routes a group message of a linked device to all devices of the members, with the sender key for the devices that
 * the author gives it to. A copy that answers a retry goes only to the device that asked.
 * @returns the error of the negative ack; undefined when the message was delivered
 */
function routeGroupMessage(network: Network, companion: Companion, message: Stanza): string | undefined {
  const group = network.directory.groups.byJid(message.attrs.to);
  if (!group) return NOT_FOUND;
  // what the network answers a message to a community itself is not known
  if (group.record.community) return NOT_PLAYED;
  const copies = readGroupCopies(network, companion, group, message);
  const error = refuseGroupMessage(network, companion, group, message) ?? (copies ? undefined : MALFORMED);
  if (error || !copies) return error;
  const { id = '' } = message.attrs;
  const outgoing: OutgoingMessage = {
    id,
    author: { account: companion.account, companion },
    chat: group,
    timestamp: network.now(),
    ...forwardedParts(message),
  };
  deliverCopies(network, outgoing, group.chatId, copies);
  return undefined;
}

function refuseGroupMessage(
  network: Network,
  companion: Companion,
  group: Group,
  message: Stanza,
): string | undefined {
  const { account } = companion;
  if (network.faults.take('reject-sends', account)) return MALFORMED;
  if (!group.has(account)) return group.hasLost(account) ? NO_MORE_MEMBER : NOT_ALLOWED;
  const isForAdmins = message.attrs.edit === ADMIN_REVOKE || (group.record.announce && !isReaction(message));
  if (isForAdmins && !group.isAdmin(account)) return NOT_ALLOWED;
  return refuseButtons(message);
}

/** In groups where only admins may write, everybody may still react. */
function isReaction({ attrs }: Stanza): boolean {
  return attrs.type === 'reaction';
}

/** Undefined when the stanza is malformed. */
function readGroupCopies(
  network: Network,
  companion: Companion,
  group: Group,
  message: Stanza,
): DeviceCopy[] | undefined {
  const enc = child(message, 'enc');
  const participants = child(message, 'participants');
  if (!enc || (participants && childrenOf(participants).length === 0)) return undefined;
  if (message.attrs.participant !== undefined) {
    const to = network.directory.device(message.attrs.participant);
    return to && group.has(to.account) ? [{ to, encs: [enc] }] : [];
  }
  return copiesForAll(network, companion, network.directory.membersOf(group), message);
}

/** The ack error of legacy buttons, which the real network refuses today. */
const OLD_BUTTONS_REFUSED = '405';

/**
 * Checks the `<biz>` element that makes phones show buttons: legacy buttons and an `<interactive>` without
 * `<native_flow>` are refused.
 * @returns the error of the negative ack; undefined when the message is accepted
 */
function refuseButtons(message: Stanza): string | undefined {
  const biz = child(message, 'biz');
  if (child(biz, 'buttons')) return OLD_BUTTONS_REFUSED;
  const interactive = child(biz, 'interactive');
  return interactive && !child(interactive, 'native_flow') ? MALFORMED : undefined;
}
