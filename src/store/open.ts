import { GatewayError } from '../domain/errors.js';
import { checkEncryptionKey, rewrapDataKeys } from './sealing/data-keys.js';
import { type SealedStore, sealStore } from './sealing/sealed-store.js';
import { databaseExists } from './sqlite/database.js';
import { readDataKey } from './sqlite/look.js';
import { openSqliteBackend } from './sqlite/sqlite-store.js';
import type { Backend } from './store.js';

/** Where a store is. */
export interface StoreLocation {
  /** `sqlite`, or the URL of another back end. */
  url: string;
  /** Folder of the files; made with mode 0700 when it is not there. */
  dataDir: string;
}

type Opener = (location: StoreLocation) => Promise<Backend>;

/** One line for each back end: what its URL begins with, and who opens it. */
const BACKENDS: readonly (readonly [prefix: RegExp, open: Opener])[] = [
  [/^sqlite$/, openSqliteBackend],
  // loaded on demand: the driver costs every other start a tenth of a second
  [/^mongodb(\+srv)?:\/\//, async (at) => (await import('./mongo/mongo-store.js')).openMongoBackend(at)],
];

/**
 * Opens the store, its secrets encrypted at rest.
 *
 * @param options.encryptionKey 32 bytes
 * @throws GatewayError `store_unsupported`, `store_in_use`, `store_too_new`, `store_unavailable`,
 * `encryption_key_wrong`: each with one line that says what to do, and nothing changed
 */
export async function openStore(
  options: StoreLocation & { encryptionKey: Uint8Array },
): Promise<SealedStore> {
  const backend = await openBackend(options);
  try {
    return await sealStore(backend, options.encryptionKey);
  } catch (error) {
    await backend.close();
    throw error;
  }
}

/** Milliseconds for which a node that has said nothing may still be running: it speaks once a second. */
const RUNNING_MS = 10_000;

/**
 * Changes the encryption key of a store that no daemon is using. An interrupted change is completed by running it again.
 *
 * @param options.from the encryption key until now, 32 bytes
 * @param options.to the encryption key from now on, 32 bytes
 * @returns how many sessions' data keys were wrapped anew
 * @throws GatewayError as `openStore`, `store_missing`, and `store_in_use` also while nodes are running on it; unless it is
 * `store_unavailable`, nothing is changed
 */
export async function rotateEncryptionKey(
  options: StoreLocation & { from: Uint8Array; to: Uint8Array },
): Promise<number> {
  requireExisting(options);
  const backend = await openBackend(options);
  try {
    await requireUnused(backend);
    return await rewrapDataKeys(backend.dataKeys, options.from, options.to);
  } finally {
    await backend.close();
  }
}

/**
 * As `openStore`, but never begins a store: what is meant to be looked at must be there.
 *
 * @throws GatewayError as `openStore`, and `store_missing`
 */
export async function openExistingStore(
  options: StoreLocation & { encryptionKey: Uint8Array },
): Promise<SealedStore> {
  requireExisting(options);
  return openStore(options);
}

/**
 * Whether a start could open the SQLite store of a data directory. Changes nothing in it.
 *
 * @throws GatewayError as `openExistingStore`
 */
export async function tryExistingStore(options: {
  dataDir: string;
  encryptionKey: Uint8Array;
}): Promise<void> {
  checkEncryptionKey(options.encryptionKey, (clientId) => readDataKey(options.dataDir, clientId));
}

function requireExisting({ url, dataDir }: StoreLocation): void {
  if (url !== 'sqlite' || databaseExists(dataDir)) return;
  throw new GatewayError('store_missing', `There is no database in ${dataDir}.`);
}

/** A node that was killed counts as running for a few seconds. @throws GatewayError store_in_use */
async function requireUnused({ cluster }: Backend): Promise<void> {
  const running = (await cluster?.nodes.list(RUNNING_MS)) ?? [];
  if (running.length === 0) return;
  const names = running.map(({ name }) => name).join(', ');
  throw new GatewayError('store_in_use', `Nodes are running on this database (${names}): stop them first.`);
}

async function openBackend(location: StoreLocation): Promise<Backend> {
  const open = BACKENDS.find(([prefix]) => prefix.test(location.url))?.[1];
  return open?.(location) ?? unsupported('The store must be "sqlite" or a mongodb:// URL.');
}

async function unsupported(message: string): Promise<never> {
  throw new GatewayError('store_unsupported', message);
}
