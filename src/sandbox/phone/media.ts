import { randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { errorMessage } from '../../domain/error-message.js';
import { unwrap } from '../../kinds/unwrap.js';
import type { MediaKind } from '../api.js';
import { FileOpener, FileSealer } from '../media/crypto.js';
import { directPath, mediaUrl, nameInPath, uploadKind } from '../media/paths.js';
import type { Network } from '../network.js';
import type { HeldMessage } from './held-messages.js';
import { findMedia, type MediaPart } from './media-part.js';

const MEDIA_KEY_BYTES = 32;

/** What a message says of a file that was uploaded for it. */
export interface Uploaded {
  mediaKey: Uint8Array;
  fileEncSha256: Buffer;
  directPath: string;
  url: string;
}

/**
 * Encrypts a file that the phones hold and uploads it; undefined when they do not hold it any more.
 * @param sha256 of the file, hex
 * @param mediaKey 32 bytes; fresh ones unless it is uploaded again
 */
export async function uploadFile(
  network: Network,
  sha256: string,
  kind: MediaKind,
  mediaKey: Uint8Array = randomBytes(MEDIA_KEY_BYTES),
): Promise<Uploaded | undefined> {
  const file = await network.files.get(sha256);
  if (!file) return undefined;
  const { name, sha256: fileEncSha256 } = await network.blobs.put([
    file.stream,
    new FileSealer(mediaKey, kind),
  ]);
  const path = directPath(uploadKind(kind), name);
  return { mediaKey, fileEncSha256, directPath: path, url: mediaUrl(path) };
}

/** The name of a message's file on the media host; undefined when it has none. */
export function nameOfMedia(message: HeldMessage): string | undefined {
  const { part } = findMedia(unwrap(proto.Message.decode(message.source))) ?? {};
  return part && nameInPath(part.directPath ?? part.url ?? '');
}

/** Gets the file of a message that the phone received, and notes in the message what came of it. */
export async function downloadMedia(network: Network, message: HeldMessage): Promise<void> {
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
  const blob = name === undefined ? undefined : await network.blobs.get(name);
  if (!blob) throw new Error('the media host does not have the file');
  const expected = Buffer.from(fileSha256).toString('hex');
  return network.files.put([blob.stream, new FileOpener(mediaKey, kind, fileEncSha256)], expected);
}
