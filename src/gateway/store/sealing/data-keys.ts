import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { GatewayError } from '../../../domain/errors.js';
import type { DataKeyStore } from '../store.js';
import { type Place, seal, unseal } from './envelope.js';

/** Bytes of the encryption key and of every data key. */
const KEY_LENGTH = 32;

/** The clientId of the store's own data key, which also detects a wrong encryption key. */
const STORE_ITSELF = '';

/**
 * Where the store's own data key is sealed. In stores of earlier releases it is elsewhere, until the rights in them are sealed
 * too; from then on nothing of the earlier form is accepted.
 */
const STORE_PLACE = ['data-key', STORE_ITSELF, 'rights sealed'];

/** The data keys of a store, without a cache. */
export interface DataKeys {
  /** False for a store of an earlier release, in which rights are not sealed yet. */
  rightsSealed: boolean;
  /** Notes that they are. */
  noteRightsSealed(): Promise<void>;
  /** The key of a session; created if it has none. */
  of(clientId: string): Promise<KeyObject>;
  /** All keys by clientId, in one request to the store. */
  all(): Promise<Map<string, KeyObject>>;
}

/**
 * Unwraps data keys with the encryption key.
 *
 * @param encryptionKey 32 bytes
 * @throws GatewayError `encryption_key_wrong` if the store was created with another encryption key; nothing is changed
 */
export async function openDataKeys(stored: DataKeyStore, encryptionKey: Uint8Array): Promise<DataKeys> {
  const wrapping = wrappingKey(encryptionKey);
  const own =
    (await stored.get(STORE_ITSELF)) ??
    (await stored.putIfAbsent(STORE_ITSELF, seal(wrapping, STORE_PLACE, randomBytes(KEY_LENGTH))));
  const isSealed = opensAt(wrapping, STORE_PLACE, own);
  const ownPlain = unwrapOwn(wrapping, own);
  const ownDataKey = createSecretKey(ownPlain);
  const keys: DataKeys = {
    rightsSealed: isSealed,
    async noteRightsSealed() {
      await stored.replace(new Map([[STORE_ITSELF, seal(wrapping, STORE_PLACE, ownPlain)]]));
      keys.rightsSealed = true;
    },
    async of(clientId) {
      if (clientId === STORE_ITSELF) return ownDataKey;
      const wrapped =
        (await stored.get(clientId)) ??
        (await stored.putIfAbsent(clientId, wrap(wrapping, clientId, randomBytes(KEY_LENGTH))));
      if (opens(wrapping, clientId, wrapped)) return createSecretKey(unwrap(wrapping, clientId, wrapped));
      // the encryption key is right: the store's own data key opened
      const what = `The data key of session ${clientId} cannot be opened`;
      throw new GatewayError('store_damaged', `${what}: it is damaged, restore a backup.`);
    },
    async all() {
      // a damaged key is left out: `of` reports it, for its session only
      const wrapped = [...(await stored.list())].filter(([clientId, key]) => opens(wrapping, clientId, key));
      return new Map(
        wrapped.map(([clientId, key]) => [clientId, createSecretKey(unwrap(wrapping, clientId, key))]),
      );
    },
  };
  return keys;
}

/**
 * Checks an encryption key with the store's own data key.
 *
 * @param encryptionKey 32 bytes
 * @param stored reads a wrapped data key by clientId; undefined if the store has none yet
 * @throws GatewayError `encryption_key_wrong`
 */
export function checkEncryptionKey(
  encryptionKey: Uint8Array,
  stored: (clientId: string) => Uint8Array | undefined,
): void {
  const wrapping = wrappingKey(encryptionKey);
  const wrapped = stored(STORE_ITSELF);
  if (wrapped && !opensAt(wrapping, STORE_PLACE, wrapped)) unwrap(wrapping, STORE_ITSELF, wrapped);
}

/**
 * The key that authenticates backups of a store.
 *
 * @param encryptionKey 32 bytes
 * @param own the store's own data key, wrapped
 * @throws GatewayError `encryption_key_wrong`
 */
export function backupKey(encryptionKey: Uint8Array, own: Uint8Array): Uint8Array {
  return derived(unwrapOwn(wrappingKey(encryptionKey), own), 'backups');
}

function unwrapOwn(wrapping: KeyObject, own: Uint8Array): Buffer {
  if (opensAt(wrapping, STORE_PLACE, own)) return unseal(wrapping, STORE_PLACE, own);
  return unwrap(wrapping, STORE_ITSELF, own);
}

/**
 * Derives a key for one purpose from the store's own data key. It never changes, even if the encryption key does.
 *
 * @returns 32 bytes
 */
export async function ownKey(keys: DataKeys, purpose: string): Promise<Uint8Array> {
  return derived((await keys.of(STORE_ITSELF)).export(), purpose);
}

function derived(dataKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', dataKey, new Uint8Array(), purpose, KEY_LENGTH));
}

/**
 * Wraps all data keys with the new encryption key. Run it again after an interruption: keys that are already done stay.
 *
 * @param from the old encryption key
 * @param to the new encryption key
 * @returns the number of sessions whose keys were wrapped again
 * @throws GatewayError `encryption_key_wrong` if a data key was wrapped with neither; nothing is changed
 */
export async function rewrapDataKeys(
  stored: DataKeyStore,
  from: Uint8Array,
  to: Uint8Array,
): Promise<number> {
  const [old, next] = [wrappingKey(from), wrappingKey(to)];
  const rewrapped = new Map<string, Uint8Array>();
  for (const [clientId, wrapped] of await stored.list()) {
    if (opens(next, clientId, wrapped) || opensAt(next, STORE_PLACE, wrapped)) continue;
    if (opensAt(old, STORE_PLACE, wrapped)) {
      rewrapped.set(clientId, seal(next, STORE_PLACE, unseal(old, STORE_PLACE, wrapped)));
      continue;
    }
    rewrapped.set(clientId, wrap(next, clientId, unwrap(old, clientId, wrapped)));
  }
  await stored.replace(rewrapped);
  return [...rewrapped.keys()].filter((clientId) => clientId !== STORE_ITSELF).length;
}

function wrappingKey(encryptionKey: Uint8Array): KeyObject {
  if (encryptionKey.length !== KEY_LENGTH) {
    throw new GatewayError('encryption_key_wrong', `The encryption key must have ${KEY_LENGTH} bytes.`);
  }
  return createSecretKey(encryptionKey);
}

function wrap(wrapping: KeyObject, clientId: string, dataKey: Uint8Array): Buffer {
  return seal(wrapping, ['data-key', clientId], dataKey);
}

function unwrap(wrapping: KeyObject, clientId: string, wrapped: Uint8Array): Buffer {
  try {
    return unseal(wrapping, ['data-key', clientId], wrapped);
  } catch (cause) {
    throw new GatewayError(
      'encryption_key_wrong',
      'The store was encrypted with another encryption key: start with the key it was begun with. ' +
        'Nothing was changed.',
      { cause },
    );
  }
}

function opens(wrapping: KeyObject, clientId: string, wrapped: Uint8Array): boolean {
  return opensAt(wrapping, ['data-key', clientId], wrapped);
}

function opensAt(wrapping: KeyObject, place: Place, wrapped: Uint8Array): boolean {
  try {
    unseal(wrapping, place, wrapped);
    return true;
  } catch {
    return false;
  }
}
