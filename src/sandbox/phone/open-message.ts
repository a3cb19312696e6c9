import { proto } from '@whiskeysockets/baileys';
import { unwrap } from '../../kinds/unwrap.js';
import type { Account } from '../account.js';
import type { Network } from '../network.js';
import type { CipherType } from '../signal/signal-device.js';
import { parseDeviceJid } from '../wire/jid.js';
import { bytesOf, childrenOf, type Stanza } from '../wire/stanza.js';
import { readContent } from './content/index.js';
import { findContextInfo } from './context-info.js';
import type { HeldMessage } from './held-messages.js';
import type { Phone } from './phone.js';

/** Contents that only carry keys or settings: nothing that a phone would show. */
const SILENT = new Set<string>(['senderKeyDistributionMessage', 'messageContextInfo', 'protocolMessage']);

/**
 * Decrypts a message for a phone.
 * @returns undefined when there is nothing to show.
 * @throws when it cannot be decrypted.
 */
export async function openMessage(
  network: Network,
  phone: Phone,
  letter: Stanza,
): Promise<HeldMessage | undefined> {
  const { id = '', from, t } = letter.attrs;
  const author = network.registry.byJid(from);
  const address = sessionAddress(network, from);
  if (!author || !address) throw new Error('a message from nobody');
  let message: proto.IMessage = {};
  for (const enc of childrenOf(letter).filter((element) => element.tag === 'enc')) {
    const plain = await phone.signal.decrypt(address, cipherType(enc), bytesOf(enc));
    message = { ...message, ...proto.Message.decode(unpad(plain)) };
  }
  const partner = author === phone.account ? destination(network, letter, message) : author;
  const shown = message.deviceSentMessage?.message ?? message;
  if (!partner || Object.keys(shown).every((key) => SILENT.has(key))) return undefined;
  return describe(network, shown, { messageId: id, author, partner, phone, timestamp: Number(t) });
}

/** The address of a device's Signal session: phones use hidden ids only. Undefined for unknown people. */
export function sessionAddress(network: Network, jid: string | undefined): string | undefined {
  const account = network.registry.byJid(jid);
  return account && `${account.lid}.${parseDeviceJid(jid)?.device ?? 0}`;
}

/** A message as the phone keeps and shows it. */
export function describe(
  network: Network,
  message: proto.IMessage,
  about: { messageId: string; author: Account; partner: Account; phone: Phone; timestamp: number },
): HeldMessage {
  const { messageId, author, partner, phone, timestamp } = about;
  const fromMe = author === phone.account;
  const visible = unwrap(message);
  const info = findContextInfo(visible);
  const mentions = (info?.mentionedJid ?? []).map((jid) => network.registry.byJid(jid)?.number ?? jid);
  return {
    messageId,
    from: author.number,
    to: fromMe ? partner.number : phone.account.number,
    fromMe,
    ...readContent(visible),
    ...(info?.stanzaId && { quotedMessageId: info.stanzaId }),
    mentions,
    forwarded: info?.isForwarded ?? false,
    edited: false,
    revoked: false,
    reactions: {},
    timestamp,
    source: Buffer.from(proto.Message.encode(message).finish()),
  };
}

/** To whom an own message went that another own device sent. */
function destination(network: Network, letter: Stanza, message: proto.IMessage): Account | undefined {
  const jid = message.deviceSentMessage?.destinationJid ?? letter.attrs.recipient;
  return network.registry.byJid(jid);
}

function cipherType(enc: Stanza): CipherType {
  const { type } = enc.attrs;
  if (type !== 'pkmsg' && type !== 'msg') throw new Error(`unknown encryption ${type}`);
  return type;
}

/** The network pads with 1 to 16 bytes that each say how many they are. */
function unpad(plain: Buffer): Buffer {
  return plain.subarray(0, plain.length - (plain.at(-1) ?? 0));
}
