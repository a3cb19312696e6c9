import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { GatewayError } from '../../domain/errors.js';
import type { DataKeyStore } from '../store.js';
import { seal, unseal } from './envelope.js';

/** Bytes of the encryption key and of every data key. */
export const KEY_LENGTH = 32;

/** The clientId under which the store's own data key is kept; it tells a right encryption key from a wrong one. */
const STORE_ITSELF = '';

/** The data keys of a store, each read anew. */
export interface DataKeys {
  /** Of a session; made when it has none. */
  of(clientId: string): Promise<KeyObject>;
  /** All that there are, by clientId, in one question to the store. */
  all(): Promise<Map<string, KeyObject>>;
}

/**
 * Unwraps data keys with the encryption key.
 *
 * @param encryptionKey 32 bytes
 * @throws GatewayError `encryption_key_wrong` when the store was begun with another encryption key; nothing is changed
 */
export async function openDataKeys(stored: DataKeyStore, encryptionKey: Uint8Array): Promise<DataKeys> {
  const wrapping = wrappingKey(encryptionKey);
  const opened = (clientId: string, wrapped: Uint8Array) =>
    createSecretKey(unwrap(wrapping, clientId, wrapped));
  const keys: DataKeys = {
    async of(clientId) {
      const wrapped =
        (await stored.get(clientId)) ??
        (await stored.putIfAbsent(clientId, wrap(wrapping, clientId, randomBytes(KEY_LENGTH))));
      return opened(clientId, wrapped);
    },
    async all() {
      const wrapped = [...(await stored.list())];
      return new Map(wrapped.map(([clientId, key]) => [clientId, opened(clientId, key)]));
    },
  };
  await keys.of(STORE_ITSELF);
  return keys;
}

/**
 * Whether an encryption key fits a store, by what the store keeps for itself.
 *
 * @param encryptionKey 32 bytes
 * @param stored gives the wrapped data key of a name; undefined when the store has none yet
 * @throws GatewayError `encryption_key_wrong`
 */
export function checkEncryptionKey(
  encryptionKey: Uint8Array,
  stored: (clientId: string) => Uint8Array | undefined,
): void {
  const wrapping = wrappingKey(encryptionKey);
  const wrapped = stored(STORE_ITSELF);
  if (wrapped) unwrap(wrapping, STORE_ITSELF, wrapped);
}

/**
 * A key of the store itself, for one purpose: random, and the same for as long as the store lives, whatever becomes of the
 * encryption key.
 *
 * @returns 32 bytes
 */
export async function ownKey(keys: DataKeys, purpose: string): Promise<Uint8Array> {
  const dataKey = (await keys.of(STORE_ITSELF)).export();
  return new Uint8Array(hkdfSync('sha256', dataKey, new Uint8Array(), purpose, KEY_LENGTH));
}

/**
 * Wraps all data keys anew. Can be run again after it was interrupted: what is under the new key already stays.
 *
 * @param from the encryption key until now
 * @param to the encryption key from now on
 * @returns how many sessions' keys were wrapped anew
 * @throws GatewayError `encryption_key_wrong` when a data key is under neither; nothing is changed then
 */
export async function rewrapDataKeys(
  stored: DataKeyStore,
  from: Uint8Array,
  to: Uint8Array,
): Promise<number> {
  const [old, next] = [wrappingKey(from), wrappingKey(to)];
  const rewrapped = new Map<string, Uint8Array>();
  for (const [clientId, wrapped] of await stored.list()) {
    if (opens(next, clientId, wrapped)) continue;
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
  try {
    unwrap(wrapping, clientId, wrapped);
    return true;
  } catch {
    return false;
  }
}
