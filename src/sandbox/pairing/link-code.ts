import { createCipheriv, createDecipheriv, hkdfSync, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { agree, type KeyPair } from '../wire/curve.js';

const PBKDF2_ROUNDS = 131_072;
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const CTR_IV_BYTES = 16;
const GCM_NONCE_BYTES = 12;
const GCM_TAG_BYTES = 16;
const BUNDLE_INFO = 'link_code_pairing_key_bundle_encryption_key';
const ADV_INFO = 'adv_secret';
const stretch = promisify(pbkdf2);

/** What the device put into its key bundle. */
export interface KeyBundle {
  companionIdentity: Buffer;
  phoneIdentity: Buffer;
  random: Buffer;
}

/** Opens an ephemeral key that was wrapped with a code. A wrong code gives a wrong key, never an error. */
export async function unwrapKey(code: string, wrapped: Buffer): Promise<Buffer> {
  const salt = wrapped.subarray(0, SALT_BYTES);
  const iv = wrapped.subarray(SALT_BYTES, SALT_BYTES + CTR_IV_BYTES);
  const decipher = createDecipheriv('aes-256-ctr', await keyOf(code, salt), iv);
  return Buffer.concat([decipher.update(wrapped.subarray(SALT_BYTES + CTR_IV_BYTES)), decipher.final()]);
}

/** Wraps an ephemeral key with a code: salt, iv, ciphertext; 80 bytes. */
export async function wrapKey(code: string, publicKey: Buffer): Promise<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(CTR_IV_BYTES);
  const cipher = createCipheriv('aes-256-ctr', await keyOf(code, salt), iv);
  return Buffer.concat([salt, iv, cipher.update(publicKey), cipher.final()]);
}

/** Opens the device's key bundle; undefined when the code was wrong on either side. */
export function openBundle(shared: Buffer, bundle: Buffer): KeyBundle | undefined {
  const salt = bundle.subarray(0, SALT_BYTES);
  const nonce = bundle.subarray(SALT_BYTES, SALT_BYTES + GCM_NONCE_BYTES);
  const sealed = bundle.subarray(SALT_BYTES + GCM_NONCE_BYTES);
  const key = Buffer.from(hkdfSync('sha256', shared, salt, BUNDLE_INFO, KEY_BYTES));
  const end = sealed.length - GCM_TAG_BYTES;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce);
    decipher.setAuthTag(sealed.subarray(end));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
    return {
      companionIdentity: plain.subarray(0, KEY_BYTES),
      phoneIdentity: plain.subarray(KEY_BYTES, 2 * KEY_BYTES),
      random: plain.subarray(2 * KEY_BYTES),
    };
  } catch {
    return undefined;
  }
}

/** The secret that both sides derive in place of the QR's. */
export function deriveAdvSecret(shared: Buffer, phoneIdentity: KeyPair, bundle: KeyBundle): Buffer {
  const identities = agree(phoneIdentity.private, bundle.companionIdentity);
  const material = Buffer.concat([shared, identities, bundle.random]);
  return Buffer.from(hkdfSync('sha256', material, Buffer.alloc(0), ADV_INFO, KEY_BYTES));
}

async function keyOf(code: string, salt: Buffer): Promise<Buffer> {
  return stretch(code, salt, PBKDF2_ROUNDS, KEY_BYTES, 'sha256');
}
