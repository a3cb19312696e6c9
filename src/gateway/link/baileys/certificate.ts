import { createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { Curve, NOISE_MODE, NOISE_WA_HEADER, proto, WA_CERT_DETAILS } from '@whiskeysockets/baileys';
import type { KindOf } from '../../../domain/reasons.js';
import { verifyXed } from '../../../domain/xeddsa.js';

/** Serial number of the root that signs the network's intermediate certificate. */
const ROOT_SERIAL = 0;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const TAG_BYTES = 16;
/** Length of a frame, before each frame. */
const LENGTH_BYTES = 3;
const NOTHING = new Uint8Array();

/** WhatsApp's root key as the library pins it; a copy, because `trustRoot` changes the library's value. */
const WHATSAPP_ROOT = Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY);

/** True only for a valid XEdDSA signature. The library's own function ignores the result. */
export function isSignedBy(
  publicKey: Uint8Array | null | undefined,
  message: Uint8Array,
  signature: Uint8Array | null | undefined,
): boolean {
  if (publicKey?.length !== KEY_BYTES || signature?.length !== SIGNATURE_BYTES) return false;
  try {
    return verifyXed(publicKey, message, signature);
  } catch {
    // not a point of the curve
    return false;
  }
}

export interface KeyPair {
  public: Uint8Array;
  private: Uint8Array;
}

/**
 * Runs `make`, and captures the ephemeral key pair that the library generates in it for the Noise handshake. The key is
 * needed to read the server's certificate, which the library does not expose. If a later release takes its keys from
 * elsewhere, no certificate is readable and the link refuses to connect.
 * @param make must be synchronous
 */
export function withEphemeralKey<Result>(make: () => Result): {
  result: Result;
  ephemeral: KeyPair | undefined;
} {
  const { generateKeyPair } = Curve;
  let ephemeral: KeyPair | undefined;
  Curve.generateKeyPair = () => {
    const pair = generateKeyPair();
    ephemeral ??= pair;
    return pair;
  };
  try {
    return { result: make(), ephemeral };
  } finally {
    Curve.generateKeyPair = generateKeyPair;
  }
}

type CertificateFault = KindOf<'certificate_untrusted'>;

/**
 * Reads the server's first frame of the handshake as it arrives, and verifies its chain of certificates. The library reads
 * the chain, and ignores whether it verifies.
 */
export class CertificateCheck {
  readonly #ephemeral: KeyPair | undefined;
  readonly #root: Uint8Array;
  #received = Buffer.alloc(0);
  #done = false;

  /** @param root public key of the network's root; WhatsApp's when it is not given */
  constructor(ephemeral: KeyPair | undefined, root: Uint8Array = WHATSAPP_ROOT) {
    this.#ephemeral = ephemeral;
    this.#root = root;
  }

  /**
   * Takes bytes from the server.
   * @returns why the server is not trusted, once that is known
   */
  take(data: Uint8Array, nowMs: number): CertificateFault | undefined {
    if (this.#done) return undefined;
    this.#received = Buffer.concat([this.#received, data]);
    if (this.#received.length < LENGTH_BYTES) return undefined;
    const end = LENGTH_BYTES + this.#received.readUIntBE(0, LENGTH_BYTES);
    if (this.#received.length < end) return undefined;
    const hello = this.#received.subarray(LENGTH_BYTES, end);
    this.#done = true;
    this.#received = Buffer.alloc(0);
    try {
      const { key, chain } = this.#read(hello);
      return faultOf(chain, key, this.#root, nowMs);
    } catch {
      return 'unreadable';
    }
  }

  /** The server's static key, and its chain. Noise_XX_25519_AESGCM_SHA256, from the client's side. */
  #read(hello: Buffer): { key: Buffer; chain: proto.CertChain } {
    const { serverHello } = proto.HandshakeMessage.decode(hello);
    if (!this.#ephemeral || !serverHello?.ephemeral || !serverHello.static || !serverHello.payload) {
      throw new Error('incomplete');
    }
    const noise = new NoiseReader();
    noise.mixHash(NOISE_WA_HEADER);
    noise.mixHash(this.#ephemeral.public);
    noise.mixHash(serverHello.ephemeral);
    noise.mixKey(Curve.sharedKey(this.#ephemeral.private, serverHello.ephemeral));
    const key = noise.open(serverHello.static);
    noise.mixKey(Curve.sharedKey(this.#ephemeral.private, key));
    return { key, chain: proto.CertChain.decode(noise.open(serverHello.payload)) };
  }
}

class NoiseReader {
  #hash = Buffer.from(NOISE_MODE);
  #chain: Buffer = this.#hash;
  #key: Buffer = this.#hash;

  mixHash(data: Uint8Array): void {
    this.#hash = createHash('sha256').update(this.#hash).update(data).digest();
  }

  mixKey(material: Uint8Array): void {
    const bytes = Buffer.from(hkdfSync('sha256', material, this.#chain, NOTHING, 2 * KEY_BYTES));
    [this.#chain, this.#key] = [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)];
  }

  /** Each key opens one text here, so the counter stays zero. */
  open(sealed: Uint8Array): Buffer {
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, Buffer.alloc(12)).setAAD(this.#hash);
    decipher.setAuthTag(sealed.subarray(end));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
    this.mixHash(sealed);
    return plain;
  }
}

/** The checks of whatsmeow's `verifyServerCert`: signatures, serial numbers, times, and whose key it is. */
function faultOf(
  chain: proto.CertChain,
  key: Buffer,
  root: Uint8Array,
  nowMs: number,
): CertificateFault | undefined {
  const { intermediate, leaf } = chain;
  if (!intermediate?.details || !leaf?.details) return 'incomplete';
  const upper = proto.CertChain.NoiseCertificate.Details.decode(intermediate.details);
  const lower = proto.CertChain.NoiseCertificate.Details.decode(leaf.details);
  if (upper.issuerSerial !== ROOT_SERIAL || !isSignedBy(root, intermediate.details, intermediate.signature)) {
    return 'other_root';
  }
  if (lower.issuerSerial !== upper.serial || !isSignedBy(upper.key, leaf.details, leaf.signature)) {
    return 'other_issuer';
  }
  if (!key.equals(lower.key ?? NOTHING)) return 'other_server';
  const isInTime = [upper, lower].every(
    ({ notBefore, notAfter }) => Number(notBefore) * 1_000 <= nowMs && nowMs <= Number(notAfter) * 1_000,
  );
  return isInTime ? undefined : 'expired';
}
