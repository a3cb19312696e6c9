import Joi from 'joi';
import type { DeviceDetails } from '../../contract/sandbox/index.js';
import type { SignedPreKey } from '../signal/prekeys.js';
import type { SignalKeys } from '../signal/signal-device.js';
import { readRow, storedBytes, storedPair } from '../store/stored-row.js';
import type { KeyPair } from '../wire/keys.js';

/** An account without its phone's messages and its linked devices. */
export interface AccountRecord {
  /** Digits without `+`. */
  pn: string;
  lid: string;
  name: string;
  /** The text that older clients set and show. */
  status: string;
  /** The text that current clients set and show; undefined until one has set it. */
  textStatus?: { text: string; at: number };
  username: string;
  /** The verified name of a business. */
  businessName?: string;
  picture?: StoredPicture;
  /** Privacy settings by their names on the wire; a missing one means `all`. */
  privacy?: Record<string, string>;
  /** The people behind the value `contact_blacklist` of a setting: their LIDs, and the version that clients name. */
  denied?: Record<string, { version: string; people: string[] }>;
  /** Who may see the person's statuses: the list that holds, and both lists as LIDs. */
  statusAudience?: {
    mode: 'contacts' | 'blacklist' | 'whitelist';
    blacklist?: string[];
    whitelist?: string[];
  };
  /** The LIDs of the people that the person has blocked. */
  blocked?: { version: string; people: string[] };
  /** The expiry of messages in new chats: seconds, and when it was set (seconds since the epoch). */
  disappearing?: { duration: number; at: number };
  /** The address book: names by LID. */
  contacts?: Record<string, { name: string; firstName: string }>;
  /** Private chats show only the number, groups only the LID. */
  hideLid?: boolean;
  /** When the person gave a trusted-contact token, in seconds since the epoch, by the key of the account that got it. */
  issuedTokens?: Record<string, number>;
  /** Ids of the notices of WhatsApp's terms that the account has accepted. */
  acceptedNotices?: string[];
  /** How often the phone has made another salt for first contacts. */
  saltTurn?: number;
  /** The person's passkey; `usedCount` is the last counter that the network accepted. */
  passkey?: Passkey & { isRequired: boolean; usedCount?: number };
  /** Prefix of the stored rows: the first number, with a suffix when an earlier account had the number. */
  key?: string;
  /** The id of the next linked device; never used twice. */
  nextDevice: number;
  /** Seconds since the epoch. */
  createdAt: number;
  keys: SignalKeys;
  appStateKey: AppStateKey;
}

/** A passkey of a person: the authenticator has the private key, the network uses the public half only. */
export interface Passkey {
  /** base64url */
  credentialId: string;
  /** PKCS #8, base64. */
  privateKey: string;
  /** Grows with each assertion. */
  signCount: number;
}

/** A picture of a person or a group, in both sizes; the files are named by their SHA-256 in hex. */
export interface StoredPicture {
  /** Grows with every change, including removals. */
  version: number;
  image?: string;
  preview?: string;
}

/** The key of the settings (app state) that an account's devices share. */
interface AppStateKey {
  /** 6 bytes. */
  id: Buffer;
  /** 32 bytes. */
  key: Buffer;
}

/** A linked device without its one-time keys and its mailbox. */
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
  /** What it sent at its registration, for the control API. */
  payload?: DeviceDetails['registration'];
  /** The phone has sent it the settings key and the history. */
  isGreeted: boolean;
}

export function serialiseAccount({ keys, appStateKey, ...rest }: AccountRecord): string {
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

const ACCOUNT = Joi.object<AccountRecord>({
  pn: Joi.string().required(),
  lid: Joi.string().required(),
  nextDevice: Joi.number().required(),
  appStateKey: Joi.object({ id: storedBytes, key: storedBytes }).required(),
  keys: Joi.object({
    registrationId: Joi.number().required(),
    nextPreKeyId: Joi.number().required(),
    identity: storedPair,
    signedPreKey: storedPair.keys({ signature: storedBytes }),
  }).required(),
}).unknown();

export function parseAccount(value: string): AccountRecord {
  return readRow(ACCOUNT, value);
}

export function serialisePair(pair: KeyPair): { public: string; private: string } {
  return { public: pair.public.toString('base64'), private: pair.private.toString('base64') };
}

export function serialiseCompanion({
  identity,
  signedPreKey,
  identityProof,
  ...rest
}: CompanionRecord): string {
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

const COMPANION = Joi.object<CompanionRecord>({
  id: Joi.number().required(),
  noiseKey: Joi.string().required(),
  registrationId: Joi.number().required(),
  identity: storedBytes,
  identityProof: storedBytes,
  signedPreKey: Joi.object({
    id: Joi.number().required(),
    value: storedBytes,
    signature: storedBytes,
  }).required(),
}).unknown();

export function parseCompanion(value: string): CompanionRecord {
  return readRow(COMPANION, value);
}
