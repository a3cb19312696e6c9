import { proto } from '@whiskeysockets/baileys';
import { unwrap } from '../../kinds/unwrap.js';
import type { Account } from '../account.js';
import type { Network } from '../network.js';
import { parseDeviceJid } from '../wire/jid.js';
import { bytesOf, childrenOf, type Stanza } from '../wire/stanza.js';
import { sealedForCrowd, takeCrowdKey } from './crowd-key.js';
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
  const author = network.registry.byJid(authorJid(letter));
  const address = sessionAddress(network, authorJid(letter));
  if (!author || !address) throw new Error('a message from nobody');
  const [encs, extras] = split(letter);
  let message: proto.IMessage = {};
  const read = async (enc: Stanza) => {
    const part = proto.Message.decode(unpad(await decrypt(phone, letter, address, enc)));
    await takeKey(phone, address, part);
    message = { ...message, ...part };
  };
  for (const enc of encs) {
    const sealed = sealedForCrowd(network, letter, encs, enc);
    if (sealed)
      await takeCrowdKey(network, phone, { group: from ?? '', sender: address }, { enc, sealed }, read);
    else await read(enc);
  }
  const own = author === phone.account ? destination(network, letter, message) : author;
  const partner = network.groups.byJid(from) ?? own;
  const { senderKeyDistributionMessage: _, ...shown } = withoutEnvelope(message);
  if (!partner || isSilent(shown)) return undefined;
  return interpret(network, shown, { messageId: id, author, partner, phone, timestamp: Number(t), extras });
}

/** Who wrote a message: in groups that is told beside the group. */
export function authorJid({ attrs }: Stanza): string | undefined {
  return attrs.participant ?? attrs.from;
}

function decrypt(phone: Phone, { attrs }: Stanza, address: string, enc: Stanza): Promise<Buffer> {
  const { type } = enc.attrs;
  if (type === 'skmsg')
    return phone.groupKeys.open({ group: attrs.from ?? '', sender: address }, bytesOf(enc));
  if (type === 'pkmsg' || type === 'msg') return phone.signal.decrypt(address, type, bytesOf(enc));
  throw new Error(`unknown encryption ${type}`);
}

/** Takes the key of a group that its author gives to this phone. */
async function takeKey(phone: Phone, sender: string, part: proto.IMessage): Promise<void> {
  const { groupId, axolotlSenderKeyDistributionMessage: key } =
    withoutEnvelope(part).senderKeyDistributionMessage ?? {};
  if (groupId && key) await phone.groupKeys.learn({ group: groupId, sender }, key);
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

/** The network pads with 1 to 16 bytes that each say how many they are. */
function unpad(plain: Buffer): Buffer {
  return plain.subarray(0, plain.length - (plain.at(-1) ?? 0));
}
