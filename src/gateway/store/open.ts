import { resolve } from 'node:path';
import { GatewayError, isGatewayError } from '../../domain/errors.js';
import type { Logger } from '../log.js';
import { type BackupContents, type BackupOptions, backupBytes, writeBackup } from './backup/backup.js';
import { type CheckedBackup, restoreBackup } from './backup/restore.js';
import type { BackupSource } from './port/backup.js';
import { checkEncryptionKey, rewrapDataKeys } from './sealing/data-keys.js';
import { type SealedStore, sealStore } from './sealing/sealed-store.js';
import { openSqliteBackup } from './sqlite/backup.js';
import { type Damage, findDamage } from './sqlite/damage.js';
import { databaseExists, databasePath, readDataKey, setDamagedAside } from './sqlite/database.js';
import { openSqliteBackend } from './sqlite/store.js';
import type { Backend } from './store.js';

export type { BackupContents } from './backup/backup.js';
export { receiveBackup } from './backup/receive.js';
export { checkBackup } from './backup/restore.js';

export interface StoreLocation {
  /** `sqlite`, or the URL of another back end. */
  url: string;
  /** Folder of the files; created with mode 0700 if it does not exist. */
  dataDir: string;
  log?: Logger | undefined;
}

/** The back ends by the form of their URL. */
const BACKENDS: readonly (readonly [
  prefix: RegExp,
  open: (location: StoreLocation) => Promise<Backend>,
  backUp: (location: StoreLocation) => Promise<BackupSource>,
])[] = [
  [/^sqlite$/, openSqliteBackend, openSqliteBackup],
  // loaded on demand: the driver would delay every other start by 0.1 s
  [
    /^mongodb(\+srv)?:\/\//,
    async (at) => (await import('./mongo/store.js')).openMongoBackend(at),
    async (at) => (await import('./mongo/store.js')).openMongoBackup(at),
  ],
];

/**
 * Opens the store; its secrets are encrypted at rest.
 *
 * @param options.encryptionKey 32 bytes
 * @throws GatewayError `store_unsupported`, `store_in_use`, `store_too_new`, `store_unavailable`,
 * `encryption_key_wrong`: each with one line that says what to do; nothing is changed
 */
export async function openStore(
  options: StoreLocation & { encryptionKey: Uint8Array },
): Promise<SealedStore> {
  const backend = await openBackend(options);
  try {
    await requireWhole(backend);
    return await sealStore(backend, options.encryptionKey, options.log);
  } catch (error) {
    await backend.close();
    throw error;
  }
}

/** Milliseconds since the last heartbeat for which a node counts as running; nodes send one every second. */
const RUNNING_MS = 10_000;

/**
 * Changes the encryption key of a store that no daemon uses. Run it again to complete an interrupted change.
 *
 * @param options.from the old encryption key, 32 bytes
 * @param options.to the new encryption key, 32 bytes
 * @returns the number of sessions whose data keys were wrapped again
 * @throws GatewayError as `openStore`, `store_missing`, and `store_in_use` also while nodes run on it; nothing is changed unless
 * it is `store_unavailable`
 */
export async function rotateEncryptionKey(
  options: StoreLocation & { from: Uint8Array; to: Uint8Array },
): Promise<number> {
  requireExisting(options);
  const backend = await openBackend(options);
  try {
    await requireUnused(backend);
    await requireWhole(backend);
    return await rewrapDataKeys(backend.dataKeys, options.from, options.to);
  } finally {
    await backend.close();
  }
}

/**
 * As `openStore`, but never creates a store.
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
 * Checks that a daemon could open the SQLite store of a data directory. Changes nothing.
 *
 * @throws GatewayError as `openExistingStore`
 */
export async function tryExistingStore(options: {
  dataDir: string;
  encryptionKey: Uint8Array;
}): Promise<void> {
  checkEncryptionKey(options.encryptionKey, (clientId) => readDataKey(options.dataDir, clientId));
}

type BackupWish = Pick<BackupOptions, 'createdAt' | 'release' | 'counted'>;

