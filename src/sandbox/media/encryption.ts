import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { Readable, Transform, type TransformCallback } from 'node:stream';
import type { MediaKind } from '../../contract/sandbox/index.js';
import { type Blobs, directPath } from './host.js';

const CIPHER = 'aes-256-cbc';
const IV_BYTES = 16;
const CIPHER_KEY_END = 48;
const MAC_KEY_END = 80;
const KEY_MATERIAL_BYTES = 112;
const MAC_BYTES = 10;

/** The kinds of encrypted files: media of messages, history, and app state snapshots. */
type SealedKind = MediaKind | 'history' | 'app-state';

/** The HKDF info of each kind. */
const INFO: Record<SealedKind, string> = {
  image: 'WhatsApp Image Keys',
  sticker: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
  history: 'WhatsApp History Keys',
  'app-state': 'WhatsApp App State Keys',
};

/** @param mediaKey 32 bytes */
function deriveKeys(mediaKey: Uint8Array, kind: SealedKind) {
  const keys = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), INFO[kind], KEY_MATERIAL_BYTES));
  return {
    iv: keys.subarray(0, IV_BYTES),
    cipherKey: keys.subarray(IV_BYTES, CIPHER_KEY_END),
    macKey: keys.subarray(CIPHER_KEY_END, MAC_KEY_END),
  };
}

/** Encrypts a stream. The same key and file give the same bytes. */
export class FileSealer extends Transform {
  readonly #cipher;
  readonly #mac;

  constructor(mediaKey: Uint8Array, kind: SealedKind) {
    super();
    const { iv, cipherKey, macKey } = deriveKeys(mediaKey, kind);
    this.#cipher = createCipheriv(CIPHER, cipherKey, iv);
    this.#mac = createHmac('sha256', macKey).update(iv);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
    done(null, this.#seal(this.#cipher.update(chunk)));
  }

  override _flush(done: TransformCallback) {
    this.push(this.#seal(this.#cipher.final()));
    done(null, this.#mac.digest().subarray(0, MAC_BYTES));
  }

  #seal(bytes: Buffer): Buffer {
    this.#mac.update(bytes);
    return bytes;
  }
}

/** Decrypts a stream; fails at its end when the hash or the MAC is wrong. */
export class FileOpener extends Transform {
  readonly #decipher;
  readonly #mac;
  readonly #hash = createHash('sha256');
  readonly #expectedHash: Uint8Array;
  /** The last bytes so far, which may be the MAC. */
  #tail: Buffer = Buffer.alloc(0);

  /** @param encryptedHash SHA-256 of the encrypted bytes */
  constructor(mediaKey: Uint8Array, kind: SealedKind, encryptedHash: Uint8Array) {
    super();
    const { iv, cipherKey, macKey } = deriveKeys(mediaKey, kind);
    this.#decipher = createDecipheriv(CIPHER, cipherKey, iv);
    this.#mac = createHmac('sha256', macKey).update(iv);
    this.#expectedHash = encryptedHash;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
    this.#hash.update(chunk);
    const bytes = Buffer.concat([this.#tail, chunk]);
    const end = Math.max(0, bytes.length - MAC_BYTES);
    this.#tail = bytes.subarray(end);
    const body = bytes.subarray(0, end);
    this.#mac.update(body);
    done(null, this.#decipher.update(body));
  }

  override _flush(done: TransformCallback) {
    if (!isSame(this.#hash.digest(), this.#expectedHash))
      return done(new Error('the encrypted file has another hash'));
    if (!isSame(this.#mac.digest().subarray(0, MAC_BYTES), this.#tail))
      return done(new Error('the encrypted file has a wrong MAC'));
    try {
      done(null, this.#decipher.final());
    } catch {
      done(new Error('the file cannot be decrypted'));
    }
  }
}

function isSame(actual: Uint8Array, expected: Uint8Array): boolean {
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

const MEDIA_KEY_BYTES = 32;

/** Uploads bytes to the media host, encrypted with a new key. */
export async function uploadEncrypted(blobs: Blobs, bytes: Buffer, kind: SealedKind, folder: string) {
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
