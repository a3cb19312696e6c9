import * as curve from 'libsignal/src/curve.js';

/** An X25519 key pair; both halves are 32 bytes. */
export interface KeyPair {
  public: Buffer;
  private: Buffer;
}

/** libsignal writes public keys with this byte before them; the wire carries them without. */
const KEY_TYPE = Buffer.from([5]);

/** The 33-byte form that libsignal takes. */
export function prefixed(publicKey: Uint8Array): Buffer {
  return publicKey.length === 33 ? Buffer.from(publicKey) : Buffer.concat([KEY_TYPE, publicKey]);
}

export function generateKeyPair(): KeyPair {
  const pair = curve.generateKeyPair();
  return { public: Buffer.from(pair.pubKey.slice(1)), private: Buffer.from(pair.privKey) };
}

/** X25519 agreement, 32 bytes. */
export function agree(privateKey: Buffer, publicKey: Uint8Array): Buffer {
  return Buffer.from(curve.calculateAgreement(prefixed(publicKey), privateKey));
}

/** XEdDSA signature, 64 bytes. */
export function sign(privateKey: Buffer, message: Buffer): Buffer {
  return Buffer.from(curve.calculateSignature(privateKey, message));
}

/** True only for a valid signature: a malformed key or signature is simply invalid. */
export function verify(publicKey: Uint8Array, message: Buffer, signature: Uint8Array): boolean {
  try {
    return curve.verifySignature(prefixed(publicKey), message, Buffer.from(signature));
  } catch {
    return false;
  }
}
