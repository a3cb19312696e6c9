import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import type { MediaKind } from '../../contract/sandbox/index.js';
import { errorMessage } from '../../domain/errors.js';
import { unwrap } from '../../domain/wrappers.js';
import { FileOpener, FileSealer } from '../media/encryption.js';
import { directPath, mediaUrl, nameInPath, plainPath, uploadKind } from '../media/host.js';
import type { Account } from '../state/account.js';
import type { Network } from '../state/network.js';
import { child, type Stanza, stanza } from '../wire/stanza.js';
import type { PhoneMessage, PhoneMessages } from './phone-messages.js';

const MEDIA_KEY_BYTES = 32;

/**
 * Encrypts and uploads a file of the phones; undefined when they do not hold it.
 * @param sha256 of the file, hex
 * @param mediaKey 32 bytes; fresh ones unless it is uploaded again
 */
export async function uploadFile(
  network: Network,
  sha256: string,
  kind: MediaKind,
  mediaKey: Uint8Array = randomBytes(MEDIA_KEY_BYTES),
) {
  const file = await network.media.files.get(sha256);
  if (!file) return undefined;
  const { name, sha256: fileEncSha256 } = await network.media.blobs.put([
    file.stream,
    new FileSealer(mediaKey, kind),
  ]);
  const path = directPath(uploadKind(kind), name);
  return { mediaKey, fileEncSha256, directPath: path, url: mediaUrl(path) };
}

/** Uploads a file of the phones for a channel, not encrypted; undefined when they do not hold it. @param sha256 hex */
export async function uploadPlainFile(network: Network, sha256: string, kind: MediaKind) {
  const file = await network.media.files.get(sha256);
  if (!file) return undefined;
  const { name } = await network.media.blobs.put([file.stream]);
  const path = plainPath(`newsletter-${kind}`, name);
  return { directPath: path, url: mediaUrl(path) };
}

/** The name of a message's file on the media host; undefined when it has none. */
export function nameOfMedia(message: PhoneMessage): string | undefined {
  const { part } = findMedia(unwrap(proto.Message.decode(message.source))) ?? {};
  return part && nameInPath(part.directPath ?? part.url ?? '');
}

/** Downloads the file of a received message; the message shows the error if that fails. */
export async function downloadMedia(network: Network, message: PhoneMessage): Promise<void> {
  const found = findMedia(unwrap(proto.Message.decode(message.source)));
  if (!found || !message.media) return;
  try {
    const { size } = await download(network, found.kind, found.part);
    if (size !== message.media.size) throw new Error('the file has another size');
  } catch (error) {
    const reason = errorMessage(error);
    network.log?.debug({ err: error, id: message.messageId }, 'a phone could not get a file');
    message.media = { ...message.media, sha256: '', error: reason };
  }
}

async function download(
  network: Network,
  kind: MediaKind,
  { directPath: path, url, mediaKey, fileSha256, fileEncSha256 }: MediaPart,
) {
  if (!mediaKey || !fileSha256 || !fileEncSha256) throw new Error('the message lacks the key or the hashes');
  const name = nameInPath(path ?? url ?? '');
  const blob = name === undefined ? undefined : await network.media.blobs.get(name);
  if (!blob) throw new Error('the media host does not have the file');
  const expected = Buffer.from(fileSha256).toString('hex');
  return network.media.files.put([blob.stream, new FileOpener(mediaKey, kind, fileEncSha256)], expected);
}

/** The protocol message of a file. */
export type MediaPart =
  | proto.Message.IImageMessage
  | proto.Message.IVideoMessage
  | proto.Message.IAudioMessage
  | proto.Message.IDocumentMessage
  | proto.Message.IStickerMessage;

/** The file of a message without its wrappers; undefined when it has none. */
export function findMedia(message: proto.IMessage): { kind: MediaKind; part: MediaPart } | undefined {
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage, stickerMessage } = message;
  const video = videoMessage ?? ptvMessage;
  if (imageMessage) return { kind: 'image', part: imageMessage };
  if (video) return { kind: 'video', part: video };
  if (audioMessage) return { kind: 'audio', part: audioMessage };
  if (documentMessage) return { kind: 'document', part: documentMessage };
  if (stickerMessage) return { kind: 'sticker', part: stickerMessage };
  return undefined;
}

const KEY_INFO = 'WhatsApp Media Retry Notification';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const { ResultType } = proto.MediaRetryNotification;

/** A linked device could not download a file: uploads it again, if the phone still holds it, and sends the new path. */
export async function answerMediaRetry(
  network: Network,
  account: Account,
  messages: PhoneMessages,
  receipt: Stanza,
): Promise<void> {
  const { id = '', from } = receipt.attrs;
  const companion = network.directory.device(from)?.companion;
  if (companion?.account !== account) return;
  const attrs = { id, type: 'mediaretry', from: account.jid('pn') };
  const about = stanza('rmr', child(receipt, 'rmr')?.attrs);
  network.notify(companion, attrs, [await uploadAgain(network, messages.get(id), id), about]);
}

async function uploadAgain(
  network: Network,
  stored: PhoneMessage | undefined,
  messageId: string,
): Promise<Stanza> {
  const found = stored && findMedia(unwrap(proto.Message.decode(stored.source)));
  // the answer is encrypted with the message's media key
  const mediaKey = found?.part.mediaKey;
  if (!stored || !mediaKey) return stanza('error', { code: String(ResultType.NOT_FOUND) });
  const uploaded = await uploadFile(network, stored.media?.sha256 ?? '', found.kind, mediaKey);
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
