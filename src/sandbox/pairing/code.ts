import { createCipheriv, createDecipheriv, hkdfSync, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { DeviceView } from '../../contract/sandbox/index.js';
import type { EpochMs } from '../../domain/clock.js';
import type { Account, ClientConnection } from '../state/account.js';
import type { Network } from '../state/network.js';
import { agree, generateKeyPair, type KeyPair } from '../wire/keys.js';
import { IqError, Refusal } from '../wire/refusals.js';
import { bytesOf, child, NETWORK_JID, type Stanza, stanza, textOf } from '../wire/stanza.js';
import type { Passkeys } from './passkeys.js';

const REF_BYTES = 16;
/** Milliseconds in which a device must answer a typed code. */
const ANSWER_MS = 15_000;
/** Milliseconds that a code is good for (zapo `PAIRING_CODE_MAX_AGE_SECONDS`). */
const CODE_MS = 180_000;
const IDENTITY_BYTES = 32;
const TAG = 'link_code_companion_reg';
/** Browser and operating system, as measured against the real network (Baileys PR #2769, whatsapp-rust #979). */
const DISPLAY = /^(Chrome|Edge|Firefox|IE|Opera|Safari) \((Windows|Mac OS|Linux|Android|iOS)\)$/;
/** Browsers, other web clients and Android, all but an unknown one (whatsmeow `PairClientType`, whatsapp-rust `companion_reg.rs`). */
const BROWSER_ID = /^[1-9d-f]$/;

/** A device that shows a code. */
interface CodeRequest {
  connection: ClientConnection;
  ref: Buffer;
  wrappedEphemeral: Buffer;
  /** The code is made just before. */
  madeAt: EpochMs;
  /** True while a typed code is being tried. */
  isTried: boolean;
  /** Set while the device must answer the phone. */
  attempt?: Attempt;
}

interface Attempt {
  account: Account;
  /** The typed code. */
  code: string;
  shared: Buffer;
  resolve(device: Promise<DeviceView>): void;
  reject(error: Error): void;
}

/** Linking by the eight characters that a device shows and a phone's owner types. */
export class PairingCodes {
  readonly #network: Network;
  readonly #passkeys: Passkeys;
  /** By the number to link to; the latest request of a number wins. */
  readonly #requests = new Map<string, CodeRequest>();

  constructor(network: Network, passkeys: Passkeys) {
    this.#network = network;
    this.#passkeys = passkeys;
  }

  /**
   * The device announces that it shows a code.
   * @param isReady the device has answered `pair-device`; earlier requests are refused (zapo 1.7.1, whatsapp-rust #1163)
   * @throws IqError when nobody has that number, or the network would refuse the request
   */
  hello(connection: ClientConnection, element: Stanza, isReady: boolean): Stanza {
    const account = this.#network.directory.byJid(element.attrs.jid);
    if (!account) throw new IqError(404, 'item-not-found');
    if (this.#network.faults.take('no-pairing-code', account)) throw new IqError(429, 'rate-overlimit');
    if (!isReady) throw new IqError(400, 'bad-request');
    if (this.#network.rules.checkDisplay && !isBrowser(element)) throw new IqError(400, 'bad-request');
    const wrappedEphemeral = bytesOf(child(element, 'link_code_pairing_wrapped_companion_ephemeral_pub'));
    const ref = randomBytes(REF_BYTES);
    const madeAt = this.#network.clock.now();
    this.#requests.set(account.pn, { connection, ref, wrappedEphemeral, madeAt, isTried: false });
    return stanza(TAG, { stage: 'companion_hello' }, [stanza('link_code_pairing_ref', {}, ref)]);
  }

  /**
   * A phone's owner types a code.
   * @throws Refusal 400 when no device shows a code for the number, or the code is wrong
   */
  async enter(account: Account, code: string): Promise<DeviceView> {
    const request = this.#requests.get(account.pn);
    if (!request) throw new Refusal('code_not_awaited', `no device waits for a code of ${account.number}`);
    if (this.#network.clock.now() - request.madeAt > CODE_MS)
      throw new Refusal('code_expired', 'the code has expired');
    if (request.isTried) throw new Refusal('code_busy', 'another code is being tried');
    request.isTried = true;
    return this.#try(request, account, code).finally(() => {
      request.isTried = false;
      request.attempt = undefined;
    });
  }

  async #try(request: CodeRequest, account: Account, code: string): Promise<DeviceView> {
    const answered = new Promise<DeviceView>((resolve, reject) => {
      request.attempt = { account, code, shared: NO_BYTES, resolve, reject };
    });
    const cancel = this.#network.clock.after(ANSWER_MS, () => {
      request.attempt?.reject(new Refusal('device_silent', 'the device did not answer'));
    });
    this.#greet(request).catch((error: Error) => request.attempt?.reject(error));
    return answered.finally(cancel);
  }

  /** The phone's first step: its ephemeral key, wrapped with the typed code. */
  async #greet(request: CodeRequest): Promise<void> {
    const { attempt, connection } = request;
    if (!attempt) return;
    const { account, code } = attempt;
    const ephemeral = generateKeyPair();
    const companionEphemeral = await unwrapKey(code, request.wrappedEphemeral);
    const wrapped = await wrapKey(code, ephemeral.public);
    if (this.#requests.get(account.pn) !== request) return;
    attempt.shared = agree(ephemeral.private, companionEphemeral);
    if (this.#network.faults.cutPairing(connection, 'primary-hello', account)) return;
    connection.send(this.#primaryHello(request, account.record.keys.identity, wrapped));
  }

  /**
   * Takes the device's answer to a typed code.
   * @returns the next step, to run once the device has the result
   * @throws IqError when the code was wrong
   */
  finish(connection: ClientConnection, element: Stanza): () => void {
    const request = this.#requestOf(connection);
    const attempt = request?.attempt;
    if (!request || !attempt) throw new IqError(400, 'bad-request');
    const { faults } = this.#network;
    if (faults.take('refuse-companion-finish', attempt.account)) {
      attempt.reject(new Refusal('link_refused', "the network refused the device's last step"));
      throw new IqError(400, 'bad-request');
    }
    const phoneIdentity = attempt.account.record.keys.identity;
    const sealed = bytesOf(child(element, 'link_code_pairing_wrapped_key_bundle'));
    const bundle = openBundle(attempt.shared, sealed);
    const presented = connection.registration?.identity;
    if (
      !bundle ||
      !presented?.equals(bundle.companionIdentity) ||
      !isKey(phoneIdentity, bundle.phoneIdentity)
    ) {
      attempt.reject(new Refusal('code_wrong', 'wrong code'));
      throw new IqError(400, 'bad-request');
    }
    if (faults.take('replay-primary-hello', attempt.account))
      return () => void this.#greet(request).catch(attempt.reject);
    const advSecret = deriveAdvSecret(attempt.shared, phoneIdentity, bundle);
    return () => attempt.resolve(this.#passkeys.link(connection, attempt.account, advSecret));
  }

  /** The connection has ended. */
  leave(connection: ClientConnection): void {
    for (const [pn, request] of this.#requests) {
      if (request.connection !== connection) continue;
      this.#requests.delete(pn);
      request.attempt?.reject(new Refusal('device_gone', 'the device went away'));
    }
  }

  #requestOf(connection: ClientConnection): CodeRequest | undefined {
    return [...this.#requests.values()].find((request) => request.connection === connection);
  }

  #primaryHello(request: CodeRequest, identity: KeyPair, wrapped: Buffer): Stanza {
    const attrs = { from: NETWORK_JID, type: TAG, id: this.#network.newId(), t: String(this.#network.now()) };
    return stanza('notification', attrs, [
      stanza(TAG, { stage: 'primary_hello' }, [
        stanza('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrapped),
        stanza('primary_identity_pub', {}, identity.public),
        stanza('link_code_pairing_ref', {}, request.ref),
      ]),
    ]);
  }
}

function isBrowser(hello: Stanza): boolean {
  return (
    DISPLAY.test(textOf(child(hello, 'companion_platform_display'))) &&
    BROWSER_ID.test(textOf(child(hello, 'companion_platform_id')))
  );
}

function isKey(pair: KeyPair, key: Buffer): boolean {
  return key.length === IDENTITY_BYTES && pair.public.equals(key);
}

const PBKDF2_ROUNDS = 131_072;
const NO_BYTES = Buffer.alloc(0);
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const CTR_IV_BYTES = 16;
const GCM_NONCE_BYTES = 12;
const GCM_TAG_BYTES = 16;
const BUNDLE_INFO = 'link_code_pairing_key_bundle_encryption_key';
const ADV_INFO = 'adv_secret';
const stretch = promisify(pbkdf2);

interface KeyBundle {
  companionIdentity: Buffer;
  phoneIdentity: Buffer;
  random: Buffer;
}

/** Opens an ephemeral key that was wrapped with a code. A wrong code gives a wrong key, never an error. */
async function unwrapKey(code: string, wrapped: Buffer): Promise<Buffer> {
  const salt = wrapped.subarray(0, SALT_BYTES);
  const iv = wrapped.subarray(SALT_BYTES, SALT_BYTES + CTR_IV_BYTES);
  const decipher = createDecipheriv('aes-256-ctr', await keyOf(code, salt), iv);
  return Buffer.concat([decipher.update(wrapped.subarray(SALT_BYTES + CTR_IV_BYTES)), decipher.final()]);
}

/** Wraps an ephemeral key with a code: salt, iv, ciphertext; 80 bytes. */
async function wrapKey(code: string, publicKey: Buffer): Promise<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(CTR_IV_BYTES);
  const cipher = createCipheriv('aes-256-ctr', await keyOf(code, salt), iv);
  return Buffer.concat([salt, iv, cipher.update(publicKey), cipher.final()]);
}

/** Opens the device's key bundle; undefined when the code was wrong on either side. */
function openBundle(shared: Buffer, bundle: Buffer): KeyBundle | undefined {
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

/** The secret that both sides derive instead of the QR's. */
function deriveAdvSecret(shared: Buffer, phoneIdentity: KeyPair, bundle: KeyBundle): Buffer {
  const identities = agree(phoneIdentity.private, bundle.companionIdentity);
  const material = Buffer.concat([shared, identities, bundle.random]);
  return Buffer.from(hkdfSync('sha256', material, Buffer.alloc(0), ADV_INFO, KEY_BYTES));
}

async function keyOf(code: string, salt: Buffer): Promise<Buffer> {
  return stretch(code, salt, PBKDF2_ROUNDS, KEY_BYTES, 'sha256');
}
