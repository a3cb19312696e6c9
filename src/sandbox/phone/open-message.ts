import { proto } from '@whiskeysockets/baileys';
import { unwrap } from '../../kinds/unwrap.js';
import type { Account } from '../account.js';
import type { Network } from '../network.js';
import type { CipherType } from '../signal/signal-device.js';
import { parseDeviceJid } from '../wire/jid.js';
import { bytesOf, childrenOf, type Stanza } from '../wire/stanza.js';
import { type Interpreted, interpret } from './interpret.js';
import type { Phone } from './phone.js';

const { Type } = proto.Message.ProtocolMessage;
/** Contents that only carry keys or settings: nothing that a phone would show. */
const SILENT = new Set<string>(['senderKeyDistributionMessage', 'messageContextInfo', 'protocolMessage']);
/** What people do to messages comes in the protocol's own content. */
const PERSONAL = new Set<unknown>([Type.REVOKE, Type.MESSAGE_EDIT]);

/**
 * Decrypts a message for a phone.
 * @returns undefined when there is nothing to show.
 * @throws when it cannot be decrypted.
 */
export async function openMessage(
  network: Network,
  phone: Phone,
  letter: Stanza,
): Promise<Interpreted | undefined> {
  const { id = '', from, t } = letter.attrs;
  const author = network.registry.byJid(from);
  const address = sessionAddress(network, from);
  if (!author || !address) throw new Error('a message from nobody');
  const [encs, extras] = split(letter);
  let message: proto.IMessage = {};
  for (const enc of encs) {
    const plain = await phone.signal.decrypt(address, cipherType(enc), bytesOf(enc));
    message = { ...message, ...proto.Message.decode(unpad(plain)) };
  }
  const partner = author === phone.account ? destination(network, letter, message) : author;
  const shown = withoutEnvelope(message);
  if (!partner || isSilent(shown)) return undefined;
  return interpret(network, shown, { messageId: id, author, partner, phone, timestamp: Number(t), extras });
}

/** The address of a device's Signal session: phones use hidden ids only. Undefined for unknown people. */
export function sessionAddress(network: Network, jid: string | undefined): string | undefined {
  const account = network.registry.byJid(jid);
  return account && `${account.lid}.${parseDeviceJid(jid)?.device ?? 0}`;
}

function split(letter: Stanza): [encs: Stanza[], extras: Stanza[]] {
  const parts = childrenOf(letter);
  return [parts.filter(({ tag }) => tag === 'enc'), parts.filter(({ tag }) => tag !== 'enc')];
}

/** What another own device sent comes with its destination around it; its secret may stand outside. */
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
