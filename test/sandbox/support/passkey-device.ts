import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { type BinaryNode, bytesToCrockford, proto } from '@whiskeysockets/baileys';
import { agree, generateKeyPair } from '../../../src/sandbox/wire/keys.js';
import { bytesOf, child, textOf } from '../../../src/sandbox/wire/stanza.js';
import type { BaileysDevice } from './baileys-device.js';

const DEVICE_TYPE = proto.DeviceProps.PlatformType.CHROME;

/** The companion's side of the passkey ceremony, which the library does not have, on a socket of the library. */
export class PasskeyDevice {
  readonly #device: BaileysDevice;
  readonly #keys = generateKeyPair();
  readonly #nonce = randomBytes(32);
  #handoff = Buffer.alloc(0);
  #ref = '';
  /** The demands for a passkey, as they came. */
  readonly demands: BinaryNode[] = [];
  readonly continuations: BinaryNode[] = [];

  constructor(device: BaileysDevice) {
    this.#device = device;
    const { ws } = device.socket;
    ws.on('CB:notification,type:passkey_prologue_request', (node: BinaryNode) => {
      this.demands.push(node);
      const secret = Buffer.from(device.creds.advSecretKey, 'base64');
      this.#handoff = Buffer.from(
        hkdfSync('sha256', secret, Buffer.alloc(0), 'shortcake-passkey-handoff-v1', 32),
      );
      device.creds.advSecretKey = randomBytes(32).toString('base64');
      ws.emit('demand', node);
    });
    ws.on('CB:notification,type:crsc_continuation', (node: BinaryNode) => {
      this.continuations.push(node);
      ws.emit('continuation', node);
    });
  }

  /** Waits for that many demands. */
  async demanded(count: number): Promise<void> {
    while (this.demands.length < count) await this.#next('demand');
  }

  async options(): Promise<object> {
    const [demand = await this.#next('demand')] = this.demands.slice(-1);
    const carried = child(demand, 'passkey_request_options');
    return carried ? JSON.parse(textOf(carried)) : this.fetchOptions();
  }

  async fetchOptions(): Promise<object> {
    const answer = await this.ask('get', { tag: 'passkey_request_options', attrs: {} });
    return JSON.parse(textOf(child(answer, 'passkey_request_options')));
  }

  /** Sends the assertion with the commitment. Rejects when the network refuses it. */
  async prove(assertion: { rawId: string }): Promise<void> {
    this.#ref = textOf(child(await this.ask('get', { tag: 'ref', attrs: {} }), 'ref'));
    const identity = proto.CompanionEphemeralIdentity.encode({
      publicKey: this.#keys.public,
      deviceType: DEVICE_TYPE,
      ref: this.#ref,
    }).finish();
    const hash = createHash('sha256').update(identity).update(this.#nonce).digest();
    const payload = proto.ProloguePayload.encode({
      companionEphemeralIdentity: identity,
      commitment: { hash },
    }).finish();
    await this.ask('set', {
      tag: 'passkey_prologue',
      attrs: {},
      content: [
        leaf('credential_id', Buffer.from(assertion.rawId, 'base64url')),
        leaf('webauthn_assertion', Buffer.from(JSON.stringify(assertion))),
        leaf('prologue_payload', payload),
        leaf('pairing_handoff_proof', createHmac('sha256', this.#handoff).update(payload).digest()),
      ],
    });
  }

  /** Reveals a nonce after the phone's continuation. @returns the code to compare */
  async reveal(nonce = this.#nonce): Promise<string> {
    const primary = await this.primary();
    await this.ask('set', leaf('companion_nonce', nonce));
    const digest = createHash('sha256').update(this.#nonce).update(primary.publicKey).digest();
    const bytes = Buffer.from(primary.nonce.subarray(0, 5)).map((byte, at) => byte ^ (digest[at] ?? 0));
    return bytesToCrockford(Buffer.from(bytes));
  }

  /** Asks to be linked, once the owner has compared the codes. */
  async finish(): Promise<void> {
    const { publicKey } = await this.primary();
    const shared = agree(this.#keys.private, publicKey);
    const salt = `Companion Pairing ${DEVICE_TYPE} with ref ${this.#ref}`;
    const key = Buffer.from(hkdfSync('sha256', shared, salt, 'Pairing Information Encryption Key', 32));
    const { noiseKey, signedIdentityKey, advSecretKey } = this.#device.creds;
    const request = proto.PairingRequest.encode({
      companionPublicKey: noiseKey.public,
      companionIdentityKey: signedIdentityKey.public,
      advSecret: Buffer.from(advSecretKey, 'base64'),
    }).finish();
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    const encryptedPayload = Buffer.concat([cipher.update(request), cipher.final(), cipher.getAuthTag()]);
    const sealed = proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish();
    await this.ask('set', leaf('encrypted_pairing_request', sealed));
  }

  /** The phone's half, as it came. */
  async primary(): Promise<{ publicKey: Uint8Array; nonce: Uint8Array }> {
    const [node = await this.#next('continuation')] = this.continuations.slice(-1);
    const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(
      bytesOf(child(node, 'primary_ephemeral_identity')),
    );
    return { publicKey: publicKey ?? Buffer.alloc(0), nonce: nonce ?? Buffer.alloc(0) };
  }

  ask(type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> {
    const attrs = { to: '@s.whatsapp.net', type, xmlns: 'md' };
    return this.#device.socket.query({ tag: 'iq', attrs, content: [content] });
  }

  #next(event: 'demand' | 'continuation'): Promise<BinaryNode> {
    return new Promise((resolve) => this.#device.socket.ws.once(event, resolve));
  }
}

function leaf(tag: string, content: Uint8Array): BinaryNode {
  return { tag, attrs: {}, content };
}
