import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { HEADER } from './frames.js';
import { agree, generateKeyPair, type KeyPair } from './keys.js';

/** Names of 32 bytes are the first handshake hash as they stand; a longer one is hashed (Noise, section 5.2). */
const PATTERNS = {
  XX: Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0'),
  IK: Buffer.from('Noise_IK_25519_AESGCM_SHA256\0\0\0\0'),
  XXfallback: createHash('sha256').update('Noise_XXfallback_25519_AESGCM_SHA256').digest(),
};
const TAG_BYTES = 16;
const NO_BYTES = Buffer.alloc(0);

interface ServerHello {
  ephemeral: Buffer;
  /** Absent when a handshake was resumed: the client knows the key. */
  static?: Buffer;
  payload: Buffer;
}

interface ClientFinish {
  clientKey: Buffer;
  payload: Buffer;
}

/**
 * The responder's side of the Noise handshakes that the network speaks: XX, and for a client that knows the server's
 * key IK, with XXfallback where that key is not valid (zapo `WaNoiseSession.ts`). It is written on node's own crypto and
 * shares nothing with the client's implementation, so that one checks the other.
 */
export class NoiseResponder {
  readonly #static: KeyPair;
  readonly #ephemeral = generateKeyPair();
  #hash: Buffer = NO_BYTES;
  #chain: Buffer = NO_BYTES;
  #key: Buffer = NO_BYTES;
  #counter = 0;

  constructor(staticKey: KeyPair) {
    this.#static = staticKey;
  }

  /** Answers the client's hello. `certificate` is the encoded chain, sent encrypted. */
  hello(
    clientEphemeral: Uint8Array,
    certificate: Uint8Array,
    pattern: 'XX' | 'XXfallback' = 'XX',
  ): ServerHello & { static: Buffer } {
    this.#start(pattern);
    this.#mixHash(clientEphemeral);
    this.#mixHash(this.#ephemeral.public);
    this.#mixKey(agree(this.#ephemeral.private, clientEphemeral));
    const encryptedStatic = this.#encrypt(this.#static.public);
    this.#mixKey(agree(this.#static.private, clientEphemeral));
    const payload = this.#encrypt(certificate);
    return { ephemeral: this.#ephemeral.public, static: encryptedStatic, payload };
  }

  /**
   * Answers a hello that resumes: the client has encrypted its key and payload with the server's key.
   * @returns undefined when it used another key; then `hello` with XXfallback answers
   */
  resume(
    hello: { ephemeral: Uint8Array; static: Uint8Array; payload: Uint8Array },
    certificate: Uint8Array,
  ): { serverHello: ServerHello; finished: ClientFinish } | undefined {
    this.#start('IK');
    this.#mixHash(this.#static.public);
    this.#mixHash(hello.ephemeral);
    this.#mixKey(agree(this.#static.private, hello.ephemeral));
    try {
      const clientKey = this.#decrypt(hello.static);
      this.#mixKey(agree(this.#static.private, clientKey));
      const payload = this.#decrypt(hello.payload);
      this.#mixHash(this.#ephemeral.public);
      this.#mixKey(agree(this.#ephemeral.private, hello.ephemeral));
      this.#mixKey(agree(this.#ephemeral.private, clientKey));
      const serverHello = { ephemeral: this.#ephemeral.public, payload: this.#encrypt(certificate) };
      return { serverHello, finished: { clientKey, payload } };
    } catch {
      return undefined;
    }
  }

  /** Opens the client's last handshake message; throws when it does not authenticate. */
  finish(encryptedStatic: Uint8Array, encryptedPayload: Uint8Array): ClientFinish {
    const clientKey = this.#decrypt(encryptedStatic);
    this.#mixKey(agree(this.#ephemeral.private, clientKey));
    return { clientKey, payload: this.#decrypt(encryptedPayload) };
  }

  /** The transport keys, once the handshake is finished. */
  split(): Transport {
    const [fromClient, toClient] = derive(NO_BYTES, this.#chain);
    return new Transport(fromClient, toClient);
  }

  #start(pattern: keyof typeof PATTERNS): void {
    this.#hash = this.#chain = this.#key = PATTERNS[pattern];
    this.#counter = 0;
    this.#mixHash(HEADER);
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
