import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Transform, type TransformCallback } from 'node:stream';
import { getMediaKeys, type MediaDecryptionKeyInfo } from '@whiskeysockets/baileys';
import { GatewayError } from '../../../../domain/errors.js';
import { nextFileSlice } from '../../../../domain/file-slices.js';
import type { MediaSource } from '../../link.js';

const CIPHER = 'aes-256-cbc';
const BLOCK_BYTES = 16;
const KEY_BYTES = 32;
/** Bytes of the HMAC at the end of an encrypted file. */
const MAC_BYTES = 10;
/** Bytes of one piece that is read and encrypted. */
const PIECE_BYTES = 256 * 1024;

/** Bytes that are hashed and encrypted without a break. */
const SLICE_BYTES = 32 * 1024;

/** A file that is ready for the upload, and its fields in the message. */
export interface EncryptedFile {
  mediaKey: Uint8Array;
  fileSha256: Uint8Array;
  fileEncSha256: Uint8Array;
  /** Bytes on the disk. */
  fileLength: number;
  /** Bytes of the upload. */
  size: number;
  /** The bytes to upload; each call reads and encrypts the file again. */
  body(): AsyncGenerator<Buffer>;
}

/**
 * Encrypts a file with a new key. The address of an upload holds the hash of the encrypted bytes, so the file is read
 * twice: for its hashes, and during the upload. The encrypted file is neither stored nor held in memory.
 * @throws the error of a failed read, and `signal.reason`
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
    // the padding completes the last block, or adds a whole block
    size: fileLength - (fileLength % BLOCK_BYTES) + BLOCK_BYTES + MAC_BYTES,
    async *body() {
      yield* ciphertext({ path, cipherKey, iv, signal });
      yield mac;
    },
  };
}

/**
 * A file that is uploaded as it is, for a channel. Read twice, as an encrypted one.
 * @throws the error of a failed read, and `signal.reason`
 */
export async function plainFile(
  path: string,
  signal: AbortSignal,
): Promise<Pick<EncryptedFile, 'fileSha256' | 'fileLength' | 'body'>> {
  const hash = createHash('sha256');
  let fileLength = 0;
  for await (const slice of slicesOf(path, signal)) {
    hash.update(slice);
    fileLength += slice.length;
  }
  return { fileSha256: hash.digest(), fileLength, body: () => slicesOf(path, signal) };
}

async function* slicesOf(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES, signal })) {
    for (let start = 0; start < piece.length; start += SLICE_BYTES) {
      const slice: Buffer = piece.subarray(start, start + SLICE_BYTES);
      await nextFileSlice();
      yield slice;
    }
  }
}

/** @param read called with each piece before it is encrypted */
async function* ciphertext({
  path,
  cipherKey,
  iv,
  signal,
  read,
}: {
  path: string;
  cipherKey: Uint8Array;
  iv: Uint8Array;
  signal: AbortSignal;
  read?(piece: Buffer): void;
}): AsyncGenerator<Buffer> {
  const cipher = createCipheriv(CIPHER, cipherKey, iv);
  for await (const slice of slicesOf(path, signal)) {
    read?.(slice);
    yield cipher.update(slice);
  }
  yield cipher.final();
}

/**
 * Decrypts a stream. The MAC and the hashes can only be checked at the end: the stream then fails with
 * `media_unfetchable` if one of them is wrong. An empty hash means that the message has none, and is not checked.
 */
export class Decryption extends Transform {
  readonly #hashes: Pick<MediaSource, 'fileSha256' | 'fileEncSha256'>;
  readonly #decipher: ReturnType<typeof createDecipheriv>;
  readonly #mac: ReturnType<typeof createHmac>;
  readonly #encrypted = createHash('sha256');
  readonly #plain = createHash('sha256');
  /** The latest bytes, which may be the MAC. */
  #rest: Buffer = Buffer.alloc(0);

  constructor(
    { cipherKey, iv, macKey }: MediaDecryptionKeyInfo,
    hashes: Pick<MediaSource, 'fileSha256' | 'fileEncSha256'>,
  ) {
    super();
    this.#hashes = hashes;
    this.#decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
    this.#mac = createHmac('sha256', macKey ?? '').update(iv);
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#encrypted.update(piece);
    const bytes = Buffer.concat([this.#rest, piece]);
    const end = Math.max(0, bytes.length - MAC_BYTES);
    this.#rest = bytes.subarray(end);
    this.#decrypt(bytes.subarray(0, end));
    done();
  }

  override _flush(done: TransformCallback): void {
    try {
      const mac = this.#mac.digest().subarray(0, MAC_BYTES);
      check(mac, this.#rest, 'is not signed with its key');
      check(this.#hashes.fileEncSha256, this.#encrypted.digest(), 'is not the encrypted file');
      const last = this.#decipher.final();
      check(this.#hashes.fileSha256, this.#plain.update(last).digest(), 'is not the file');
      this.push(last);
      done();
    } catch (error) {
      done(error instanceof GatewayError ? error : damaged('cannot be decrypted', error));
    }
  }

  /** Turns errors into `media_unfetchable`, except those of an abort. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const known = error === null || error instanceof GatewayError || error.name === 'AbortError';
    done(known ? error : broken(error));
  }

  #decrypt(ciphertext: Buffer): void {
    if (ciphertext.length === 0) return;
    this.#mac.update(ciphertext);
    const plain = this.#decipher.update(ciphertext);
    this.#plain.update(plain);
    this.push(plain);
  }
}

function check(expected: Uint8Array, got: Uint8Array, what: string): void {
  if (expected.length === 0) return;
  if (expected.length !== got.length || !timingSafeEqual(expected, got)) throw damaged(what);
}

function damaged(what: string, cause?: unknown): GatewayError {
  return new GatewayError('media_unfetchable', `What the media host gave ${what} that the message names.`, {
    cause,
  });
}

function broken(cause: Error): GatewayError {
  return new GatewayError(
    'media_unfetchable',
    `The file broke off on its way (${cause.message}). Try again.`,
    {
      cause,
    },
  );
}
