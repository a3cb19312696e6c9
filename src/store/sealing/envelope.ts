import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** First byte of an envelope, so that another cipher can follow one day. */
const VERSION = 1;
/** Bytes. A random nonce of this size is safe for 2^32 values under one key: far beyond one session. */
const NONCE = 12;
const TAG = 16;
const HEAD = 1 + NONCE + TAG;

/**
 * Where a value lives: session, table, field, ids. Sealed in as additional data, so that a value that is moved to
 * another place of the database is noticed.
 */
export type Place = readonly string[];

/** Encrypts a value with AES-256-GCM: version byte, nonce, tag, ciphertext. Costs a few microseconds. */
export function seal(key: KeyObject, place: Place, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(JSON.stringify(place)));
  const sealed = cipher.update(plain);
  cipher.final();
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
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
