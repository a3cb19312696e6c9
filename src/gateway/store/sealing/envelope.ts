import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
/** First byte of an envelope, so that the cipher can be replaced later. */
const VERSION = 1;
/** Bytes. A random nonce of this size is safe for 2^32 values under one key, far more than one session has. */
const NONCE = 12;
const TAG = 16;
const HEAD = 1 + NONCE + TAG;
/** Nonces are drawn in batches: one system call for each would cost more than the encryption. */
const POOL = Buffer.alloc(NONCE * 256);
let unused = 0;

/**
 * Where a value is stored: session, table, field, ids. It is authenticated as additional data (AAD), so that a value that
 * was moved to another place in the database does not open.
 */
export type Place = readonly string[];

/** Encrypts a value with AES-256-GCM: version byte, nonce, tag, ciphertext. */
export function seal(key: KeyObject, place: Place, plain: Uint8Array): Buffer {
  const nonce = newNonce();
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG });
  cipher.setAAD(dataOf(place));
  const sealed = cipher.update(plain);
  cipher.final();
  return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), sealed]);
}

/** Unused random bytes, valid until the next call. */
function newNonce(): Buffer {
  if (unused === 0) {
    randomFillSync(POOL);
    unused = POOL.length;
  }
  unused -= NONCE;
  return POOL.subarray(unused, unused + NONCE);
}

/** Decrypts the result of `seal`. @throws Error if key or place differ, or the value was changed */
export function unseal(key: KeyObject, place: Place, sealed: Uint8Array): Buffer {
  try {
    return decrypt(key, place, sealed);
  } catch (error) {
    const asSealed = withHalves(place);
    if (!asSealed) throw error;
    return decrypt(key, asSealed, sealed);
  }
}

function decrypt(key: KeyObject, place: Place, sealed: Uint8Array): Buffer {
  if (sealed[0] !== VERSION || sealed.length < HEAD) throw new Error('not a sealed value');
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(1, 1 + NONCE), { authTagLength: TAG });
  decipher.setAAD(dataOf(place));
  decipher.setAuthTag(sealed.subarray(1 + NONCE, HEAD));
  const plain = decipher.update(sealed.subarray(HEAD));
  decipher.final();
  return plain;
}

/**
 * Halves of surrogate pairs, which strangers may put into ids. Databases store text as UTF-8, which has none, and return one or
 * more of these marks instead.
 */
const HALF = /\p{Cs}/u;
const MARK = '\ufffd';
const MARKS = /[\p{Cs}\ufffd]+/gu;

/** The additional data: the same for the place that a caller named and for the one that the database returned. */
function dataOf(place: Place): Buffer {
  return Buffer.from(
    JSON.stringify(place.map((part) => (HALF.test(part) ? part.replace(MARKS, MARK) : part))),
  );
}

/** The place as it was sealed if an id had halves; undefined if it had none. */
function withHalves(place: Place): Place | undefined {
  const marked = place.map((part) => part.replace(MARKS, MARK));
  return marked.some((part) => part.includes(MARK)) ? marked : undefined;
}
