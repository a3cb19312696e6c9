import type { SignalKeyStore } from '@whiskeysockets/baileys';
import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord, type SignalStorage } from 'libsignal';
import '../../src/quiet-console.js';
import { createSignalKeys } from '../../src/sandbox/signal/signal-device.js';
import { generateKeyPair, prefixed } from '../../src/sandbox/wire/keys.js';

/** Where a party keeps the record of its session. */
export interface Records {
  load(): Promise<ReturnType<SessionRecord['serialize']> | undefined>;
  store(record: SessionRecord): Promise<void>;
}

/** One side of a conversation, on real libsignal. */
export class Party {
  readonly keys = createSignalKeys();
  readonly #preKey = generateKeyPair();
  readonly #storage: SignalStorage;
  readonly #address = new ProtocolAddress('other', 1);

  constructor(records: Records) {
    const pairOf = ({ public: pub, private: priv }: { public: Uint8Array; private: Uint8Array }) => ({
      pubKey: Buffer.from(prefixed(pub)),
      privKey: Buffer.from(priv),
    });
    this.#storage = {
      loadSession: async () => {
        const stored = await records.load();
        return stored && SessionRecord.deserialize(stored);
      },
      storeSession: (_id, record) => records.store(record),
      isTrustedIdentity: () => true,
      loadPreKey: async () => pairOf(this.#preKey),
      removePreKey: () => undefined,
      loadSignedPreKey: () => pairOf(this.keys.signedPreKey),
      getOurRegistrationId: () => this.keys.registrationId,
      getOurIdentity: () => pairOf(this.keys.identity),
    };
  }

  /** Begins the conversation. */
  async meet(other: Party): Promise<void> {
    const { keys } = other;
    await new SessionBuilder(this.#storage, this.#address).initOutgoing({
      registrationId: keys.registrationId,
      identityKey: prefixed(keys.identity.public),
      signedPreKey: {
        keyId: 1,
        publicKey: prefixed(keys.signedPreKey.public),
        signature: keys.signedPreKey.signature,
      },
      preKey: { keyId: 1, publicKey: prefixed(other.#preKey.public) },
    });
  }

  async writes(text: string): Promise<{ type: number; body: Buffer }> {
    const { type, body } = await new SessionCipher(this.#storage, this.#address).encrypt(Buffer.from(text));
    return { type, body: Buffer.from(body, 'binary') };
  }

  async reads({ type, body }: { type: number; body: Buffer }): Promise<string> {
    const cipher = new SessionCipher(this.#storage, this.#address);
    const plain =
      type === 3 ? await cipher.decryptPreKeyWhisperMessage(body) : await cipher.decryptWhisperMessage(body);
    return plain.toString();
  }
}

/** The records of a link, through its key store. */
export function linkRecords(store: SignalKeyStore): Records {
  return {
    load: async () => (await store.get('session', ['other.1']))['other.1'],
    store: async (record) => store.set({ session: { 'other.1': record.serialize() } }),
  };
}
