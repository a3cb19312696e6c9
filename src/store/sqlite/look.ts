import { existsSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { GatewayError } from '../../domain/errors.js';
import { asUnavailable, databasePath, LOCK_FILE } from './database.js';
import { lockDataDir } from './lock.js';
import { MIGRATIONS } from './migrations/index.js';
import { refuseFromTheFuture, versionOf } from './migrations/migrate.js';

/**
 * Looks into a database that no daemon has open, without changing anything in it.
 * @param clientId whose wrapped data key is wanted
 * @returns undefined when there is no such key
 * @throws GatewayError `store_missing`, `store_in_use`, `store_too_new`, `store_unavailable`
 */
export function readDataKey(dataDir: string, clientId: string): Uint8Array | undefined {
  const path = databasePath(dataDir);
  if (!existsSync(path)) throw new GatewayError('store_missing', `There is no database in ${dataDir}.`);
  try {
    const unlock = lockDataDir(dataDir, join(dataDir, LOCK_FILE));
    try {
      return select(path, clientId);
    } finally {
      unlock();
    }
  } catch (error) {
    throw asUnavailable(`Cannot read the database in ${dataDir}`, error);
  }
}

function select(path: string, clientId: string): Uint8Array | undefined {
  const sqlite = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
  try {
    const version = versionOf(sqlite);
    if (version === 0) return undefined;
    refuseFromTheFuture(sqlite, version, MIGRATIONS.length);
    return sqlite
      .prepare<[string], Uint8Array>('SELECT wrapped FROM data_keys WHERE client_id = ?')
      .pluck()
      .get(clientId);
  } finally {
    sqlite.close();
  }
}
