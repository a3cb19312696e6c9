import '../../quiet-console.js';
import { randomInt } from 'node:crypto';
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal';
import { type Bundle, isSignedBy, type SignedPreKey } from '../prekeys.js';
import type { State } from '../state/state.js';
import { generateKeyPair, type KeyPair, prefixed, sign } from '../wire/curve.js';

declare module 'libsignal' {
  interface SessionBuilder {
    /** A bundle without a one-time key is fine, whatever the package's own type says. */
    initOutgoing(session: Omit<E2ESession, 'preKey'>): Promise<void>;
  }
  interface SessionCipher {
    closeOpenSession(): Promise<void>;
  }
}

/** Keys that were handed out and not used yet; the oldest are forgotten beyond this. */
const MAX_PRE_KEYS = 5_000;
/** Messages of one session that may be unread. */
const MAX_DEFERRED = 20;
const REGISTRATION_IDS = 16_380;
const SIGNED_PRE_KEY_ID = 1;
const MAX_PRE_KEY_ID = 0xff_ffff;

/** The long-lived keys of a phone. */
export interface SignalKeys {
  registrationId: number;
  identity: KeyPair;
  signedPreKey: KeyPair & { signature: Buffer };
  nextPreKeyId: number;
}

export type CipherType = 'pkmsg' | 'msg';

export function createSignalKeys(): SignalKeys {
  const identity = generateKeyPair();
  const signedPreKey = generateKeyPair();
  const signature = sign(identity.private, prefixed(signedPreKey.public));
  return {
    registrationId: randomInt(1, REGISTRATION_IDS),
    identity,
    signedPreKey: { ...signedPreKey, signature },
    nextPreKeyId: 1,
  };
}

/**
 * The Signal side of one simulated phone: real sessions on libsignal, in memory, kept through `state`. Sessions are
 * held serialised, because a failed decryption leaves the record it worked on in pieces.
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

  /** @param owner the phone's key in the kept state. */
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

  /** Keeps a message unread until the session that it belongs to is needed: most are not, of hundreds in a large group. */
  defer(address: string, type: CipherType, ciphertext: Buffer): void {
    const waiting = this.#deferred.get(address) ?? [];
    waiting.push({ type, ciphertext });
    // a session gets over gaps
    if (waiting.length > MAX_DEFERRED) waiting.shift();
    this.#deferred.set(address, waiting);
  }

  /** Reads what was deferred, so that the session is where its other end believes it to be. */
  async catchUp(address: string): Promise<void> {
    const waiting = this.#deferred.get(address) ?? [];
    this.#deferred.delete(address);
    // what cannot be read was of no use: its key is known
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

  /** Puts back a kept session. After an interrupted run it only reads: its sending half may be behind. */
  async restoreSession(address: string, value: string, interrupted: boolean): Promise<void> {
    this.#sessions.set(address, JSON.parse(value));
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
    return type === 'pkmsg'
      ? cipher.decryptPreKeyWhisperMessage(ciphertext)
      : cipher.decryptWhisperMessage(ciphertext);
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
    const { identity, signedPreKey, registrationId } = this.keys;
    return {
      loadSession: async (address) => this.#load(address),
      storeSession: async (address, record) => {
        const session = record.serialize();
        this.#sessions.set(address, session);
        this.#state.put('session', `${this.#owner}/${address}`, () => JSON.stringify(session));
      },
      isTrustedIdentity: () => true,
      loadPreKey: async (id) => {
        const pair = this.#preKeys.get(Number(id));
        return pair && { privKey: pair.private, pubKey: prefixed(pair.public) };
      },
      removePreKey: (id) => this.#removePreKey(id),
      loadSignedPreKey: () => ({ privKey: signedPreKey.private, pubKey: prefixed(signedPreKey.public) }),
      getOurRegistrationId: () => registrationId,
      getOurIdentity: () => ({ privKey: identity.private, pubKey: prefixed(identity.public) }),
    };
  }
}

/** `user.device`, as libsignal writes its addresses. */
function protocolAddress(address: string): ProtocolAddress {
  const dot = address.lastIndexOf('.');
  return new ProtocolAddress(address.slice(0, dot), Number(address.slice(dot + 1)));
}
