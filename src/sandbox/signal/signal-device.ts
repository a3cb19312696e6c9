import { randomInt } from 'node:crypto';
import Joi, { type AnySchema } from 'joi';
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal';
import { keepOtherSessions } from '../../domain/signal-sessions.js';
import type { State } from '../store/state.js';
import { readRow } from '../store/stored-row.js';
import { generateKeyPair, type KeyPair, prefixed, sign } from '../wire/keys.js';
import { type Bundle, isSignedBy, type SignedPreKey } from './prekeys.js';
import '../../quiet-console.js';

declare module 'libsignal' {
  interface SessionBuilder {
    /** A bundle without a one-time key is fine, whatever the package's own type says. */
    initOutgoing(session: Omit<E2ESession, 'preKey'>): Promise<void>;
  }
  interface SessionCipher {
    closeOpenSession(): Promise<void>;
  }
}

/** Limit of keys that were handed out and not used yet; the oldest are dropped. */
const MAX_PRE_KEYS = 5_000;
/** Limit of deferred messages per session. */
const MAX_DEFERRED = 20;
const REGISTRATION_IDS = 16_380;
const SIGNED_PRE_KEY_ID = 1;
const MAX_PRE_KEY_ID = 0xff_ffff;

const SESSION: AnySchema<ReturnType<SessionRecord['serialize']>> = Joi.object({
  _sessions: Joi.object().required(),
}).unknown();

/** The long-lived keys of a phone. */
export interface SignalKeys {
  registrationId: number;
  identity: KeyPair;
  signedPreKey: KeyPair & { signature: Buffer };
  nextPreKeyId: number;
}

type CipherType = 'pkmsg' | 'msg';

export function createSignalKeys(): SignalKeys {
  const identity = generateKeyPair();
  const signedPreKey = generateKeyPair();
  const signature = sign(identity, prefixed(signedPreKey.public));
  return {
    registrationId: randomInt(1, REGISTRATION_IDS),
    identity,
    signedPreKey: { ...signedPreKey, signature },
    nextPreKeyId: 1,
  };
}

/**
 * The Signal sessions of one simulated phone: real ones on libsignal, in memory, stored through `state`. Sessions are
 * held serialised, because a failed decryption leaves its record half changed.
 */
export class SignalDevice {
  readonly keys: SignalKeys;
  readonly #owner: string;
  readonly #state: State;
  readonly #sessions = new Map<string, ReturnType<SessionRecord['serialize']>>();
  readonly #preKeys = new Map<number, KeyPair>();
  /** By address, oldest first. */
  readonly #deferred = new Map<string, { type: CipherType; ciphertext: Buffer }[]>();
  readonly #storage: SignalStorage;

  /** @param owner the phone's key in the stored state */
  constructor(owner: string, keys: SignalKeys, state: State) {
    this.#owner = owner;
    this.keys = keys;
    this.#state = state;
    this.#storage = this.#createStorage();
  }

  /** A bundle with a fresh one-time key. */
  takeBundle(): Bundle {
    const { registrationId, identity } = this.keys;
    return {
      registrationId,
      identity: identity.public,
      signedPreKey: this.#publicSignedPreKey(),
      preKey: this.#newPreKey(),
    };
  }

