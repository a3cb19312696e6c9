import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { unwrap } from '../../kinds/unwrap.js';
import type { Network } from '../network.js';
import { child, type Stanza, stanza } from '../wire/stanza.js';
import { uploadFile } from './media.js';
import { findMedia } from './media-part.js';
import type { Phone } from './phone.js';

const KEY_INFO = 'WhatsApp Media Retry Notification';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const { ResultType } = proto.MediaRetryNotification;

/** A linked device could not get a file any more: the phone uploads it again, if it still holds it, and says where. */
export async function answerMediaRetry(network: Network, phone: Phone, receipt: Stanza): Promise<void> {
  const { id = '', from } = receipt.attrs;
  const companion = network.registry.device(from)?.companion;
  if (companion?.account !== phone.account) return;
  const attrs = {
    id,
    type: 'mediaretry',
    from: phone.account.jid('pn'),
    t: String(network.now()),
  };
  const about = stanza('rmr', child(receipt, 'rmr')?.attrs);
  companion.mailbox.push(stanza('notification', attrs, [await uploadAgain(network, phone, id), about]));
}

async function uploadAgain(network: Network, phone: Phone, messageId: string): Promise<Stanza> {
  const held = phone.held.get(messageId);
  const found = held && findMedia(unwrap(proto.Message.decode(held.source)));
  // without the message there is no key to answer with
  const mediaKey = found?.part.mediaKey;
  if (!held || !mediaKey) return stanza('error', { code: String(ResultType.NOT_FOUND) });
  const uploaded = await uploadFile(network, held.media?.sha256 ?? '', found.kind, mediaKey);
  const answer = uploaded
    ? { stanzaId: messageId, directPath: uploaded.directPath, result: ResultType.SUCCESS }
    : { stanzaId: messageId, result: ResultType.NOT_FOUND };
  return seal(answer, mediaKey, messageId);
}

function seal(answer: proto.IMediaRetryNotification, mediaKey: Uint8Array, messageId: string): Stanza {
  const key = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), KEY_INFO, KEY_BYTES));
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(messageId));
  const plain = proto.MediaRetryNotification.encode(answer).finish();
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return stanza('encrypt', {}, [stanza('enc_p', {}, sealed), stanza('enc_iv', {}, iv)]);
}
