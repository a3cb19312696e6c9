import { proto } from '@whiskeysockets/baileys';
import { generateKeyPair, type KeyPair, sign } from './curve.js';

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
      intermediate: { details: intermediate, signature: sign(authority.root.private, intermediate) },
      leaf: { details: leaf, signature: sign(authority.intermediate.private, leaf) },
    }).finish(),
  );
}

function details(serial: number, issuerSerial: number, key: Buffer, nowMs: number): Buffer {
  const second = Math.floor(nowMs / 1000);
  const content = { serial, issuerSerial, key, notBefore: second - YEAR_S, notAfter: second + 10 * YEAR_S };
  return Buffer.from(proto.CertChain.NoiseCertificate.Details.encode(content).finish());
}
