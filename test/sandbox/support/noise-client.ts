import { createCipheriv, createDecipheriv, createHash, hkdfSync } from 'node:crypto';
import { once } from 'node:events';
import { proto } from '@whiskeysockets/baileys';
import { WebSocket } from 'ws';
import { frame } from '../../../src/sandbox/wire/frames.js';
import { agree, generateKeyPair, type KeyPair, verify } from '../../../src/sandbox/wire/keys.js';
import { decodeStanza, type Stanza } from '../../../src/sandbox/wire/stanza.js';

const HEADER = Buffer.from([0x57, 0x41, 6, 3]);
const NAMES = {
  XX: Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0'),
  IK: Buffer.from('Noise_IK_25519_AESGCM_SHA256\0\0\0\0'),
  XXfallback: createHash('sha256').update('Noise_XXfallback_25519_AESGCM_SHA256').digest(),
};

/** The initiator's state, after Noise section 5; independent of the sandbox's responder. */
class Initiator {
  #hash: Buffer;
  #chain: Buffer;
  #key: Buffer;
  #counter = 0;

  constructor(pattern: keyof typeof NAMES) {
    this.#hash = this.#chain = this.#key = NAMES[pattern];
    this.mixHash(HEADER);
  }

  mixHash(bytes: Uint8Array): void {
    this.#hash = createHash('sha256').update(this.#hash).update(bytes).digest();
  }

