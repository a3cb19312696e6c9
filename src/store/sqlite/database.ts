import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { GatewayError } from '../../domain/errors.js';
import { makePrivateDir, makePrivateFile } from './files.js';
import { isBusy, lockDataDir } from './lock.js';
import { MIGRATIONS } from './migrations/index.js';
import { migrate } from './migrations/migrate.js';

/** Milliseconds. Waiting blocks the whole process, and only a foreign tool can hold the database: give up soon. */
const BUSY_TIMEOUT_MS = 1_000;
/** Milliseconds after a wait in vain in which nobody else waits: one blocked second is enough for all. */
const IMPATIENCE_MS = 5_000;

const FILE = 'switchboard.db';
/** Held by the daemon that has the data directory. */
export const LOCK_FILE = 'switchboard.lock';

/** An open database file of this process alone, at the newest schema. */
export interface OpenDatabase {
  /** For preparing statements once, at start. */
  readonly sqlite: Database;
  /** Runs statements. @throws GatewayError `store_unavailable` when closed or when SQLite fails */
  run<T>(work: () => T): T;
  /** As `run`, in one transaction: when `work` throws, nothing has happened. */
  inTransaction<T>(work: () => T): T;
  /** @throws GatewayError `store_unavailable` when the file at the path is no longer the one that is open */
  checkFile(): void;
  close(): void;
}

/** True when the data directory holds a database. */
export function databaseExists(dataDir: string): boolean {
  return existsSync(databasePath(dataDir));
}

/** Where a data directory keeps its database. */
export function databasePath(dataDir: string): string {
  return join(dataDir, FILE);
}

/**
 * Opens `switchboard.db` in the data directory, makes both when they are not there and brings the schema up to date.
 *
 * @throws GatewayError `store_in_use`, `store_too_new`, `store_unavailable`
 */
export function openDatabase(dataDir: string): OpenDatabase {
  return translated(`Cannot open the database in ${dataDir}`, () => {
    makePrivateDir(dataDir);
    const unlock = lockDataDir(dataDir, join(dataDir, LOCK_FILE));
    try {
      return guarded(openFile(databasePath(dataDir)), unlock);
    } catch (error) {
      unlock();
      throw error;
    }
  });
}

function openFile(path: string): Database {
  makePrivateFile(path);
  const sqlite = new SqliteDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = NORMAL');
    sqlite.pragma('foreign_keys = ON');
    // deleted content is overwritten with zeros, not just unlinked
    sqlite.pragma('secure_delete = ON');
    migrate(sqlite, MIGRATIONS);
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

function guarded(sqlite: Database, unlock: () => void): OpenDatabase {
  const file = statSync(sqlite.name);
  const patience = new Patience(sqlite);
  const run = <T>(work: () => T): T => {
    if (!sqlite.open) throw new GatewayError('store_unavailable', 'The store is closed.');
    return translated('The database cannot be used', () => patience.spend(work));
  };
  return {
    sqlite,
    run,
    inTransaction: (work) => run(() => sqlite.transaction(work).immediate()),
    checkFile() {
      const now = statSync(sqlite.name, { throwIfNoEntry: false });
      if (now?.ino === file.ino && now.dev === file.dev) return;
      throw new GatewayError('store_unavailable', `The database file ${sqlite.name} was moved or deleted.`);
    },
    close() {
      if (!sqlite.open) return;
      sqlite.close();
      unlock();
    },
  };
}

/** Waits for a database that another program holds, but not time and again. */
class Patience {
  readonly #sqlite: Database;
  /** When the last wait was in vain: milliseconds of the process; undefined while it is worth waiting. */
  #exhaustedAt: number | undefined;

  constructor(sqlite: Database) {
    this.#sqlite = sqlite;
  }

  spend<T>(work: () => T): T {
    if (this.#exhaustedAt !== undefined && performance.now() - this.#exhaustedAt > IMPATIENCE_MS) {
      this.#exhaustedAt = undefined;
      this.#sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
    try {
      return work();
    } catch (error) {
      if (isBusy(error)) this.#exhaust();
      throw error;
    }
  }

  #exhaust(): void {
    if (this.#exhaustedAt === undefined) this.#sqlite.pragma('busy_timeout = 0');
    this.#exhaustedAt = performance.now();
  }
}

/** A failure of SQLite or of the file system as `store_unavailable`; any other error as it is. */
export function asUnavailable(what: string, error: unknown): unknown {
  if (!(error instanceof Error) || !isOutside(error)) return error;
  return new GatewayError('store_unavailable', `${what}: ${error.message}.`, { cause: error });
}

function translated<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asUnavailable(what, error);
  }
}

/** Failures of SQLite and of the file system, as against mistakes in our own code. */
function isOutside(error: Error): boolean {
  return error instanceof SqliteDatabase.SqliteError || 'syscall' in error;
}