/** A store that is open for a backup. */
export interface OpenBackup {
  /** Writes it to a file, which must not exist. @returns what it holds */
  write(
    options: BackupWish & { path: string; signal?: AbortSignal },
  ): Promise<BackupContents & { bytes: number }>;
  /** Gives its bytes, no faster than they are taken. */
  bytes(options: BackupWish): AsyncGenerator<Uint8Array, BackupContents>;
  close(): Promise<void>;
}

/**
 * Looks for damage in the structure of a store's files, also beside a daemon. Changes nothing. Undefined for a server, which
 * checks its files itself.
 *
 * @param limitMs milliseconds for the check; without it everything is checked thoroughly
 * @throws GatewayError `store_missing`
 * @throws Error if the files could not be checked
 */
export async function findStoreDamage(
  location: StoreLocation,
  limitMs?: number,
): Promise<Damage | undefined> {
  if (location.url !== 'sqlite') return undefined;
  requireExisting(location);
  return findDamage(databasePath(location.dataDir), limitMs);
}

/**
 * Opens a store for a backup, beside daemons that use it. Nothing of it is changed.
 *
 * @throws GatewayError `store_missing`, `store_unsupported`, `store_unavailable`
 */
export async function openBackup(
  location: StoreLocation & { encryptionKey: Uint8Array },
): Promise<OpenBackup> {
  const open = BACKENDS.find(([prefix]) => prefix.test(location.url))?.[2];
  const source = await (open?.(location) ?? unsupported());
  const { encryptionKey } = location;
  const place = shownPlace(location);
  return {
    write: (options) => writeBackup(source, { ...options, place, encryptionKey }),
    bytes: (options) => backupBytes(source, { ...options, place, encryptionKey }),
    close: () => source.close(),
  };
}

/** The credentials and the options of a database URL. */
const USER = /^([a-z+]+:\/\/)[^/?]*@/;
const QUERY = /\?.*$/;

/** Where a store is, for people: a folder, or the address of a database without credentials. */
export function shownPlace({ url, dataDir }: StoreLocation): string {
  return url === 'sqlite' ? resolve(dataDir) : url.replace(USER, '$1').replace(QUERY, '');
}

/**
 * Opens a store for a restore; creates it if it does not exist. A damaged SQLite database is kept under other names.
 *
 * @throws GatewayError as `openStore`, and `store_in_use` also while nodes run on it
 */
export async function openRestore(location: StoreLocation): Promise<{
  /** The path under which a damaged database is kept now. */
  setAside: string | undefined;
  restore(backup: CheckedBackup, counted: BackupOptions['counted']): Promise<void>;
  close(): Promise<void>;
}> {
  let setAside: string | undefined;
  const backend = await openBackend(location).catch((error: unknown) => {
    if (!isGatewayError(error, 'store_damaged')) throw error;
    setAside = setDamagedAside(location.dataDir);
    return openBackend(location);
  });
  try {
    await requireUnused(backend);
    return {
      setAside,
      restore: (backup, counted) => restoreBackup(backend, backup, counted),
      close: () => backend.close(),
    };
  } catch (error) {
    await backend.close();
    throw error;
  }
}

function requireExisting({ url, dataDir }: StoreLocation): void {
  if (url !== 'sqlite' || databaseExists(dataDir)) return;
  throw new GatewayError('store_missing', `There is no database in ${dataDir}.`);
}

/** @throws GatewayError `store_damaged` */
async function requireWhole({ restore }: Backend): Promise<void> {
  if (!(await restore.isUnfinished())) return;
  throw new GatewayError(
    'store_damaged',
    'A restore into this store was interrupted: run `switchboard store restore` again.',
  );
}

/** A killed node counts as running for a few seconds. @throws GatewayError `store_in_use` */
async function requireUnused({ cluster }: Backend): Promise<void> {
  const running = (await cluster?.nodes.list(RUNNING_MS)) ?? [];
  if (running.length === 0) return;
  const names = running.map(({ name }) => name).join(', ');
  throw new GatewayError('store_in_use', `Nodes are running on this database (${names}): stop them first.`);
}

async function openBackend(location: StoreLocation): Promise<Backend> {
  const open = BACKENDS.find(([prefix]) => prefix.test(location.url))?.[1];
  return open?.(location) ?? unsupported();
}

async function unsupported(): Promise<never> {
  throw new GatewayError('store_unsupported', 'The store must be "sqlite" or a mongodb:// URL.');
}
