import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  verify,
} from 'node:crypto';

/**
 * Signatures with X25519 keys, as Signal defines them (https://signal.org/docs/specifications/xeddsa). Node's Ed25519
 * does the curve arithmetic: libsignal does it in JavaScript, which would take most of the time of pairings and logins.
 */

const FIELD = 2n ** 255n - 19n;
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
/** The DER header before the 32 bytes of a key. */
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');
const SEED_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const SIGN_BIT = 0x80;

/** @param publicKey 32 bytes, X25519 */
export function signXed(privateKey: Uint8Array, publicKey: Uint8Array, message: Uint8Array): Buffer {
  const scalar = readScalar(privateKey);
  const seed = createHash('sha256').update(privateKey).update(message).update(randomBytes(64)).digest();
  const nonce = readScalar(createHash('sha512').update(seed).digest().subarray(0, 32));
  const point = pointOf(seed);
  const key = edwardsKey(publicKey);
  for (const sign of [0, SIGN_BIT]) {
    key[31] = (key[31] ?? 0) | sign;
    const hash = createHash('sha512').update(point).update(key).update(message).digest();
    const signature = Buffer.concat([point, littleEndian((nonce + readNumber(hash) * scalar) % ORDER)]);
    // only one of the two points with the key's coordinate is the scalar's own
    if (!verify(null, message, keyObject(key), signature)) continue;
    signature[63] = (signature[63] ?? 0) | sign;
    return signature;
  }
  throw new Error('the public key is not that of the private key');
}

/** @param publicKey 32 bytes, X25519 */
export function verifyXed(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const plain = Buffer.from(signature);
  const last = plain[63] ?? 0;
  plain[63] = last & ~SIGN_BIT;
  const key = edwardsKey(publicKey);
  key[31] = (key[31] ?? 0) | (last & SIGN_BIT);
  return verify(null, message, keyObject(key), plain);
}

/** The Ed25519 key with the coordinate of an X25519 key, y = (u - 1) / (u + 1), and without the sign of x. */
function edwardsKey(publicKey: Uint8Array): Buffer {
  const u = readNumber(publicKey) % 2n ** 255n;
  return littleEndian((((u - 1n + FIELD) % FIELD) * inverse(u + 1n)) % FIELD);
}

function inverse(value: bigint): bigint {
  let [result, base] = [1n, value % FIELD];
  for (let exponent = FIELD - 2n; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % FIELD;
    base = (base * base) % FIELD;
  }
  return result;
}

/** The point of an Ed25519 seed, whose scalar is the clamped first half of the seed's SHA-512. */
function pointOf(seed: Buffer): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([SEED_DER, seed]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
}

function keyObject(key: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_DER, key]), format: 'der', type: 'spki' });
}

/** A scalar as both curves use it: clamped. */
function readScalar(bytes: Uint8Array): bigint {
  const clamped = Buffer.from(bytes);
  clamped[0] = (clamped[0] ?? 0) & 248;
  clamped[31] = ((clamped[31] ?? 0) & 127) | 64;
  return readNumber(clamped);
}

function readNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function littleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}