  mixKey(material: Buffer): void {
    [this.#chain, this.#key] = expand(material, this.#chain);
    this.#counter = 0;
  }

  encrypt(plain: Uint8Array): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv(this.#counter++)).setAAD(this.#hash);
    const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    this.mixHash(sealed);
    return sealed;
  }

  decrypt(sealed: Uint8Array): Buffer {
    const plain = open(this.#key, this.#counter++, sealed, this.#hash);
    this.mixHash(sealed);
    return plain;
  }

  /** The key of what the server sends. */
  serverKey(): Buffer {
    return expand(Buffer.alloc(0), this.#chain)[1];
  }
}

/** The result of a handshake. */
export interface Handshake {
  pattern: keyof typeof NAMES;
  serverKey: Buffer;
  certificate: Buffer;
  /** The hello of the network came in a WebSocket message of its own. */
  isHelloAlone: boolean;
  /** The first stanza of the network. */
  first: Stanza;
  /** The first stanzas, as many as were asked for; not for a resumed connection. */
  stanzas?: Stanza[];
  /** Milliseconds from that stanza until the network closes the connection, if that was asked for. */
  openMs?: number;
}

/** Connects with a payload; resumes with IK when the server's key is given. */
export async function shakeHands(
  url: string,
  {
    key,
    payload,
    serverKey,
    untilClosed = false,
    count = 1,
  }: {
    key: KeyPair;
    payload: Uint8Array;
    serverKey?: Buffer;
    /** Wait until the network closes the connection; not for a resumed one. */
    untilClosed?: boolean;
    /** How many stanzas to wait for; not for a resumed connection. */
    count?: number;
  },
): Promise<Handshake> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const frames = reader(socket);
  const ephemeral = generateKeyPair();
  const send = (message: proto.IHandshakeMessage, before = Buffer.alloc(0)) =>
    socket.send(Buffer.concat([before, frame(proto.HandshakeMessage.encode(message).finish())]));
  try {
    let noise = new Initiator(serverKey ? 'IK' : 'XX');
    if (serverKey) noise.mixHash(serverKey);
    noise.mixHash(ephemeral.public);
    const hello: proto.HandshakeMessage.IClientHello = { ephemeral: ephemeral.public };
    if (serverKey) {
      noise.mixKey(agree(ephemeral.private, serverKey));
      hello.static = noise.encrypt(key.public);
      noise.mixKey(agree(key.private, serverKey));
      hello.payload = noise.encrypt(payload);
    }
    const answer = once(socket, 'message');
    send({ clientHello: hello }, HEADER);
    const [data] = await answer;
    const isHelloAlone = data.length === 3 + data.readUIntBE(0, 3);
    const { serverHello } = proto.HandshakeMessage.decode(await frames());
    const theirs = Buffer.from(serverHello?.ephemeral ?? []);
    const sealed = Buffer.from(serverHello?.payload ?? []);
    if (serverKey && !serverHello?.static) {
      noise.mixHash(theirs);
      noise.mixKey(agree(ephemeral.private, theirs));
      noise.mixKey(agree(key.private, theirs));
      const certificate = noise.decrypt(sealed);
      const first = decodeStanza(open(noise.serverKey(), 0, await frames()));
      return { pattern: 'IK', serverKey, certificate, isHelloAlone, first };
    }
    const pattern = serverKey ? 'XXfallback' : 'XX';
    noise = new Initiator(pattern);
    noise.mixHash(ephemeral.public);
    noise.mixHash(theirs);
    noise.mixKey(agree(ephemeral.private, theirs));
    const shown = noise.decrypt(Buffer.from(serverHello?.static ?? []));
    noise.mixKey(agree(ephemeral.private, shown));
    const certificate = noise.decrypt(sealed);
    const encrypted = noise.encrypt(key.public);
    noise.mixKey(agree(key.private, theirs));
    send({ clientFinish: { static: encrypted, payload: noise.encrypt(payload) } });
    const opened = noise.serverKey();
    const first = decodeStanza(open(opened, 0, await frames()));
    const begin = Date.now();
    const stanzas = [first];
    while (stanzas.length < count) stanzas.push(decodeStanza(open(opened, stanzas.length, await frames())));
    if (untilClosed) await once(socket, 'close');
    const openMs = Date.now() - begin;
    return { pattern, serverKey: shown, certificate, isHelloAlone, first, stanzas, openMs };
  } finally {
    socket.terminate();
  }
}

/** The flaw of a certificate chain (whatsmeow `verifyServerCert`); undefined when it is valid. */
export function certificateFlaw({ certificate, serverKey }: Handshake, root: Uint8Array): string | undefined {
  const { intermediate, leaf } = proto.CertChain.decode(certificate);
  const middle = detailsOf(intermediate);
  const last = detailsOf(leaf);
  if (!verify(root, middle.bytes, intermediate?.signature ?? Buffer.alloc(0))) return 'root';
  if (!verify(middle.key, last.bytes, leaf?.signature ?? Buffer.alloc(0))) return 'intermediate';
  if (!last.key.equals(serverKey)) return 'key';
  return Math.min(middle.notAfter, last.notAfter) * 1000 < Date.now() ? 'time' : undefined;
}

function detailsOf(certificate: proto.CertChain.INoiseCertificate | null | undefined) {
  const bytes = Buffer.from(certificate?.details ?? []);
  const { key, notAfter } = proto.CertChain.NoiseCertificate.Details.decode(bytes);
  return { bytes, key: Buffer.from(key ?? []), notAfter: Number(notAfter) };
}

/** Cuts the socket's bytes into frames, in their order. */
function reader(socket: WebSocket): () => Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  socket.on('message', (data: Buffer) => {
    bytes = Buffer.concat([bytes, data]);
    socket.emit('bytes');
  });
  return async () => {
    while (bytes.length < 3 || bytes.length < 3 + bytes.readUIntBE(0, 3)) await once(socket, 'bytes');
    const end = 3 + bytes.readUIntBE(0, 3);
    const next = bytes.subarray(3, end);
    bytes = bytes.subarray(end);
    return next;
  };
}

function expand(material: Buffer, salt: Buffer): [Buffer, Buffer] {
  const bytes = Buffer.from(hkdfSync('sha256', material, salt, Buffer.alloc(0), 64));
  return [bytes.subarray(0, 32), bytes.subarray(32)];
}

function open(key: Buffer, counter: number, sealed: Uint8Array, aad: Uint8Array = Buffer.alloc(0)): Buffer {
  const end = sealed.length - 16;
  const decipher = createDecipheriv('aes-256-gcm', key, iv(counter)).setAAD(aad);
  decipher.setAuthTag(sealed.subarray(end));
  return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
}

function iv(counter: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(counter, 8);
  return bytes;
}
