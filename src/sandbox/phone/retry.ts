import { proto } from '@whiskeysockets/baileys';
import type { Network } from '../network.js';
import { readRetryBundle } from '../prekeys.js';
import { hand } from '../routing/fan-out.js';
import { routeReceipt } from '../routing/receipts.js';
import { child, type Stanza, stanza, uintBytes } from '../wire/stanza.js';
import { deviceSent, encryptFor } from './encrypt.js';
import type { Phone } from './phone.js';
import { parcelShape } from './write.js';

/** After so many attempts a message is given up, on either side. */
const MAX_RETRIES = 5;

/** A device could not read a message of this phone: it is encrypted again, in a new session, under the same id. */
export async function answerRetry(network: Network, phone: Phone, receipt: Stanza): Promise<void> {
  const { id = '', from } = receipt.attrs;
  const to = network.registry.device(from);
  const held = phone.sent(id);
  const count = child(receipt, 'retry')?.attrs.count ?? '1';
  const partner = held && network.registry.byNumber(held.to);
  if (!to || !held?.fromMe || !partner || Number(count) > MAX_RETRIES) return;
  const message = proto.Message.decode(held.source);
  const content = to.account === phone.account ? deviceSent(partner, message) : message;
  const { shape = { type: 'text' } } = held;
  const bundle = readRetryBundle(receipt) ?? network.takeBundle(to);
  const enc = await encryptFor(network, phone, to, content, { attrs: shape.enc, retry: { count, bundle } });
  hand(network, { id, author: { account: phone.account }, partner, ...parcelShape(shape) }, { to, enc });
}

/** This phone could not read a message: its author is asked to encrypt it again. */
export function askAgain(network: Network, phone: Phone, letter: Stanza): void {
  const { id = '', from, recipient, t } = letter.attrs;
  const count = Number(child(letter, 'enc')?.attrs.count ?? 0) + 1;
  if (count > MAX_RETRIES) return;
  const receipt = stanza('receipt', { id, to: from, type: 'retry', recipient }, [
    stanza('retry', { count: String(count), id, t, v: '1' }),
    stanza('registration', {}, uintBytes(phone.account.record.keys.registrationId, 4)),
  ]);
  routeReceipt(network, { account: phone.account }, receipt);
}
