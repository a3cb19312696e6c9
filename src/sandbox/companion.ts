import type { Account } from './account.js';
import type { DeviceView } from './api.js';
import type { Connection } from './connection.js';
import { Mailbox } from './mailbox.js';
import type { Bundle, PreKey, SignedPreKey } from './prekeys.js';
import type { State } from './state/state.js';

/** Few keys left: the device is asked for more. */
const LOW_SHELF = 2;

/** What a linked device is, apart from its one-time keys and its mailbox. */
export interface CompanionRecord {
  id: number;
  /** Static Noise key that it must present at login, base64. */
  noiseKey: string;
  identity: Buffer;
  registrationId: number;
  signedPreKey: SignedPreKey;
  /** `ADVSignedDeviceIdentity`, signed by the phone and by the device. */
  identityProof: Buffer;
  /** As the phone shows it: `Chrome (Mac OS)`. */
  platform: string;
  /** The phone has told it what a new device needs to know. */
  isGreeted: boolean;
}

/** A device that is linked to somebody's phone. */
export class Companion {
  readonly account: Account;
  readonly record: CompanionRecord;
  readonly mailbox: Mailbox;
  /** Its live connection, from login on. */
  connection?: Connection;
  /** True from a low-keys notice until the upload that answers it. */
  askedForKeys = false;
  readonly #shelf = new Map<number, PreKey>();
  readonly #state: State;

  constructor(account: Account, record: CompanionRecord, state: State) {
    this.account = account;
    this.record = record;
    this.#state = state;
    this.mailbox = new Mailbox(this.row, state);
  }

  get id(): number {
    return this.record.id;
  }

  /** Its key in the kept state. */
  get row(): string {
    return `${this.account.key}:${this.record.id}`;
  }

  get keysLeft(): number {
    return this.#shelf.size;
  }

  get isLowOnKeys(): boolean {
    return this.#shelf.size <= LOW_SHELF;
  }

  /** Puts uploaded one-time keys on the shelf. */
  shelve(keys: PreKey[]): void {
    for (const key of keys) this.#shelf.set(key.id, key);
    this.askedForKeys = false;
    this.#keepShelf();
  }

  /** A bundle; its one-time key leaves the shelf for good. */
  takeBundle(): Bundle {
    const { registrationId, identity, signedPreKey } = this.record;
    const [preKey] = this.#shelf.values();
    if (!preKey) return { registrationId, identity, signedPreKey };
    this.#shelf.delete(preKey.id);
    this.#keepShelf();
    return { registrationId, identity, signedPreKey, preKey };
  }

  view(): DeviceView {
    return { id: this.id, platform: this.record.platform, connected: this.connection !== undefined };
  }

  keep(): void {
    this.#state.put('companion', this.row, () => serialiseCompanion(this.record));
  }

  restoreShelf(value: string): void {
    const keys: [number, string][] = JSON.parse(value);
    for (const [id, key] of keys) this.#shelf.set(id, { id, value: Buffer.from(key, 'base64') });
  }

  /** Removes every trace of it from the kept state. */
  discard(): void {
    this.mailbox.discard();
    this.#state.remove('companion', this.row);
    this.#state.remove('shelf', this.row);
  }

  #keepShelf(): void {
    const keys = () => [...this.#shelf.values()].map((key) => [key.id, key.value.toString('base64')]);
    this.#state.put('shelf', this.row, () => JSON.stringify(keys()));
  }
}

function serialiseCompanion({ identity, signedPreKey, identityProof, ...rest }: CompanionRecord): string {
  return JSON.stringify({
    ...rest,
    identity: identity.toString('base64'),
    identityProof: identityProof.toString('base64'),
    signedPreKey: {
      id: signedPreKey.id,
      value: signedPreKey.value.toString('base64'),
      signature: signedPreKey.signature.toString('base64'),
    },
  });
}

/** Reads a kept companion. */
export function parseCompanion(value: string): CompanionRecord {
  const row = JSON.parse(value);
  return {
    id: row.id,
    noiseKey: row.noiseKey,
    registrationId: row.registrationId,
    platform: row.platform,
    isGreeted: row.isGreeted,
    identity: Buffer.from(row.identity, 'base64'),
    identityProof: Buffer.from(row.identityProof, 'base64'),
    signedPreKey: {
      id: row.signedPreKey.id,
      value: Buffer.from(row.signedPreKey.value, 'base64'),
      signature: Buffer.from(row.signedPreKey.signature, 'base64'),
    },
  };
}
