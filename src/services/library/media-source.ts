import type { MediaExtra } from '../../events/extras.js';
import type { MediaSource } from '../../link/link.js';

const TYPES: readonly MediaSource['mediaType'][] = ['image', 'video', 'audio', 'document', 'sticker'];

/** Where a message's file is, and what decrypts it; undefined when the message does not tell. */
export function mediaSource({ mediaType: named, download }: MediaExtra): MediaSource | undefined {
  const mediaType = TYPES.find((type) => type === named);
  const { url, directPath, mediaKey, fileSha256, fileEncSha256 } = download;
  if (!mediaType || mediaKey === '' || (url === '' && directPath === '')) return undefined;
  return {
    mediaType,
    url,
    directPath,
    mediaKey: Buffer.from(mediaKey, 'base64'),
    fileSha256: Buffer.from(fileSha256, 'base64'),
    fileEncSha256: Buffer.from(fileEncSha256, 'base64'),
  };
}
