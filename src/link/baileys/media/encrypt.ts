import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { getMediaKeys } from '@whiskeysockets/baileys';
import type { MediaSource } from '../../link.js';

const CIPHER = 'aes-256-cbc';
const BLOCK_BYTES = 16;
const KEY_BYTES = 32;
/** Bytes of the HMAC that end an encrypted file. */
export const MAC_BYTES = 10;
/** Bytes that are read and encrypted at a time. */
const PIECE_BYTES = 256 * 1024;

/** A file that is ready to be uploaded, and what its message says of it. */
export interface EncryptedFile {
  mediaKey: Uint8Array;
  fileSha256: Uint8Array;
  fileEncSha256: Uint8Array;
  /** Bytes, as it lies on the disk. */
  fileLength: number;
  /** Bytes, as it is uploaded. */
  size: number;
  /** What is uploaded, anew with each call. */
  body(): AsyncGenerator<Buffer>;
}

/**
 * Encrypts a file under a fresh key. The address for an upload holds the hash of the encrypted bytes, so the file is read
 * twice: for its hashes, and while it is sent. Nothing encrypted is ever put on the disk or kept in memory.
 * @throws whatever reading the file throws, and `signal.reason`
 */
export async function encryptFile(
  type: MediaSource['mediaType'],
  path: string,
  signal: AbortSignal,
): Promise<EncryptedFile> {
  const mediaKey = randomBytes(KEY_BYTES);
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, type);
  if (!macKey) throw new Error('the library derives no key for the MAC');
  const plain = createHash('sha256');
  const encrypted = createHash('sha256');
  const hmac = createHmac('sha256', macKey).update(iv);
  let fileLength = 0;
  const read = (piece: Buffer) => {
    plain.update(piece);
    fileLength += piece.length;
  };
  for await (const piece of ciphertext({ path, cipherKey, iv, signal, read })) {
    hmac.update(piece);
    encrypted.update(piece);
  }
  const mac = hmac.digest().subarray(0, MAC_BYTES);
  return {
    mediaKey,
    fileSha256: plain.digest(),
    fileEncSha256: encrypted.update(mac).digest(),
    fileLength,
    // the padding fills the last block, or is one
    size: fileLength - (fileLength % BLOCK_BYTES) + BLOCK_BYTES + MAC_BYTES,
    async *body() {
      yield* ciphertext({ path, cipherKey, iv, signal });
      yield mac;
    },
  };
}

interface Ciphertext {
  path: string;
  cipherKey: Uint8Array;
  iv: Uint8Array;
  signal: AbortSignal;
  /** Told of each piece before it is encrypted. */
  read?(piece: Buffer): void;
}

async function* ciphertext({ path, cipherKey, iv, signal, read }: Ciphertext): AsyncGenerator<Buffer> {
  const cipher = createCipheriv(CIPHER, cipherKey, iv);
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES, signal })) {
    read?.(piece);
    yield cipher.update(piece);
  }
  yield cipher.final();
}
