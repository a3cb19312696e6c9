import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { agree, generateKeyPair, type KeyPair } from './curve.js';
import { HEADER } from './frames.js';

/** Exactly 32 bytes, so that it is the first handshake hash as it stands. */
const PROTOCOL_NAME = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0');
const TAG_BYTES = 16;
const NO_BYTES = Buffer.alloc(0);

/** The server's second message of the handshake. */
export interface ServerHello {
  ephemeral: Buffer;
  static: Buffer;
  payload: Buffer;
}

/**
 * The responder's side of Noise_XX_25519_AESGCM_SHA256 as the network speaks it. It is written on node's own
 * crypto and shares nothing with the client's implementation, so that one checks the other.
 */
export class NoiseResponder {
  readonly #static: KeyPair;
  readonly #ephemeral = generateKeyPair();
  #hash: Buffer = PROTOCOL_NAME;
  #chain: Buffer = PROTOCOL_NAME;
  #key: Buffer = PROTOCOL_NAME;
  #counter = 0;

  constructor(staticKey: KeyPair) {
    this.#static = staticKey;
    this.#mixHash(HEADER);
  }

  /** Answers the client's hello. `certificate` is the encoded chain, sent encrypted. */
  hello(clientEphemeral: Uint8Array, certificate: Uint8Array): ServerHello {
    this.#mixHash(clientEphemeral);
    this.#mixHash(this.#ephemeral.public);
    this.#mixKey(agree(this.#ephemeral.private, clientEphemeral));
    const encryptedStatic = this.#encrypt(this.#static.public);
    this.#mixKey(agree(this.#static.private, clientEphemeral));
    const payload = this.#encrypt(certificate);
    return { ephemeral: this.#ephemeral.public, static: encryptedStatic, payload };
  }

  /** Opens the client's last handshake message; throws when it does not authenticate. */
  finish(encryptedStatic: Uint8Array, encryptedPayload: Uint8Array): { clientKey: Buffer; payload: Buffer } {
    const clientKey = this.#decrypt(encryptedStatic);
    this.#mixKey(agree(this.#ephemeral.private, clientKey));
    return { clientKey, payload: this.#decrypt(encryptedPayload) };
  }

  /** The transport keys, once the handshake is finished. */
  split(): Transport {
    const [fromClient, toClient] = derive(NO_BYTES, this.#chain);
    return new Transport(fromClient, toClient);
  }

  #mixHash(data: Uint8Array): void {
    this.#hash = createHash('sha256').update(this.#hash).update(data).digest();
  }

  #mixKey(material: Buffer): void {
    [this.#chain, this.#key] = derive(material, this.#chain);
    this.#counter = 0;
  }

  #encrypt(plain: Uint8Array): Buffer {
    const sealed = seal(this.#key, this.#counter++, plain, this.#hash);
    this.#mixHash(sealed);
    return sealed;
  }

  #decrypt(sealed: Uint8Array): Buffer {
    const plain = unseal(this.#key, this.#counter++, sealed, this.#hash);
    this.#mixHash(sealed);
    return plain;
  }
}

/** The encrypted stream after the handshake: one counter for each direction, so order matters. */
export class Transport {
  readonly #fromClient: Buffer;
  readonly #toClient: Buffer;
  #received = 0;
  #sent = 0;

  constructor(fromClient: Buffer, toClient: Buffer) {
    this.#fromClient = fromClient;
    this.#toClient = toClient;
  }

  encrypt(plain: Uint8Array): Buffer {
    return seal(this.#toClient, this.#sent++, plain, NO_BYTES);
  }

  /** Throws when the frame was not made with the client's key and counter. */
  decrypt(sealed: Uint8Array): Buffer {
    return unseal(this.#fromClient, this.#received++, sealed, NO_BYTES);
  }
}

function derive(material: Buffer, salt: Buffer): [Buffer, Buffer] {
  const bytes = Buffer.from(hkdfSync('sha256', material, salt, NO_BYTES, 64));
  return [bytes.subarray(0, 32), bytes.subarray(32)];
}

function nonce(counter: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter, 8);
  return iv;
}

function seal(key: Buffer, counter: number, plain: Uint8Array, aad: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce(counter)).setAAD(aad);
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function unseal(key: Buffer, counter: number, sealed: Uint8Array, aad: Buffer): Buffer {
  const end = sealed.length - TAG_BYTES;
  if (end < 0) throw new Error('sealed data is shorter than its tag');
  const decipher = createDecipheriv('aes-256-gcm', key, nonce(counter)).setAAD(aad);
  decipher.setAuthTag(sealed.subarray(end));
  return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
}
