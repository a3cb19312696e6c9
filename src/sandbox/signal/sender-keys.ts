import { createHash } from 'node:crypto';
import { BufferJSON } from '@whiskeysockets/baileys';
// the library exports its group ciphers only under this path
import {
  GroupCipher,
  GroupSessionBuilder,
  SenderKeyDistributionMessage,
  SenderKeyMessage,
  SenderKeyName,
  SenderKeyRecord,
} from '@whiskeysockets/baileys/lib/Signal/Group/index.js';
import Joi from 'joi';
import { LRUCache } from 'lru-cache';
import { readJson } from '../../domain/json.js';
import type { State } from '../store/state.js';
import { verify } from '../wire/keys.js';

const MAX_OPENED = 5_000;
const MAX_OPENED_BYTES = 32 * 1024 * 1024;
const SIGNATURE_BYTES = 64;
/** The cipher skips every second key and keeps what it skips, but messages hardly ever overtake each other. */
const MAX_SKIPPED_KEYS = 50;

/** The states of a key, as the library's record takes them. */
const STRUCTURES = Joi.array<ReturnType<SenderKeyRecord['serialize']>>()
  .items(
    Joi.object({
      senderKeyId: Joi.number().required(),
      senderChainKey: Joi.object({
        iteration: Joi.number().required(),
        seed: Joi.binary().required(),
      }).required(),
      senderSigningKey: Joi.object({ public: Joi.binary().required(), private: Joi.binary() }).required(),
      senderMessageKeys: Joi.array().items(Joi.object()).required(),
    }).unknown(),
  )
  .required();

/** A position in a sender's key chain: a device that got the key there can decrypt from there on. */
export interface KeyPosition {
  keyId: number;
  iteration: number;
}

/** A sender key as it is distributed to others. */
export interface Distribution {
  bytes: Uint8Array;
  position: KeyPosition;
}

/** The owner of a sender key: a device, as `lid.device`, in a group. */
export interface KeyOwner {
  group: string;
  sender: string;
}

/**
 * The sender keys, with which devices encrypt for whole groups. All simulated phones share one set, so that a message
 * to hundreds of them is decrypted once; each phone checks itself whether it may read a message.
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

  /** Learns a distributed key. @throws when it is malformed */
  async learn(owner: KeyOwner, distribution: Uint8Array): Promise<KeyPosition> {
    const message = new SenderKeyDistributionMessage(null, null, null, null, distribution);
    const position = { keyId: message.getId(), iteration: message.getIteration() };
    // a later position of a known chain
    if (this.#record(nameOf(owner)).getSenderKeyState(position.keyId)) return position;
    await new GroupSessionBuilder(this.#store).process(nameOf(owner), message);
    return position;
  }

  /**
   * Lets one phone learn a key, while the other phones that got the same key wait.
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

  /** The position of a message in its sender's chain. @throws when it is malformed */
  positionOf(ciphertext: Buffer): KeyPosition {
    const message = new SenderKeyMessage(null, null, null, null, ciphertext);
    return { keyId: message.getKeyId(), iteration: message.getIteration() };
  }

  /** Decrypts a message. @throws when its key is unknown or its signature is wrong */
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

  /** The key that others need for the phone's messages from now on. */
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
    // encrypting advances the sender's own record, with which the other phones could then not decrypt
    this.#opened.set(
      openedRow(name, ciphertext),
      { plain: Promise.resolve(plain) },
      { size: ciphertext.length },
    );
    return ciphertext;
  }

  /** Drops a key, so that the next message starts a new one. */
  renew(owner: KeyOwner): void {
    const name = nameOf(owner);
    this.#records.delete(name.toString());
    this.#state.remove('sender-key', name.toString());
  }

  /** Puts back a stored key. After an interrupted run a phone's own keys are dropped: they may be outdated. */
  restore(row: string, value: string, interrupted: boolean): void {
    const structures = Joi.attempt(readJson(value, BufferJSON.reviver), STRUCTURES);
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