  /** Begins with new keys, and without sessions. */
  reset(): void {
    Object.assign(this.keys, createSignalKeys());
    for (const address of [...this.#sessions.keys()]) this.forget(address);
    for (const id of [...this.#preKeys.keys()]) this.#removePreKey(id);
    this.#deferred.clear();
  }

  /** Forgets the session with a device, whose keys are not valid any more. */
  forget(address: string): void {
    this.#deferred.delete(address);
    if (this.#sessions.delete(address)) this.#state.remove('session', `${this.#owner}/${address}`);
  }

  /** True when there is a session to encrypt with. */
  hasSession(address: string): boolean {
    const session = this.#load(address);
    return session?.haveOpenSession() ?? false;
  }

  /**
   * Opens a session with a device.
   * @throws when the bundle's signed pre-key is not signed by its identity.
   */
  async startSession(address: string, bundle: Bundle): Promise<void> {
    if (!isSignedBy(bundle.identity, bundle.signedPreKey))
      throw new Error('signed pre-key has a bad signature');
    const { registrationId, signedPreKey, preKey } = bundle;
    await new SessionBuilder(this.#storage, protocolAddress(address)).initOutgoing({
      registrationId,
      identityKey: prefixed(bundle.identity),
      signedPreKey: {
        keyId: signedPreKey.id,
        publicKey: prefixed(signedPreKey.value),
        signature: signedPreKey.signature,
      },
      ...(preKey && { preKey: { keyId: preKey.id, publicKey: prefixed(preKey.value) } }),
    });
  }

  /** Defers decryption until the session is needed: in a large group, most sessions never are. */
  defer(address: string, type: CipherType, ciphertext: Buffer): void {
    const waiting = this.#deferred.get(address) ?? [];
    waiting.push({ type, ciphertext });
    // a session tolerates gaps
    if (waiting.length > MAX_DEFERRED) waiting.shift();
    this.#deferred.set(address, waiting);
  }

  /** Decrypts the deferred messages, so that the session has the state that its other end expects. */
  async catchUp(address: string): Promise<void> {
    const waiting = this.#deferred.get(address) ?? [];
    this.#deferred.delete(address);
    // a deferred message only carries a key that is already known: a failure does not matter
    for (const { type, ciphertext } of waiting)
      await this.#decrypt(address, type, ciphertext).catch(() => undefined);
  }

  async encrypt(address: string, plain: Buffer): Promise<{ type: CipherType; ciphertext: Buffer }> {
    const sealed = await new SessionCipher(this.#storage, protocolAddress(address)).encrypt(plain);
    return { type: sealed.type === 3 ? 'pkmsg' : 'msg', ciphertext: Buffer.from(sealed.body, 'binary') };
  }

  /** @throws when there is no fitting session or key, or the ciphertext is not authentic. */
  async decrypt(address: string, type: CipherType, ciphertext: Buffer): Promise<Buffer> {
    await this.catchUp(address);
    return this.#decrypt(address, type, ciphertext);
  }

  /** Puts back a stored session. After an interrupted run it only decrypts: its sending chain may be outdated. */
  async restoreSession(address: string, value: string, interrupted: boolean): Promise<void> {
    this.#sessions.set(address, readRow(SESSION, value));
    if (interrupted) await new SessionCipher(this.#storage, protocolAddress(address)).closeOpenSession();
  }

  restorePreKey(id: number, value: string): void {
    const [publicKey = '', privateKey = ''] = value.split(' ');
    const pair = { public: Buffer.from(publicKey, 'base64'), private: Buffer.from(privateKey, 'base64') };
    this.#preKeys.set(id, pair);
    this.keys.nextPreKeyId = Math.max(this.keys.nextPreKeyId, id + 1);
  }

  async #decrypt(address: string, type: CipherType, ciphertext: Buffer): Promise<Buffer> {
    const cipher = new SessionCipher(this.#storage, protocolAddress(address));
    if (type === 'pkmsg') return cipher.decryptPreKeyWhisperMessage(ciphertext);
    const before = this.#sessions.get(address);
    const plain = await cipher.decryptWhisperMessage(ciphertext);
    const after = this.#sessions.get(address);
    if (after) {
      keepOtherSessions(before, after);
      this.#store(address, after);
    }
    return plain;
  }

  #store(address: string, session: ReturnType<SessionRecord['serialize']>): void {
    this.#sessions.set(address, session);
    this.#state.put('session', `${this.#owner}/${address}`, () => JSON.stringify(session));
  }

  #publicSignedPreKey(): SignedPreKey {
    const { public: value, signature } = this.keys.signedPreKey;
    return { id: SIGNED_PRE_KEY_ID, value, signature };
  }

  #newPreKey(): { id: number; value: Buffer } {
    const id = this.keys.nextPreKeyId;
    this.keys.nextPreKeyId = id >= MAX_PRE_KEY_ID ? 1 : id + 1;
    const pair = generateKeyPair();
    this.#preKeys.set(id, pair);
    const row = `${pair.public.toString('base64')} ${pair.private.toString('base64')}`;
    this.#state.put('phone-prekey', `${this.#owner}/${id}`, () => row);
    const [oldest] = this.#preKeys.keys();
    if (this.#preKeys.size > MAX_PRE_KEYS && oldest !== undefined) this.#removePreKey(oldest);
    return { id, value: pair.public };
  }

  #removePreKey(id: number): void {
    this.#preKeys.delete(id);
    this.#state.remove('phone-prekey', `${this.#owner}/${id}`);
  }

  #load(address: string): SessionRecord | undefined {
    const session = this.#sessions.get(address);
    return session && SessionRecord.deserialize(session);
  }

  #createStorage(): SignalStorage {
    const { keys } = this;
    const pairOf = ({ public: key, private: privKey }: KeyPair) => ({ privKey, pubKey: prefixed(key) });
    return {
      loadSession: async (address) => this.#load(address),
      storeSession: async (address, record) => this.#store(address, record.serialize()),
      isTrustedIdentity: () => true,
      loadPreKey: async (id) => {
        const pair = this.#preKeys.get(Number(id));
        return pair && pairOf(pair);
      },
      removePreKey: (id) => this.#removePreKey(id),
      loadSignedPreKey: () => pairOf(keys.signedPreKey),
      getOurRegistrationId: () => keys.registrationId,
      getOurIdentity: () => pairOf(keys.identity),
    };
  }
}

/** `user.device`, as libsignal writes its addresses. */
function protocolAddress(address: string): ProtocolAddress {
  const dot = address.lastIndexOf('.');
  return new ProtocolAddress(address.slice(0, dot), Number(address.slice(dot + 1)));
}
