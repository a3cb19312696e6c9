import { encodeWAMessage, type proto } from '@whiskeysockets/baileys';
import type { Account } from '../account.js';
import type { Network } from '../network.js';
import type { Bundle } from '../prekeys.js';
import { type Device, deviceId } from '../registry.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import type { Phone } from './phone.js';

export const ENC_VERSION = '2';

/** What is encrypted for a device of the author's own: the message and where it went. */
export function deviceSent(partner: Account, message: proto.IMessage): proto.IMessage {
  return { deviceSentMessage: { destinationJid: partner.privateJid('lid'), message } };
}

/** How a message is encrypted for a device. */
interface Encryption {
  /** Further attributes of the `<enc>`. */
  attrs?: Record<string, string> | undefined;
  /** The retry that this answers: its count, and the bundle that a new session is made with. */
  retry?: { count: string; bundle: Bundle };
}

/** Encrypts for one device, with a new session when there is none or a retry is answered. */
export async function encryptFor(
  network: Network,
  phone: Phone,
  to: Device,
  message: proto.IMessage,
  { attrs, retry }: Encryption = {},
): Promise<Stanza> {
  const address = `${to.account.lid}.${deviceId(to)}`;
  await phone.signal.catchUp(address);
  if (retry || !phone.signal.hasSession(address)) {
    await phone.signal.startSession(address, retry?.bundle ?? network.takeBundle(to));
  }
  const { type, ciphertext } = await phone.signal.encrypt(address, encodeWAMessage(message));
  return stanza('enc', { v: ENC_VERSION, type, count: retry?.count, ...attrs }, ciphertext);
}
