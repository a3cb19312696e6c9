import { encodeWAMessage, proto } from '@whiskeysockets/baileys';
import type { ChannelPost } from '../../contract/sandbox/index.js';
import { type Account, type Companion, deviceRow } from '../state/account.js';
import type { Network } from '../state/network.js';
import { CHANNEL_SERVER, STATUS_JID, type Stanza, stanza } from '../wire/stanza.js';
import type { PhoneMemory } from './memory.js';
import { encryptFor, wrapKey } from './write.js';

const ENC_VERSION = '2';
const DEFAULT_CHANNEL = '120363000000000001';
/** Statuses have one sender key for all; nobody leaves them. */
const EPOCH = 0;

/**
 * The person posts a status: one ciphertext for all linked devices of the other people, with the sender key for those
 * that lack it. Other people's phones show no statuses.
 * @returns the message's id
 */
export async function postStatus(network: Network, phone: PhoneMemory, text: string): Promise<string> {
  const id = network.newMessageId();
  const { account: author, groupKeys } = phone;
  const devices = [...network.directory.accounts]
    .filter((account) => account !== author)
    .flatMap((account) => [...account.companions.values()].map((companion) => ({ account, companion })));
  const lacking = devices.filter((to) => groupKeys.give(STATUS_JID, EPOCH, deviceRow(to)));
  const key = wrapKey({ chatId: STATUS_JID }, await groupKeys.distribution(STATUS_JID));
  const plain = encodeWAMessage({ extendedTextMessage: { text } });
  const post = await groupKeys.seal(STATUS_JID, plain);
  for (const to of devices) {
    const keys = lacking.includes(to) ? [await encryptFor(network, phone, to, key)] : [];
    const enc = stanza('enc', { v: ENC_VERSION, type: 'skmsg' }, post);
    network.give(to, stanza('message', statusAttrs(network, author, id), [...keys, enc]));
  }
  return id;
}

function statusAttrs(network: Network, author: Account, id: string): Record<string, string> {
  return {
    id,
    from: STATUS_JID,
    participant: author.privateJid(network.addressing),
    notify: author.record.name,
    type: 'text',
    t: String(network.now()),
  };
}

/**
 * A channel that the person follows writes: not encrypted, to all linked devices of the person.
 * @returns the message's id
 */
export function postInChannel(
  network: Network,
  { companions }: { companions: ReadonlyMap<number, Companion> },
  { text, channel = DEFAULT_CHANNEL }: ChannelPost,
): string {
  const id = network.newMessageId();
  const attrs = { id, from: `${channel}${CHANNEL_SERVER}`, type: 'text', t: String(network.now()) };
  const plain: Stanza = stanza('plaintext', {}, encodeChannelPost(text));
  for (const { mailbox } of companions.values()) {
    mailbox.push(stanza('message', { ...attrs, server_id: String(network.now()) }, [plain]));
  }
  return id;
}

/** Without the padding of encrypted messages. */
function encodeChannelPost(text: string): Uint8Array {
  return proto.Message.encode({ conversation: text }).finish();
}
