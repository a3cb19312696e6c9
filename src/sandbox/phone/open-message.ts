import { proto } from '@whiskeysockets/baileys';
import { unwrap } from '../../domain/wrappers.js';
import type { KeyOwner } from '../signal/sender-keys.js';
import type { Account } from '../state/account.js';
import type { Network } from '../state/network.js';
import { bytesOf, childrenOf, parseDeviceJid, type Stanza } from '../wire/stanza.js';
import { type Interpreted, interpret } from './interpret.js';
import type { PhoneMemory } from './memory.js';
import { type ResendRequest, resendRequestIn } from './resend.js';

const { Type } = proto.Message.ProtocolMessage;
/** Contents that carry only keys or settings; phones do not show them. */
const SILENT = new Set<string>(['senderKeyDistributionMessage', 'messageContextInfo', 'protocolMessage']);
/** Protocol messages that a person causes. */
const PERSONAL = new Set<unknown>([Type.REVOKE, Type.MESSAGE_EDIT, Type.EPHEMERAL_SETTING]);

/**
 * Decrypts a message for a phone.
 * @returns undefined when there is nothing to show; a request of an own device is no message
 * @throws when decryption fails
 */
export async function openMessage(
  network: Network,
  phone: PhoneMemory,
  received: Stanza,
): Promise<Interpreted | ResendRequest | undefined> {
  const { id = '', from, t } = received.attrs;
  const author = network.directory.byJid(authorJid(received));
  const address = sessionAddress(network, authorJid(received));
  if (!author || !address) throw new Error('the author of the message is unknown');
  const [encs, extras] = split(received);
  let message: proto.IMessage = {};
  const read = async (enc: Stanza) => {
    const part = proto.Message.decode(unpad(await decrypt(phone, received, address, enc)));
    await takeKey(phone, address, part);
    message = { ...message, ...part };
  };
  for (const enc of encs) {
    const sealed = sharedMessageFor(network, received, encs, enc);
    if (sealed) await takeSharedKey(phone, { group: from ?? '', sender: address }, { enc, sealed }, read);
    else await read(enc);
  }
  const request = received.attrs.category === 'peer' && resendRequestIn(withoutEnvelope(message));
  const companion = network.directory.device(authorJid(received))?.companion;
  if (request && companion && author === phone.account) return { requestId: id, companion, request };
  const own = author === phone.account ? destination(network, received, message) : author;
  const partner = network.directory.shared(from) ?? own;
  const { senderKeyDistributionMessage: _, ...shown } = withoutEnvelope(message);
  if (!partner || isSilent(shown)) return undefined;
  return interpret(network, shown, {
    messageId: id,
    author,
    partner,
    owner: phone.account,
    timestamp: Number(t),
    extras,
  });
}

/** The author's jid; groups name the author in `participant`. */
export function authorJid({ attrs }: Stanza): string | undefined {
  return attrs.participant ?? attrs.from;
}

function decrypt(phone: PhoneMemory, { attrs }: Stanza, address: string, enc: Stanza): Promise<Buffer> {
  const { type } = enc.attrs;
  if (type === 'skmsg')
    return phone.groupKeys.open({ group: attrs.from ?? '', sender: address }, bytesOf(enc));
  if (type === 'pkmsg' || type === 'msg') return phone.signal.decrypt(address, type, bytesOf(enc));
  throw new Error(`unknown encryption ${type}`);
}

/** Learns the sender key that the author gives to this phone. */
async function takeKey(phone: PhoneMemory, sender: string, part: proto.IMessage): Promise<void> {
  const { groupId, axolotlSenderKeyDistributionMessage: key } =
    withoutEnvelope(part).senderKeyDistributionMessage ?? {};
  if (groupId && key) await phone.groupKeys.learn({ group: groupId, sender }, key);
}

/** The Signal address of a device, always by LID; undefined for unknown people. */
function sessionAddress(network: Network, jid: string | undefined): string | undefined {
  const account = network.directory.byJid(jid);
  return account && `${account.lid}.${parseDeviceJid(jid)?.device ?? 0}`;
}

function split(message: Stanza): [encs: Stanza[], extras: Stanza[]] {
  const parts = childrenOf(message);
  return [parts.filter(({ tag }) => tag === 'enc'), parts.filter(({ tag }) => tag !== 'enc')];
}

/** Unwraps a message of another own device; its secret may be outside of the wrapper. */
function withoutEnvelope(message: proto.IMessage): proto.IMessage {
  const inner = message.deviceSentMessage?.message;
  if (!inner) return message;
  const { messageContextInfo } = message;
  return inner.messageContextInfo || !messageContextInfo ? inner : { ...inner, messageContextInfo };
}

function isSilent(message: proto.IMessage): boolean {
  if (PERSONAL.has(unwrap(message).protocolMessage?.type)) return false;
  return Object.keys(message).every((key) => SILENT.has(key));
}

/** The recipient of a message that another own device sent. */
function destination(network: Network, received: Stanza, message: proto.IMessage): Account | undefined {
  const jid = message.deviceSentMessage?.destinationJid ?? received.attrs.recipient;
  return network.directory.byJid(jid);
}

/** Padding is 1 to 16 bytes, each with their number. */
function unpad(plain: Buffer): Buffer {
  return plain.subarray(0, plain.length - (plain.at(-1) ?? 0));
}

/** In larger groups only one phone decrypts a distributed sender key: all phones get the same key. */
const LARGE_GROUP = 32;

/**
 * The `skmsg` of a large group, when `enc` only distributes its sender key to one member.
 * @returns undefined for any other `<enc>`
 */
function sharedMessageFor(
  network: Network,
  { attrs }: Stanza,
  encs: Stanza[],
  enc: Stanza,
): Stanza | undefined {
  const isLarge = (network.directory.groups.byJid(attrs.from)?.size ?? 0) > LARGE_GROUP;
  return isLarge && enc.attrs.type !== 'skmsg' ? encs.find((one) => one.attrs.type === 'skmsg') : undefined;
}

/**
 * Learns a sender key that all members of a large group get: the first phone decrypts it, the others defer decryption
 * until they need the session.
 * @throws when the first phone cannot decrypt it
 */
async function takeSharedKey(
  phone: PhoneMemory,
  owner: KeyOwner,
  { enc, sealed }: { enc: Stanza; sealed: Stanza },
  read: (enc: Stanza) => Promise<void>,
): Promise<void> {
  const position = phone.groupKeys.keys.positionOf(bytesOf(sealed));
  if (await phone.groupKeys.keys.learnOnce(owner, position.keyId, () => read(enc))) return;
  phone.groupKeys.note(owner, position);
  phone.signal.defer(owner.sender, enc.attrs.type === 'pkmsg' ? 'pkmsg' : 'msg', bytesOf(enc));
}
