import { createHash } from 'node:crypto';
import { BufferJSON } from '@whiskeysockets/baileys';
// the library's ciphers of groups have no other door than this path
import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyMessage,
  SenderKeyName,
  SenderKeyRecord,
} from '@whiskeysockets/baileys/lib/Signal/Group/index.js';
import { LRUCache } from 'lru-cache';
import type { State } from '../state/state.js';
import { verify } from '../wire/curve.js';

const MAX_OPENED = 5_000;
const MAX_OPENED_BYTES = 32 * 1024 * 1024;
const SIGNATURE_BYTES = 64;
/** The cipher skips every second key and keeps what it skips, but messages hardly ever overtake each other. */
const MAX_SKIPPED_KEYS = 50;

/** A point in the chain of a sender's keys: who was given the key there can read from there on. */
export interface KeyPosition {
  keyId: number;
  iteration: number;
}

/** A key as others are given it. */
export interface Distribution {
  bytes: Uint8Array;
  position: KeyPosition;
}

/** Whose key it is: a device, as `lid.device`, in a group. */
export interface KeyOwner {
  group: string;
  sender: string;
}

/**
 * The keys by which devices encrypt for whole groups. All simulated phones share one set, so that what was sent to
 * hundreds of them is decrypted once; who of them may read a message is theirs to check.
 */
export class SenderKeys {
  readonly #records = new Map<string, SenderKeyRecord>();
  readonly #opened = new LRUCache<string, { plain: Promise<Buffer> }>({
    max: MAX_OPENED,
    maxSize: MAX_OPENED_BYTES,
  });
  readonly #learning = new Map<string, Promise<void>>();
  readonly #state: State;
  readonly #store = {
    loadSenderKey: async (name: SenderKeyName) => this.#record(name),
    storeSenderKey: async (name: SenderKeyName) => this.#keep(name),
  };

  constructor(state: State) {
    this.#state = state;
  }

  /** Takes the key that a device gives to others. @throws when it is malformed */
  async learn(owner: KeyOwner, distribution: Uint8Array): Promise<KeyPosition> {
    const message = new SenderKeyDistributionMessage(null, null, null, null, distribution);
    const position = { keyId: message.getId(), iteration: message.getIteration() };
    // a later point of a chain that is known already
    if (this.#record(nameOf(owner)).getSenderKeyState(position.keyId)) return position;
    await new GroupSessionBuilder(this.#store).process(nameOf(owner), message);
    return position;
  }

  /**
   * Lets one phone learn a key, while the others that were given the same key wait for it.
   * @returns true when it was learnt by this call
   * @throws what `learn` throws
   */
  async learnOnce(owner: KeyOwner, keyId: number, learn: () => Promise<void>): Promise<boolean> {
    const row = `${nameOf(owner)} ${keyId}`;
    while (!this.#record(nameOf(owner)).getSenderKeyState(keyId)) {
      const pending = this.#learning.get(row);
      if (pending) {
        await pending;
        continue;
      }
      const learning = learn().finally(() => this.#learning.delete(row));
      this.#learning.set(
        row,
        learning.catch(() => undefined),
      );
      await learning;
      return true;
    }
    return false;
  }

  /** Where in its sender's chain a message stands. @throws when it is malformed */
  positionOf(ciphertext: Buffer): KeyPosition {
    const message = new SenderKeyMessage(null, null, null, null, ciphertext);
    return { keyId: message.getKeyId(), iteration: message.getIteration() };
  }

  /** Decrypts a message. @throws when its key is not known, or it is not its sender's */
  open(owner: KeyOwner, ciphertext: Buffer): Promise<Buffer> {
    const name = nameOf(owner);
    const row = openedRow(name, ciphertext);
    const known = this.#opened.get(row);
    if (known) return known.plain;
    const plain = this.#decrypt(name, ciphertext);
    this.#opened.set(row, { plain }, { size: ciphertext.length });
    plain.catch(() => this.#opened.delete(row));
    return plain;
  }

  /** The key that others need to read what this phone encrypts from now on. */
  async distribution(owner: KeyOwner): Promise<Distribution> {
    const message = await new GroupSessionBuilder(this.#store).create(nameOf(owner));
    return {
      bytes: message.serialize(),
      position: { keyId: message.getId(), iteration: message.getIteration() },
    };
  }

  /** Encrypts for a group. */
  async seal(owner: KeyOwner, plain: Buffer): Promise<Buffer> {
    const name = nameOf(owner);
    const ciphertext = Buffer.from(await new GroupCipher(this.#store, name).encrypt(plain));
    // the chain has gone on: the other phones cannot decrypt with the sender's own record
    this.#opened.set(
      openedRow(name, ciphertext),
      { plain: Promise.resolve(plain) },
      { size: ciphertext.length },
    );
    return ciphertext;
  }

  /** Makes a phone begin with a new key. */
  renew(owner: KeyOwner): void {
    const name = nameOf(owner);
    this.#records.delete(name.toString());
    this.#state.remove('sender-key', name.toString());
  }

  /** Puts back a kept key. After an interrupted run a phone's own keys are dropped: they may be behind. */
  restore(row: string, value: string, interrupted: boolean): void {
    const structures: ReturnType<SenderKeyRecord['serialize']> = JSON.parse(value, BufferJSON.reviver);
    const isOwn = structures.some(({ senderSigningKey }) => (senderSigningKey.private?.length ?? 0) > 0);
    if (isOwn && interrupted) this.#state.remove('sender-key', row);
    else this.#records.set(row, new SenderKeyRecord(structures));
  }

  async #decrypt(name: SenderKeyName, ciphertext: Buffer): Promise<Buffer> {
    const { keyId } = this.positionOf(ciphertext);
    const state = this.#record(name).getSenderKeyState(keyId);
    if (!state) throw new Error('the key of that message is not known');
    const [signed, signature] = [
      ciphertext.subarray(0, -SIGNATURE_BYTES),
      ciphertext.subarray(-SIGNATURE_BYTES),
    ];
    if (!verify(state.getSigningKeyPublic(), signed, signature)) throw new Error('a bad signature');
    const plain = Buffer.from(await new GroupCipher(this.#store, name).decrypt(ciphertext));
    const skipped = state.getStructure().senderMessageKeys;
    skipped.splice(0, Math.max(0, skipped.length - MAX_SKIPPED_KEYS));
    return plain;
  }

  #record(name: SenderKeyName): SenderKeyRecord {
    const known = this.#records.get(name.toString());
    if (known) return known;
    const record = new SenderKeyRecord();
    this.#records.set(name.toString(), record);
    return record;
  }

  #keep(name: SenderKeyName): void {
    const row = name.toString();
    this.#state.put('sender-key', row, () =>
      JSON.stringify(this.#records.get(row)?.serialize() ?? [], BufferJSON.replacer),
    );
  }
}

function nameOf({ group, sender }: KeyOwner): SenderKeyName {
  const dot = sender.lastIndexOf('.');
  return new SenderKeyName(group, {
    id: sender.slice(0, dot),
    deviceId: Number(sender.slice(dot + 1)),
    toString: () => sender,
  });
}

function openedRow(name: SenderKeyName, ciphertext: Buffer): string {
  return `${name.toString()} ${createHash('sha256').update(ciphertext).digest('base64')}`;
}
