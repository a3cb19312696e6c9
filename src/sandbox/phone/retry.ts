import { proto } from '@whiskeysockets/baileys';
import type { Chat } from '../chat.js';
import { Group } from '../groups/group.js';
import type { Network } from '../network.js';
import { readRetryBundle } from '../prekeys.js';
import type { Device } from '../registry.js';
import { hand } from '../routing/fan-out.js';
import { routeReceipt } from '../routing/receipts.js';
import { child, type Stanza, stanza, uintBytes } from '../wire/stanza.js';
import { deviceSent, encryptFor } from './encrypt.js';
import { authorJid } from './open-message.js';
import type { Phone } from './phone.js';
import { parcelShape } from './write.js';
import { keyMessage } from './write-group.js';

/** After so many attempts a message is given up, on either side. */
const MAX_RETRIES = 5;

/** A device could not read a message of this phone: it is encrypted again, in a new session, under the same id. */
export async function answerRetry(network: Network, phone: Phone, receipt: Stanza): Promise<void> {
  const { id = '' } = receipt.attrs;
  const to = network.registry.device(authorJid(receipt));
  const held = phone.sent(id);
  const count = child(receipt, 'retry')?.attrs.count ?? '1';
  const chat = held && network.chat(held.to);
  if (!to || !held?.fromMe || !chat || Number(count) > MAX_RETRIES) return;
  const content = await contentFor(phone, to, chat, proto.Message.decode(held.source));
  const { shape = { type: 'text' } } = held;
  const bundle = readRetryBundle(receipt) ?? network.takeBundle(to);
  const enc = await encryptFor(network, phone, to, content, { attrs: shape.enc, retry: { count, bundle } });
  const parcel = { id, author: { account: phone.account }, chat, ...parcelShape(shape) };
  hand(network, parcel, { to, encs: [enc] });
}

/** In a group a device that asks may lack the phone's key too; own devices are told where a message went. */
async function contentFor(
  phone: Phone,
  to: Device,
  chat: Chat,
  message: proto.IMessage,
): Promise<proto.IMessage> {
  if (chat instanceof Group) return { ...message, ...(await keyMessage(phone, chat)) };
  return to.account === phone.account ? deviceSent(chat, message) : message;
}

/** This phone could not read a message: its author is asked to encrypt it again. */
export function askAgain(network: Network, phone: Phone, letter: Stanza): void {
  const { id = '', from, participant, recipient, t } = letter.attrs;
  const count = Number(child(letter, 'enc')?.attrs.count ?? 0) + 1;
  if (count > MAX_RETRIES) return;
  const receipt = stanza('receipt', { id, to: from, participant, type: 'retry', recipient }, [
    stanza('retry', { count: String(count), id, t, v: '1' }),
    stanza('registration', {}, uintBytes(phone.account.record.keys.registrationId, 4)),
  ]);
  routeReceipt(network, { account: phone.account }, receipt);
}
