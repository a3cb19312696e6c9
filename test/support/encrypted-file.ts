import { createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import type { MediaDownload } from '../../src/events/extras.js';

const KEY_NAMES: Readonly<Record<string, string>> = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
  sticker: 'Image',
};
const IV_BYTES = 16;
const KEY_BYTES = 32;
const MAC_BYTES = 10;
const EXPANDED_BYTES = 112;

/**
 * Fetches and decrypts a file by what an event says of it, as a receiver would that knows nothing but the network's
 * published format.
 * @param host address of the media host
 * @throws when a hash or the authentication code is wrong
 */
export async function fetchFile(host: string, mediaType: string, download: MediaDownload): Promise<Buffer> {
  const response = await fetch(new URL(download.directPath, host));
  if (!response.ok) throw new Error(`the media host answered ${response.status}`);
  const encrypted = Buffer.from(await response.arrayBuffer());
  requireHash(encrypted, download.fileEncSha256);
  const mediaKey = Buffer.from(download.mediaKey, 'base64');
  const info = `WhatsApp ${KEY_NAMES[mediaType]} Keys`;
  const expanded = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), info, EXPANDED_BYTES));
  const iv = expanded.subarray(0, IV_BYTES);
  const cipherKey = expanded.subarray(IV_BYTES, IV_BYTES + KEY_BYTES);
  const macKey = expanded.subarray(IV_BYTES + KEY_BYTES, IV_BYTES + 2 * KEY_BYTES);
  const body = encrypted.subarray(0, -MAC_BYTES);
  const mac = createHmac('sha256', macKey).update(iv).update(body).digest().subarray(0, MAC_BYTES);
  if (!mac.equals(encrypted.subarray(-MAC_BYTES))) throw new Error('the authentication code is wrong');
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const plain = Buffer.concat([decipher.update(body), decipher.final()]);
  requireHash(plain, download.fileSha256);
  return plain;
}

function requireHash(bytes: Uint8Array, expected: string): void {
  const actual = createHash('sha256').update(bytes).digest('base64');
  if (actual !== expected) throw new Error(`the hash is ${actual}, not ${expected}`);
}
