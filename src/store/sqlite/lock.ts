import SqliteDatabase, { type Database } from 'better-sqlite3';
import { GatewayError } from '../../domain/errors.js';
import { makePrivateFile } from './files.js';

/**
 * Takes the data directory for this process. The lock is one of the operating system on a file of its own, held by an
 * open transaction, so that it dies with the process however that ends; the database itself stays readable for backups.
 *
 * @returns a function that gives the directory free
 * @throws GatewayError `store_in_use` when another process has it
 */
export function lockDataDir(dataDir: string, path: string): () => void {
  makePrivateFile(path);
  const lock = new SqliteDatabase(path, { timeout: 0 });
  try {
    lock.pragma('journal_mode = MEMORY');
    // the schema version field is free here: it tells the other side who holds the lock
    lock.pragma(`user_version = ${process.pid}`);
    lock.exec('BEGIN IMMEDIATE');
  } catch (error) {
    const holder = holderOf(lock);
    lock.close();
    if (!isBusy(error)) throw error;
    throw new GatewayError(
      'store_in_use',
      `The data directory ${dataDir} is in use by another daemon${holder}: ` +
        'stop that one first, or choose another directory with --data-dir.',
    );
  }
  return () => lock.close();
}

/** True when another connection holds the file. */
export function isBusy(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function holderOf(lock: Database): string {
  try {
    return ` (process ${String(lock.pragma('user_version', { simple: true }))})`;
  } catch {
    // the holder is writing its process id at this instant
    return '';
  }
}
