import { encodeWAMessage, type proto } from '@whiskeysockets/baileys';
import type { Account } from '../account.js';
import type { Network } from '../network.js';
import type { Bundle } from '../prekeys.js';
import { type Device, deviceId } from '../registry.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import type { Phone } from './phone.js';

const ENC_VERSION = '2';

/** What is encrypted for a device of the author's own: the message and where it went. */
export function deviceSent(partner: Account, message: proto.IMessage): proto.IMessage {
  return { deviceSentMessage: { destinationJid: partner.jid('lid'), message } };
}

/**
 * Encrypts for one device, with a new session when there is none or a bundle is given.
 * @param retry the count of the retry that this answers.
 */
export async function encryptFor(
  network: Network,
  phone: Phone,
  to: Device,
  message: proto.IMessage,
  retry?: { count: string; bundle: Bundle },
): Promise<Stanza> {
  const address = `${to.account.lid}.${deviceId(to)}`;
  if (retry || !phone.signal.hasSession(address)) {
    await phone.signal.startSession(address, retry?.bundle ?? network.takeBundle(to));
  }
  const { type, ciphertext } = await phone.signal.encrypt(address, encodeWAMessage(message));
  return stanza('enc', { v: ENC_VERSION, type, count: retry?.count }, ciphertext);
}
