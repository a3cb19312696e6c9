import { proto } from '@whiskeysockets/baileys';
import { deliver } from '../routing/deliver.js';
import { routeReceipt } from '../routing/receipts.js';
import { type Bundle, bundleElements, readRetryBundle } from '../signal/prekeys.js';
import { Account, type Device } from '../state/account.js';
import type { Chat } from '../state/directory.js';
import { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { StatusFeed } from '../state/status-feed.js';
import { Refusal } from '../wire/refusals.js';
import { child, type Stanza, stanza, uintBytes } from '../wire/stanza.js';
import type { PhoneMemory } from './memory.js';
import { authorJid } from './open-message.js';
import { deviceSent, encryptFor, keyMessage, stanzaParts } from './write.js';

/** Retries per message, on either side. */
const MAX_RETRIES = 5;
/** From this retry on a phone brings keys for a new session (whatsmeow `retry.go`, whatsapp-rust `MIN_RETRY_COUNT_FOR_KEYS`). */
const KEYS_FROM_RETRY = 2;

/** A device could not decrypt a message of this phone: encrypts it again in a new session, under the same id. */
export async function answerRetry(network: Network, phone: PhoneMemory, receipt: Stanza): Promise<void> {
  const { id = '' } = receipt.attrs;
  const to = network.directory.device(authorJid(receipt));
  const stored = phone.sent(id);
  const count = child(receipt, 'retry')?.attrs.count ?? '1';
  const chat = stored && network.directory.chat(stored.to);
  if (!to || !stored?.fromMe || !chat || Number(count) > MAX_RETRIES) return;
  const content = await contentFor(phone, to, chat, proto.Message.decode(stored.source));
  const { shape = { type: 'text' } } = stored;
  const bundle = readRetryBundle(receipt) ?? fetchBundle(network, to);
  if (!bundle) return;
  const enc = await encryptFor(network, phone, to, content, { attrs: shape.enc, retry: { count, bundle } });
  const { timestamp } = stored;
  const parts = stanzaParts(shape, stored.source);
  deliver(
    network,
    { id, author: { account: phone.account }, chat, timestamp, ...parts },
    { to, encs: [enc] },
  );
}

/** The keys of a device as the server has them. */
function fetchBundle(network: Network, to: Device): Bundle | undefined {
  if (to.companion && network.faults.take('no-keys', to.account)) return undefined;
  return network.takeBundle(to);
}

/**
 * Encrypts a message of this phone once more for the linked devices of the others in its chat, under the same id.
 * @throws Refusal 404 when the phone has not written such a message
 */
export async function repeatMessage(network: Network, phone: PhoneMemory, id: string): Promise<void> {
  const stored = phone.sent(id);
  const chat = stored && network.directory.chat(stored.to);
  if (!stored?.fromMe || !chat || chat instanceof StatusFeed)
    throw new Refusal('message_unknown', `the phone has written no message ${id}`);
  const message = proto.Message.decode(stored.source);
  const { timestamp, shape = { type: 'text' } } = stored;
  const outgoing = { id, author: { account: phone.account }, chat, timestamp, ...stanzaParts(shape) };
  for (const account of chat instanceof Group ? network.directory.membersOf(chat) : [chat]) {
    if (account === phone.account) continue;
    for (const companion of account.companions.values()) {
      const to = { account, companion };
      const content = await contentFor(phone, to, chat, message);
      deliver(network, outgoing, { to, encs: [await encryptFor(network, phone, to, content)] });
    }
  }
}

/** Adds the sender key of a group or the statuses, which the device may lack too, and the destination for own devices. */
async function contentFor(
  phone: PhoneMemory,
  to: Device,
  chat: Chat | StatusFeed,
  message: proto.IMessage,
): Promise<proto.IMessage> {
  if (!(chat instanceof Account)) return { ...message, ...(await keyMessage(phone, chat)) };
  return to.account === phone.account ? deviceSent(chat, message) : message;
}

/** This phone could not decrypt a message: asks the author to encrypt it again. */
export function askAgain(network: Network, phone: PhoneMemory, message: Stanza): void {
  const { id = '', from, participant, recipient, t } = message.attrs;
  const count = Number(child(message, 'enc')?.attrs.count ?? 0) + 1;
  if (count > MAX_RETRIES) return;
  const receipt = stanza('receipt', { id, to: from, participant, type: 'retry', recipient }, [
    stanza('retry', { count: String(count), id, t, v: '1' }),
    stanza('registration', {}, uintBytes(phone.account.record.keys.registrationId, 4)),
    ...(count >= KEYS_FROM_RETRY ? [stanza('keys', {}, bundleElements(phone.signal.takeBundle()))] : []),
  ]);
  routeReceipt(network, { account: phone.account }, receipt);
}
