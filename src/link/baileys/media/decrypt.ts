import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import type { MediaDecryptionKeyInfo } from '@whiskeysockets/baileys';
import { GatewayError } from '../../../domain/errors.js';
import type { MediaSource } from '../../link.js';
import { MAC_BYTES } from './encrypt.js';

type Hashes = Pick<MediaSource, 'fileSha256' | 'fileEncSha256'>;

/**
 * Decrypts what passes. The MAC and the hashes can only be checked at the end: the stream then fails with
 * `media_unfetchable` if any of them is wrong. An empty hash is one that the message did not tell, and not checked.
 */
export class Decryption extends Transform {
  readonly #hashes: Hashes;
  readonly #decipher: ReturnType<typeof createDecipheriv>;
  readonly #mac: ReturnType<typeof createHmac>;
  readonly #encrypted = createHash('sha256');
  readonly #plain = createHash('sha256');
  /** The last bytes so far: they may be the MAC. */
  #held: Buffer = Buffer.alloc(0);

  constructor({ cipherKey, iv, macKey }: MediaDecryptionKeyInfo, hashes: Hashes) {
    super();
    this.#hashes = hashes;
    this.#decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
    this.#mac = createHmac('sha256', macKey ?? '').update(iv);
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#encrypted.update(piece);
    const bytes = Buffer.concat([this.#held, piece]);
    const end = Math.max(0, bytes.length - MAC_BYTES);
    this.#held = bytes.subarray(end);
    this.#give(bytes.subarray(0, end));
    done();
  }

  override _flush(done: TransformCallback): void {
    try {
      const mac = this.#mac.digest().subarray(0, MAC_BYTES);
      check(mac, this.#held, 'is not signed with its key');
      check(this.#hashes.fileEncSha256, this.#encrypted.digest(), 'is not the encrypted file');
      const last = this.#decipher.final();
      check(this.#hashes.fileSha256, this.#plain.update(last).digest(), 'is not the file');
      this.push(last);
      done();
    } catch (error) {
      done(error instanceof GatewayError ? error : damaged('cannot be decrypted', error));
    }
  }

  /** Everything that breaks the file off is told in our words; whoever aborts it learns their own reason. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const known = error === null || error instanceof GatewayError || error.name === 'AbortError';
    done(known ? error : broken(error));
  }

  #give(ciphertext: Buffer): void {
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
