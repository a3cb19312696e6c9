import { chmodSync, closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { GatewayError, storeUnavailable } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import { MIGRATIONS } from './migrations.js';
import { migrate, refuseTooNew, versionOf } from './schema.js';

export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIR = 0o700;

/** Creates the folder with mode 0700 if it does not exist. An existing folder may be shared on purpose: its mode stays. */
function makePrivateDir(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_DIR });
}

/** Creates the file if it does not exist and sets mode 0600. SQLite gives its side files (-wal, -shm) the same mode. */
function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
  chmodSync(path, PRIVATE_FILE);
}

/**
 * Locks the data directory for this process. An open transaction on a separate file holds a lock of the operating system: it
 * ends with the process, even after a crash, and the database stays readable for backups.
 *
 * @returns a function that unlocks the directory
 * @throws GatewayError `store_in_use` if another process holds the lock
 */
function lockDataDir(dataDir: string, path: string): () => void {
  makePrivateFile(path);
  const lock = new SqliteDatabase(path, { timeout: 0 });
  try {
    lock.pragma('journal_mode = MEMORY');
    // the lock file has no schema: its version field tells other processes who holds the lock
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

/** True if another connection holds the file. */
function isBusy(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function holderOf(lock: Database): string {
  try {
    return ` (process ${String(lock.pragma('user_version', { simple: true }))})`;
  } catch {
    // the holder is writing its process id right now
    return '';
  }
}

/** Milliseconds. Waiting blocks the whole process, and only a foreign tool can hold the database: keep it short. */
const BUSY_TIMEOUT_MS = 1_000;
/** Milliseconds without waiting after a wait that timed out, so that a held database does not block every call. */
const NO_WAIT_MS = 5_000;

const FILE = 'switchboard.db';
/** Ending of the write-ahead log. */
export const WRITE_AHEAD_LOG = '-wal';
const LOCK_FILE = 'switchboard.lock';
/** Endings of the files of a database. */
const PARTS = ['', WRITE_AHEAD_LOG, '-shm'];
/** Exists while the database is open, so that an unclean stop leaves it. */
export const OPEN_FILE = 'switchboard.open';

/** An open database at the newest schema, locked for this process. */
export interface OpenDatabase {
  /** To prepare statements once, at start. */
  readonly sqlite: Database;
  /** Runs statements. @throws GatewayError `store_unavailable` if closed or if SQLite fails */
  run<T>(work: () => T): T;
  /** As `run`, in one transaction, which is rolled back if `work` throws. It begins after all changes that wait. */
  inTransaction<T>(work: () => T): T;
  /**
   * Makes changes in one transaction with all others that are asked for before the next I/O. Resolves after the commit. Reads do not
   * see them before.
   * @param work runs statements only: it runs again, in a transaction of its own, if the common one fails
   */
  write<T>(work: () => T): Promise<T>;
  /** @throws GatewayError `store_unavailable` if the open database file was moved or deleted */
  checkFile(): void;
  close(): void;
}

/** A data directory that is locked for this process; its database is not open yet. */
export interface LockedDataDir {
  /** The database was not closed: the process that had it open was killed, or the machine lost power. */
  readonly wasLeftOpen: boolean;
  /**
   * Opens `switchboard.db`, creates it if needed and migrates the schema. Its `close` unlocks the directory.
   * @throws GatewayError `store_too_new`, `store_unavailable`
   */
  open(): OpenDatabase;
  unlock(): void;
}

/** True if SQLite says that the file itself is wrong. All other errors, such as an I/O error, say that it cannot be read now. */
export function isDamage(error: unknown): boolean {
  return error instanceof SqliteDatabase.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
}

/** True for a database whose file is empty or gone beside its write-ahead log, which SQLite would delete. */
export function wasEmptied(path: string): boolean {
  const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return bytesOf(path) === 0 && bytesOf(path + WRITE_AHEAD_LOG) > 0;
}

export function databaseExists(dataDir: string): boolean {
  return existsSync(databasePath(dataDir));
}

export function databasePath(dataDir: string): string {
  return join(dataDir, FILE);
}

/**
 * Locks the data directory; creates it if needed. The database is opened in a second step, because a damaged one must not be
 * changed, not even by a migration.
 *
 * @throws GatewayError `store_in_use`, `store_unavailable`
 */
export function lockForOpening(dataDir: string): LockedDataDir {
  const cannotOpen = `Cannot open the database in ${dataDir}`;
  const unlock = translated(cannotOpen, () => {
    makePrivateDir(dataDir);
    return lockDataDir(dataDir, join(dataDir, LOCK_FILE));
  });
  const openFile = join(dataDir, OPEN_FILE);
  const isMarked = existsSync(openFile);
  return {
    wasLeftOpen: wasEmptied(databasePath(dataDir)) || (isMarked && databaseExists(dataDir)),
    open: () =>
      translated(cannotOpen, () => {
        makePrivateFile(openFile);
        try {
          return guarded(openSqlite(databasePath(dataDir)), () => {
            rmSync(openFile, { force: true });
            unlock();
          });
        } catch (error) {
          if (!isMarked) rmSync(openFile, { force: true });
          throw error;
        }
      }),
    unlock,
  };
}

/**
 * Keeps a damaged database under other names, so that a backup can be restored in its place.
 * @returns the path under which the database is kept
 * @throws GatewayError `store_in_use`, `store_unavailable`
 */
export function setDamagedAside(dataDir: string): string {
  const { unlock } = lockForOpening(dataDir);
  const path = databasePath(dataDir);
  const kept = `${path}.damaged-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
  try {
    translated(`Cannot rename the database in ${dataDir}`, () => {
      for (const part of PARTS) if (existsSync(path + part)) renameSync(path + part, kept + part);
      rmSync(join(dataDir, OPEN_FILE), { force: true });
    });
    return kept;
  } finally {
    unlock();
  }
}

function openSqlite(path: string): Database {
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

/** @param closed is called once the database is closed */
function guarded(sqlite: Database, closed: () => void): OpenDatabase {
  const file = statSync(sqlite.name);
  const busyWait = new BusyWait(sqlite);
  const run = <T>(work: () => T): T => {
    if (!sqlite.open) throw new GatewayError('store_unavailable', 'The store is closed.');
    return translated(undefined, () => busyWait.run(work));
  };
  const transact = <T>(work: () => T): T => run(() => sqlite.transaction(work).immediate());
  const writes = new WaitingWrites(transact);
  return {
    sqlite,
    run,
    inTransaction(work) {
      writes.flush();
      return transact(work);
    },
    write: (work) => writes.add(work),
    checkFile() {
      const now = statSync(sqlite.name, { throwIfNoEntry: false });
      if (now?.ino === file.ino && now.dev === file.dev) return;
      throw storeUnavailable(new Error(`the database file ${sqlite.name} was moved or deleted`));
    },
    close() {
      if (!sqlite.open) return;
      writes.flush();
      sqlite.close();
      closed();
    },
  };
}

/** After so many commits in one turn of the event loop, what comes waits for its end: other work must go on. */
const COMMITS_IN_A_TURN = 16;

/**
 * Changes that wait until no work is left that needs no I/O, and are then committed together: a commit costs more than a change. They
 * do not wait for the end of the turn, because each further turn of the event loop costs more than a commit.
 */
class WaitingWrites {
  readonly #transact: <T>(work: () => T) => T;
  /** `run` returns what tells the caller the result. */
  #waiting: { run(): () => void; reject(error: unknown): void }[] = [];
  /** Commits in this turn of the event loop. */
  #commits = 0;

  constructor(transact: <T>(work: () => T) => T) {
    this.#transact = transact;
  }

  add<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) this.#begin();
      const run = () => {
        const result = work();
        return () => resolve(result);
      };
      this.#waiting.push({ run, reject });
    });
  }

  #begin(): void {
    if (this.#commits === 0)
      setImmediate(() => {
        this.#commits = 0;
      });
    this.#commits += 1;
    if (this.#commits > COMMITS_IN_A_TURN) setImmediate(() => this.flush());
    else process.nextTick(() => this.flush());
  }

  /** Commits what waits. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 1 && this.#commitTogether(waiting.map(({ run }) => run))) return;
    for (const { run, reject } of waiting) {
      try {
        this.#transact(run)();
      } catch (error) {
        reject(error);
      }
    }
  }

  /** @returns false if one of the changes, or the commit, failed: nothing is changed then */
  #commitTogether(changes: readonly (() => () => void)[]): boolean {
    try {
      for (const resolve of this.#transact(() => changes.map((run) => run()))) resolve();
      return true;
    } catch {
      // each one is tried alone, so that its caller gets its own error
      return false;
    }
  }
}

/** Waits for a database that another program holds, but not again and again: each wait blocks the process. */
class BusyWait {
  readonly #sqlite: Database;
  /** Time of the last wait that timed out, in milliseconds of `performance.now()`; undefined while waiting is allowed. */
  #timedOutAt: number | undefined;

  constructor(sqlite: Database) {
    this.#sqlite = sqlite;
  }

  run<T>(work: () => T): T {
    if (this.#timedOutAt !== undefined && performance.now() - this.#timedOutAt > NO_WAIT_MS) {
      this.#timedOutAt = undefined;
      this.#sqlite.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
    try {
      return work();
    } catch (error) {
      if (isBusy(error)) this.#disable();
      throw error;
    }
  }

  #disable(): void {
    if (this.#timedOutAt === undefined) this.#sqlite.pragma('busy_timeout = 0');
    this.#timedOutAt = performance.now();
  }
}

/**
 * Converts a failure of SQLite or of the file system to `store_unavailable`; returns other errors unchanged.
 * @param what what the operator tried; undefined while a daemon uses the store, when callers see the message
 */
export function asUnavailable(what: string | undefined, error: unknown): unknown {
  if (!(error instanceof Error) || !isOutside(error)) return error;
  if (what === undefined) return storeUnavailable(error);
  const why = reason('store_failed', { what, error: error.message });
  return new GatewayError('store_unavailable', why, { cause: error });
}

function translated<T>(what: string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asUnavailable(what, error);
  }
}

/** True for failures of SQLite and of the file system, false for our own mistakes. */
function isOutside(error: Error): boolean {
  return error instanceof SqliteDatabase.SqliteError || 'syscall' in error;
}

/**
 * Reads a wrapped data key from a database that no daemon has open. Changes nothing.
 * @returns undefined if there is no such key
 * @throws GatewayError `store_missing`, `store_in_use`, `store_too_new`, `store_unavailable`
 */
export function readDataKey(dataDir: string, clientId: string): Uint8Array | undefined {
  const path = databasePath(dataDir);
  if (!existsSync(path)) throw new GatewayError('store_missing', `There is no database in ${dataDir}.`);
  try {
    const unlock = lockDataDir(dataDir, join(dataDir, LOCK_FILE));
    try {
      return selectDataKey(path, clientId);
    } finally {
      unlock();
    }
  } catch (error) {
    throw asUnavailable(`Cannot read the database in ${dataDir}`, error);
  }
}

function selectDataKey(path: string, clientId: string): Uint8Array | undefined {
  const sqlite = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
  try {
    const version = versionOf(sqlite);
    if (version === 0) return undefined;
    refuseTooNew(sqlite, version, MIGRATIONS.length);
    return sqlite
      .prepare<[string], Uint8Array>('SELECT wrapped FROM data_keys WHERE client_id = ?')
      .pluck()
      .get(clientId);
  } finally {
    sqlite.close();
  }
}
