import { encodeWAMessage, proto } from '@whiskeysockets/baileys';
import type { WriteRequest } from '../../contract/sandbox/index.js';
import { hasBlocked } from '../people/blocks.js';
import { renewToken } from '../people/tokens.js';
import { deliver, type OutgoingMessage } from '../routing/deliver.js';
import type { Bundle } from '../signal/prekeys.js';
import type { Distribution } from '../signal/sender-keys.js';
import { type Account, type Device, deviceId, deviceRow, devicesOf } from '../state/account.js';
import type { Chat } from '../state/directory.js';
import { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import type { StatusFeed } from '../state/status-feed.js';
import { Refusal } from '../wire/refusals.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import type { Composed, Writing } from './content/content.js';
import { WRITERS } from './content/index.js';
import { interpret } from './interpret.js';
import type { PhoneMemory } from './memory.js';
import { newSecret } from './message-secret.js';
import type { StanzaShape } from './phone-messages.js';
import { composeContext, type Expiry, findContextInfo } from './targets.js';

/**
 * Writes a message: encrypts it for every device of the partner and for the author's linked devices.
 * @returns the message's id
 * @throws Refusal when the partner, a mentioned person or a referenced message is unknown
 */
export async function writeMessage(
  network: Network,
  phone: PhoneMemory,
  request: WriteRequest,
): Promise<string> {
  const partner = network.directory.requireChat(request.to);
  const { account: author, messages } = phone;
  const contextInfo = composeContext({ network, messages }, request, expiryOf(phone, partner, request));
  const composed = await compose(request, { network, author, messages, partner, contextInfo });
  const message = seal(composed.message);
  const shape = { ...composed.shape, ...(request.deviceCopy && { deviceCopy: request.deviceCopy }) };
  if (partner instanceof Group) requireWriter(partner, author, shape);
  const messageId = network.newMessageId();
  const timestamp = network.now();
  const outgoing = {
    id: messageId,
    author: { account: author },
    timestamp,
    ...stanzaParts(shape, encode(message)),
  };
  const about = { messageId, author, owner: author, partner, timestamp, shape };
  phone.take(interpret(network, message, about));
  if (partner instanceof Group) {
    const { epoch } = partner.record;
    const readers = { people: network.directory.membersOf(partner), epoch };
    await sendToAll(network, phone, { ...outgoing, chat: partner }, message, { shape, ...readers });
  } else {
    await sendToPerson(network, phone, { ...outgoing, chat: partner }, message, shape);
    renewToken(network, author, partner);
  }
  return messageId;
}

/** @param plain the encoded message; without it every device gets a readable copy */
export function stanzaParts(
  { type, attrs, extras, deviceCopy: kind }: StanzaShape,
  plain?: Uint8Array,
): Pick<OutgoingMessage, 'type' | 'attrs' | 'extras' | 'deviceCopy'> {
  const deviceCopy = kind && plain && { kind, plain };
  return { type, ...(attrs && { attrs }), ...(extras && { extras }), ...(deviceCopy && { deviceCopy }) };
}

function encode(message: proto.IMessage): Uint8Array {
  return proto.Message.encode(message).finish();
}

async function sendToPerson(
  network: Network,
  phone: PhoneMemory,
  outgoing: OutgoingMessage & { chat: Account },
  message: proto.IMessage,
  { enc: encAttrs }: StanzaShape,
): Promise<void> {
  const { chat: partner } = outgoing;
  const echo = deviceSent(partner, message);
  const isReached = partner !== phone.account && !hasBlocked(partner, phone.account);
  const others = isReached ? devicesOf(partner) : [];
  for (const to of others) {
    deliver(network, outgoing, {
      to,
      encs: [await encryptFor(network, phone, to, message, { attrs: encAttrs })],
    });
  }
  for (const companion of phone.account.companions.values()) {
    const to = { account: phone.account, companion };
    deliver(network, outgoing, {
      to,
      encs: [await encryptFor(network, phone, to, echo, { attrs: encAttrs })],
    });
  }
}

/** The chat's expiry, or the author's own one in a new private chat, unless the request sets another. */
function expiryOf(
  { account, partners, timers }: PhoneMemory,
  chat: Chat,
  { ephemeral }: WriteRequest,
): Expiry | undefined {
  if (ephemeral !== undefined) return { seconds: ephemeral };
  if (chat instanceof Group) return { seconds: chat.record.ephemeral, setAt: chat.record.ephemeralAt };
  const { duration: seconds = 0, at: setAt } = account.record.disappearing ?? {};
  return timers.get(chat.chatId) ?? (partners.has(chat) ? undefined : { seconds, setAt });
}

export async function compose(request: WriteRequest, writing: Writing): Promise<Composed> {
  const writer = WRITERS.find(({ key }) => request[key] !== undefined);
  const composed = await writer?.compose(request, writing);
  if (!composed) throw new Refusal('invalid_request', 'the message has no content');
  return composed;
}

/**
 * Adds the message secret, which later votes and edits are encrypted with, and the wrapper of an expiring message. Changes of
 * messages do not expire.
 */
export function seal(content: proto.IMessage): proto.IMessage {
  const { messageContextInfo, ...message } = content;
  return {
    ...(findContextInfo(message)?.expiration ? { ephemeralMessage: { message } } : message),
    messageContextInfo: { messageSecret: newSecret(), ...messageContextInfo },
  };
}

/** @throws Refusal 403 when the person may not write such a message to the group */
function requireWriter(group: Group, account: Account, { type }: StanzaShape): void {
  if (!group.has(account))
    throw new Refusal('group_forbidden', `${account.number} is no member of ${group.chatId}`);
  const isForAdmins = group.record.announce && type !== 'reaction';
  if (isForAdmins && !group.isAdmin(account))
    throw new Refusal('group_forbidden', `only admins may write to ${group.chatId}`);
}

/**
 * Encrypts a message once for all devices of people, and the phone's sender key for the devices that lack it.
 * @param epoch another one makes a new sender key
 */
export async function sendToAll(
  network: Network,
  phone: PhoneMemory,
  outgoing: OutgoingMessage & { chat: Group | StatusFeed },
  message: proto.IMessage,
  { shape, people, epoch }: { shape: StanzaShape; people: readonly Account[]; epoch: number },
): Promise<void> {
  const { chat } = outgoing;
  const targets = people
    .flatMap(devicesOf)
    .filter(({ account, companion }) => account !== phone.account || companion);
  const lacking = new Set(targets.filter((to) => phone.groupKeys.give(chat.chatId, epoch, deviceRow(to))));
  const key = await phone.groupKeys.distribution(chat.chatId);
  const ciphertext = await phone.groupKeys.seal(chat.chatId, encodeWAMessage(message));
  const enc = stanza('enc', { v: ENC_VERSION, type: 'skmsg', ...shape.enc }, ciphertext);
  for (const to of targets) {
    const keys = lacking.has(to) ? await giveKey(network, phone, chat, to, key) : [];
    deliver(network, outgoing, { to, encs: [...keys, enc] });
  }
}

/** The message that distributes the phone's sender key of a group, or of the statuses. */
export async function keyMessage(phone: PhoneMemory, chat: Group | StatusFeed): Promise<proto.IMessage> {
  return wrapKey(chat, await phone.groupKeys.distribution(chat.chatId));
}

/**
 * Gives a device the phone's sender key.
 * @returns the `<enc>` with the key; none for simulated phones, which get it directly: hundreds of sessions are slow
 */
async function giveKey(
  network: Network,
  phone: PhoneMemory,
  chat: Group | StatusFeed,
  to: Device,
  key: Distribution,
): Promise<Stanza[]> {
  if (to.companion) return [await encryptFor(network, phone, to, wrapKey(chat, key))];
  const owner = { group: chat.chatId, sender: phone.groupKeys.address };
  to.account.phone.noteGroupKey(owner, key.position);
  return [];
}

/** @param chatId jid of the group, or of the statuses */
function wrapKey({ chatId }: Group | StatusFeed, { bytes }: Distribution): proto.IMessage {
  return { senderKeyDistributionMessage: { groupId: chatId, axolotlSenderKeyDistributionMessage: bytes } };
}

const ENC_VERSION = '2';

/** The content for the author's own devices: the message and its destination. */
export function deviceSent(partner: Account, message: proto.IMessage): proto.IMessage {
  return { deviceSentMessage: { destinationJid: partner.privateJid('lid'), message } };
}

/** Encrypts for one device; starts a session when there is none, or to answer a retry. */
export async function encryptFor(
  network: Network,
  phone: PhoneMemory,
  to: Device,
  message: proto.IMessage,
  {
    attrs,
    retry,
  }: { attrs?: Record<string, string> | undefined; retry?: { count: string; bundle: Bundle } } = {},
): Promise<Stanza> {
  const address = `${to.account.lid}.${deviceId(to)}`;
  await phone.signal.catchUp(address);
  if (retry || !phone.signal.hasSession(address)) {
    await phone.signal.startSession(address, retry?.bundle ?? network.takeBundle(to));
  }
  const { type, ciphertext } = await phone.signal.encrypt(address, encodeWAMessage(message));
  return stanza('enc', { v: ENC_VERSION, type, count: retry?.count, ...attrs }, ciphertext);
}
