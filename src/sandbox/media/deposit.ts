import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Blobs } from './blobs.js';
import { FileSealer, type SealedKind } from './crypto.js';
import { directPath } from './paths.js';

const MEDIA_KEY_BYTES = 32;

/** What is needed to get bytes from the media host and to read them. */
export interface Deposit {
  mediaKey: Buffer;
  directPath: string;
  fileSha256: Buffer;
  fileEncSha256: Buffer;
  /** Bytes, not encrypted. */
  size: number;
}

/** Puts bytes on the media host, encrypted with a new key. */
export async function deposit(
  blobs: Blobs,
  bytes: Buffer,
  kind: SealedKind,
  folder: string,
): Promise<Deposit> {
  const mediaKey = randomBytes(MEDIA_KEY_BYTES);
  const { name, sha256 } = await blobs.put([Readable.from([bytes]), new FileSealer(mediaKey, kind)]);
  return {
    mediaKey,
    directPath: directPath(folder, name),
    fileSha256: createHash('sha256').update(bytes).digest(),
    fileEncSha256: sha256,
    size: bytes.length,
  };
}
