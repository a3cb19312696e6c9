import { existsSync } from 'node:fs';
import { Flags } from '@oclif/core';
import { isGatewayError, messageForOperator } from '../../domain/errors.js';
import { readSettings } from '../../gateway/config/load.js';
import { encryptionKeyBytes, readEncryptionKey } from '../../gateway/config/secrets.js';
import { CliError } from '../../terminal/cli/errors.js';
import { counted } from '../../terminal/cli/text.js';

/** Flags of commands that work on a store without a daemon. */
export const STORE_FLAGS = {
  'data-dir': Flags.string({ description: 'data directory of the daemon', env: 'SWITCHBOARD_DATA_DIR' }),
  store: Flags.string({
    description: 'sqlite, or a mongodb:// or mongodb+srv:// URL',
    env: 'SWITCHBOARD_STORE',
  }),
  'encryption-key': Flags.string({
    description: 'encryption key, if it is not in the data directory',
    env: 'SWITCHBOARD_ENCRYPTION_KEY',
  }),
};

/** The values of `STORE_FLAGS`. */
export interface NamedStore {
  'data-dir'?: string | undefined;
  store?: string | undefined;
  'encryption-key'?: string | undefined;
}

/** The store that a daemon would use. */
export interface StorePlace {
  url: string;
  dataDir: string;
  encryptionKey: Uint8Array;
}

/**
 * Opens a store, runs the work and closes the store.
 * @param open must not create a missing store
 * @param beside suggestions for the same task while a daemon runs
 * @throws CliError with suggestions
 */
export async function withStore<S extends { close(): Promise<void> }, T>(
  named: NamedStore,
  defaultDataDir: string,
  open: (place: StorePlace) => Promise<S>,
  work: (store: S) => Promise<T>,
  beside: readonly string[] = [],
): Promise<T> {
  const place = await placeOf(named, defaultDataDir);
  try {
    const store = await open(place);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw explained(error, beside);
  }
}

/** The store that a daemon would use, including the settings file. */
export async function placeOf(named: NamedStore, defaultDataDir: string): Promise<StorePlace> {
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
    const what = existsSync(dataDir) ? `${dataDir} has no encryption key` : `there is no folder ${dataDir}`;
    throw new CliError('not_found', what, {
      suggestions: [
        'name the data directory: --data-dir',
        'or copy the file encryption-key there, from the data directory of the store or of the backup',
        'or give the key: --encryption-key or SWITCHBOARD_ENCRYPTION_KEY',
      ],
    });
  }
  return { url, dataDir, encryptionKey: encryptionKeyBytes(key) };
}

/** Converts a failure of the store to a CliError with suggestions; returns other errors unchanged. */
export function explained(cause: unknown, beside: readonly string[] = []): unknown {
  if (!isGatewayError(cause)) return cause;
  const { code, message } = cause;
  if (code === 'store_in_use') {
    return new CliError('conflict', message, {
      suggestions: [
        ...beside,
        `${beside.length > 0 ? 'or ' : ''}stop the daemon, run this command, start the daemon again`,
      ],
      cause,
    });
  }
  if (code === 'store_not_empty') {
    return new CliError('conflict', message, {
      suggestions: ['restore into another data directory or database'],
      cause,
    });
  }
  if (code === 'encryption_key_wrong') {
    return new CliError('failure', message, {
      suggestions: ['set SWITCHBOARD_ENCRYPTION_KEY to the key that the daemon had'],
      cause,
    });
  }
  if (code === 'store_missing') {
    return new CliError('not_found', message, { suggestions: ['check --data-dir'], cause });
  }
  const failure = code === 'store_unavailable' ? 'unreachable' : 'failure';
  return new CliError(failure, messageForOperator(cause), { cause });
}

/** Describes the contents of a store, such as `2 sessions, 1 message and 0 files`. */
export function contentsInWords({
  sessions,
  messages,
  files,
}: {
  sessions: readonly unknown[];
  messages: number;
  files: number;
}): string {
  return `${counted(sessions.length, 'session')}, ${counted(messages, 'message')} and ${counted(files, 'file')}`;
}

/** Fails if the store is damaged or could not be checked; ignores a missing store, which the next step handles. @throws CliError */
export async function requireUndamaged(
  find: () => Promise<{ lines: readonly string[] } | undefined>,
): Promise<void> {
  const { lines = [] } = (await find().catch(ignoreMissing)) ?? {};
  if (lines.length === 0) return;
  throw new CliError('failure', `the database is damaged: ${lines.join('; ')}`, {
    suggestions: ['check the disk', 'stop the daemon and restore a backup: switchboard store restore'],
  });
}

function ignoreMissing(error: unknown): undefined {
  if (isGatewayError(error, 'store_missing')) return;
  throw new CliError(
    'failure',
    `the database could not be checked for damage: ${messageForOperator(error)}`,
    {
      suggestions: ['check the disk and its permissions', 'run it again'],
      cause: error,
    },
  );
}
