import { createHash } from 'node:crypto';
import { LID_SERVER, PN_SERVER } from '../domain/address.js';
import type { PhoneView } from './api.js';
import type { Companion } from './companion.js';
import { versionOf } from './people/picture-version.js';
import type { SignalKeys } from './signal/signal-device.js';
import type { State } from './state/state.js';
import type { KeyPair } from './wire/curve.js';
import { deviceJid } from './wire/jid.js';

/** How the network writes people in stanzas: by hidden id, as the real one does today, or by phone number. */
export type AddressingMode = 'lid' | 'pn';

/** LIDs have fifteen digits here, so that none can be taken for a phone number in use. */
const LID_BASE = 100_000_000_000_000n;
const LID_RANGE = 900_000_000_000_000n;

/** What an account is, apart from its phone's messages and its linked devices. */
export interface AccountRecord {
  /** Digits without `+`. */
  pn: string;
  lid: string;
  name: string;
  status: string;
  username: string;
  /** The name that the network vouches for, of a business. */
  businessName?: string;
  picture?: StoredPicture;
  /** Privacy settings by the network's names for them; everything else is open to all. */
  privacy?: Record<string, string>;
  /** People whom this one writes with see the number only, and people in groups the LID only. */
  hideLid?: boolean;
  /** In the kept state; the first number unless somebody else had that before. */
  key?: string;
  /** The id of the next linked device; never used twice. */
  nextDevice: number;
  /** Seconds since the epoch. */
  createdAt: number;
  keys: SignalKeys;
  appStateKey: AppStateKey;
}

/** A picture of a person or a group, in both sizes; the files are named by their SHA-256 in hex. */
export interface StoredPicture {
  /** Grows with every change, removals included. */
  version: number;
  image?: string;
  preview?: string;
}

/** The key of the settings that an account's devices share. */
export interface AppStateKey {
  /** 6 bytes. */
  id: Buffer;
  /** 32 bytes. */
  key: Buffer;
}

/** A person on the network: a number, its hidden id, and the devices linked to it. */
export class Account {
  readonly record: AccountRecord;
  readonly companions = new Map<number, Companion>();
  readonly #state: State;

  constructor(record: AccountRecord, state: State) {
    this.record = record;
    this.#state = state;
  }

  get pn(): string {
    return this.record.pn;
  }

  /** What its rows in the kept state begin with; it stays the same when the number changes. */
  get key(): string {
    return this.record.key ?? this.record.pn;
  }

  get lid(): string {
    return this.record.lid;
  }

  /** E.164 with `+`. */
  get number(): string {
    return `+${this.record.pn}`;
  }

  /** How the control API names the chat with the person: by the number. */
  get chatId(): string {
    return this.number;
  }

  /** The jid of one of its devices; 0 is the phone and also stands for the person. */
  jid(mode: AddressingMode, device = 0): string {
    return mode === 'lid' ? deviceJid(this.lid, LID_SERVER, device) : deviceJid(this.pn, PN_SERVER, device);
  }

  /** The same in chats between two people, where the LID may be hidden. */
  privateJid(mode: AddressingMode, device = 0): string {
    return this.jid(this.record.hideLid ? 'pn' : mode, device);
  }

  /** To whom something is open: `all`, unless the person wanted it otherwise. */
  privacy(setting: string): string {
    return this.record.privacy?.[setting] ?? 'all';
  }

  setPrivacy(setting: string, value: string): void {
    this.record.privacy = { ...this.record.privacy, [setting]: value };
  }

  view(): PhoneView {
    const { name, status, username, businessName = '', picture, hideLid = false } = this.record;
    const devices = [...this.companions.values()].map((companion) => companion.view());
    return {
      number: this.number,
      name,
      jid: this.jid('pn'),
      lid: this.jid('lid'),
      status,
      username,
      businessName,
      pictureId: versionOf(picture),
      pictureHidden: this.privacy('profile') === 'none',
      onlyAdminsAddMe: this.privacy('groupadd') !== 'all',
      hideLid,
      devices,
    };
  }

  keep(): void {
    this.#state.put('account', this.key, () => serialiseAccount(this.record));
  }
}

/** The hidden id of a number: stable, and visibly something else. */
export function lidOf(pn: string): string {
  const digest = createHash('sha256').update(`lid ${pn}`).digest().readBigUInt64BE();
  return String(LID_BASE + (digest % LID_RANGE));
}

function serialiseAccount({ keys, appStateKey, ...rest }: AccountRecord): string {
  const { registrationId, nextPreKeyId, identity, signedPreKey } = keys;
  return JSON.stringify({
    ...rest,
    appStateKey: { id: appStateKey.id.toString('base64'), key: appStateKey.key.toString('base64') },
    keys: {
      registrationId,
      nextPreKeyId,
      identity: serialisePair(identity),
      signedPreKey: { ...serialisePair(signedPreKey), signature: signedPreKey.signature.toString('base64') },
    },
  });
}

/** Reads a kept account. */
export function parseAccount(value: string): AccountRecord {
  const { keys, appStateKey, ...rest } = JSON.parse(value);
  const { registrationId, nextPreKeyId, identity, signedPreKey } = keys;
  return {
    ...rest,
    appStateKey: { id: Buffer.from(appStateKey.id, 'base64'), key: Buffer.from(appStateKey.key, 'base64') },
    keys: {
      registrationId,
      nextPreKeyId,
      identity: parsePair(identity),
      signedPreKey: { ...parsePair(signedPreKey), signature: Buffer.from(signedPreKey.signature, 'base64') },
    },
  };
}

/** A key pair as it is kept. */
export function serialisePair(pair: KeyPair): { public: string; private: string } {
  return { public: pair.public.toString('base64'), private: pair.private.toString('base64') };
}

export function parsePair(pair: { public: string; private: string }): KeyPair {
  return { public: Buffer.from(pair.public, 'base64'), private: Buffer.from(pair.private, 'base64') };
}
