import { proto } from '@whiskeysockets/baileys';
import * as curve from 'libsignal/src/curve.js';
import { signXed, verifyXed } from '../../domain/xeddsa.js';

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
export function sign({ private: privateKey, public: publicKey }: KeyPair, message: Buffer): Buffer {
  return signXed(privateKey, publicKey, message);
}

/** True only for a valid signature: a malformed key or signature is simply invalid. */
export function verify(publicKey: Uint8Array, message: Buffer, signature: Uint8Array): boolean {
  try {
    return verifyXed(prefixed(publicKey).subarray(KEY_TYPE.length), message, signature);
  } catch {
    return false;
  }
}

/** The sandbox's own certificate authority: nothing but a client that was given `root` can trust it. */
export interface Authority {
  root: KeyPair;
  intermediate: KeyPair;
  /** The server's static Noise key, which the leaf certificate names. */
  server: KeyPair;
}

const ROOT_SERIAL = 0;
const INTERMEDIATE_SERIAL = 1;
const LEAF_SERIAL = 2;
const YEAR_S = 365 * 24 * 3600;

export function createAuthority(): Authority {
  return { root: generateKeyPair(), intermediate: generateKeyPair(), server: generateKeyPair() };
}

/** The encoded `CertChain`: the root signs the intermediate, the intermediate signs the leaf. */
export function certificateChain(authority: Authority, nowMs: number): Buffer {
  const intermediate = details(INTERMEDIATE_SERIAL, ROOT_SERIAL, authority.intermediate.public, nowMs);
  const leaf = details(LEAF_SERIAL, INTERMEDIATE_SERIAL, authority.server.public, nowMs);
  return Buffer.from(
    proto.CertChain.encode({
      intermediate: { details: intermediate, signature: sign(authority.root, intermediate) },
      leaf: { details: leaf, signature: sign(authority.intermediate, leaf) },
    }).finish(),
  );
}

function details(serial: number, issuerSerial: number, key: Buffer, nowMs: number): Buffer {
  const second = Math.floor(nowMs / 1000);
  const content = {
    serial,
    issuerSerial,
    key,
    notBefore: second - 10 * YEAR_S,
    notAfter: second + 10 * YEAR_S,
  };
  return Buffer.from(proto.CertChain.NoiseCertificate.Details.encode(content).finish());
}
