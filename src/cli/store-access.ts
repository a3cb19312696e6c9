import { Flags } from '@oclif/core';
import { readSettings } from '../config/load.js';
import { encryptionKeyBytes, readEncryptionKey } from '../config/secrets.js';
import { isGatewayError } from '../domain/errors.js';
import { CliError } from './cli-error.js';

/** Where a store is, for commands that work on what a daemon has left. */
export const STORE_FLAGS = {
  'data-dir': Flags.string({ description: "the daemon's data directory", env: 'SWITCHBOARD_DATA_DIR' }),
  store: Flags.string({
    description: 'sqlite, or a mongodb:// or mongodb+srv:// URL',
    env: 'SWITCHBOARD_STORE',
  }),
  'encryption-key': Flags.string({
    description: 'the key of the store, when it is not kept in the data directory',
    env: 'SWITCHBOARD_ENCRYPTION_KEY',
  }),
};

/** The flags as they were given. */
export interface NamedStore {
  'data-dir'?: string | undefined;
  store?: string | undefined;
  'encryption-key'?: string | undefined;
}

/** What opens a store. */
export interface StorePlace {
  url: string;
  dataDir: string;
  encryptionKey: Uint8Array;
}

/**
 * Works on a store and closes it, whatever happens.
 * @param open must not begin a store that is not there
 * @throws CliError with what to do
 */
export async function withStore<S extends { close(): Promise<void> }, T>(
  named: NamedStore,
  defaultDataDir: string,
  open: (place: StorePlace) => Promise<S>,
  work: (store: S) => Promise<T>,
): Promise<T> {
  const place = await findStore(named, defaultDataDir);
  try {
    const store = await open(place);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw explained(error);
  }
}

/** What a daemon that is started here would find, the settings file included. */
async function findStore(named: NamedStore, defaultDataDir: string): Promise<StorePlace> {
  const flags = {
    dataDir: named['data-dir'] || undefined,
    store: named.store || undefined,
    encryptionKey: named['encryption-key'] || undefined,
  };
  const settings = await readSettings({ flags, env: process.env, defaultDataDir }).catch((cause: Error) => {
    throw new CliError('usage', cause.message, { cause });
  });
  const { dataDir, store: url } = settings;
  const key = settings.encryptionKey ?? (await readEncryptionKey(dataDir));
  if (key === undefined) {
    throw new CliError('not_found', `there is no store in ${dataDir}: its encryption key is missing`, {
      suggestions: ['name the right --data-dir', 'or name the key: SWITCHBOARD_ENCRYPTION_KEY'],
    });
  }
  return { url, dataDir, encryptionKey: encryptionKeyBytes(key) };
}

function explained(cause: unknown): unknown {
  if (!isGatewayError(cause)) return cause;
  const { code, message } = cause;
  if (code === 'store_in_use') {
    return new CliError('conflict', message, {
      suggestions: [
        'stop the daemon, run this, and start the daemon again',
        'with MongoDB the daemon may go on running',
      ],
      cause,
    });
  }
  if (code === 'store_missing') {
    return new CliError('not_found', message, { suggestions: ['name the right --data-dir'], cause });
  }
  return new CliError(code === 'store_unavailable' ? 'unreachable' : 'failure', message, { cause });
}
