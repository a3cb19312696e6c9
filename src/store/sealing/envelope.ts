import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** First byte of an envelope, so that another cipher can follow one day. */
const VERSION = 1;
/** Bytes. A random nonce of this size is safe for 2^32 values under one key: far beyond one session. */
const NONCE = 12;
const TAG = 16;
const HEAD = 1 + NONCE + TAG;
/** Nonces drawn at once: asking the system for each costs more than the encryption. */
const POOL = Buffer.alloc(NONCE * 256);
let unused = 0;

/**
 * Where a value lives: session, table, field, ids. Sealed in as additional data, so that a value that is moved to
 * another place of the database is noticed.
 */
export type Place = readonly string[];

/** Encrypts a value with AES-256-GCM: version byte, nonce, tag, ciphertext. Costs a few microseconds. */
export function seal(key: KeyObject, place: Place, plain: Uint8Array): Buffer {
  const nonce = newNonce();
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(JSON.stringify(place)));
  const sealed = cipher.update(plain);
  cipher.final();
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
}

/** Random bytes that are given out once; only valid until the next call. */
function newNonce(): Buffer {
  if (unused === 0) {
    randomFillSync(POOL);
    unused = POOL.length;
  }
  unused -= NONCE;
  return POOL.subarray(unused, unused + NONCE);
}

/** Opens what `seal` made. @throws Error when key or place are others, or the value was changed */
export function unseal(key: KeyObject, place: Place, sealed: Uint8Array): Buffer {
  if (sealed[0] !== VERSION || sealed.length < HEAD) throw new Error('not a sealed value');
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(1, 1 + NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(JSON.stringify(place)));
  decipher.setAuthTag(sealed.subarray(1 + NONCE, HEAD));
  const plain = decipher.update(sealed.subarray(HEAD));
  decipher.final();
  return plain;
}
