import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Clock } from '../../domain/clock.js';
import type { Bucket, State } from './state.js';

const FILE_NAME = 'sandbox.sqlite';
const COMMIT_DELAY_MS = 50;
const LOCK_WAIT_MS = 500;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS state (bucket TEXT, key TEXT, value TEXT, PRIMARY KEY (bucket, key)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS run (id INTEGER PRIMARY KEY CHECK (id = 1), open INTEGER NOT NULL);
  INSERT OR IGNORE INTO run (id, open) VALUES (1, 0);`;

/** State in one SQLite file of a folder, which is created if missing. */
export class SqliteState implements State {
  readonly interrupted: boolean;
  readonly #db: Database.Database;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, { bucket: Bucket; key: string; value?: () => string }>();
  readonly #commit: () => void;
  #cancel?: () => void;

  constructor(folder: string, clock: Clock) {
    mkdirSync(folder, { recursive: true });
    this.#clock = clock;
    this.#db = new Database(join(folder, FILE_NAME), { timeout: LOCK_WAIT_MS });
    // two networks on one folder would hand out the same keys
    this.#db.pragma('locking_mode = EXCLUSIVE');
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = NORMAL');
    this.#db.exec(SCHEMA);
    this.interrupted = this.#db.prepare('SELECT open FROM run').pluck().get() === 1;
    this.#db.exec('UPDATE run SET open = 1');
    this.#commit = this.#prepareCommit();
  }

  rows(bucket: Bucket): [string, string][] {
    const query = this.#db.prepare<[string], { key: string; value: string }>(
      'SELECT key, value FROM state WHERE bucket = ? ORDER BY key',
    );
    return query.all(bucket).map((row) => [row.key, row.value]);
  }

  put(bucket: Bucket, key: string, value: () => string): void {
    this.#wait({ bucket, key, value });
  }

  remove(bucket: Bucket, key: string): void {
    this.#wait({ bucket, key });
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#waiting.size > 0) this.#commit();
  }

  close(): void {
    this.flush();
    this.#db.exec('UPDATE run SET open = 0');
    this.#db.close();
  }

  #wait(change: { bucket: Bucket; key: string; value?: () => string }): void {
    this.#waiting.set(`${change.bucket}/${change.key}`, change);
    this.#cancel ??= this.#clock.after(COMMIT_DELAY_MS, () => this.flush());
  }

  #prepareCommit(): () => void {
    const put = this.#db.prepare('INSERT OR REPLACE INTO state (bucket, key, value) VALUES (?, ?, ?)');
    const remove = this.#db.prepare('DELETE FROM state WHERE bucket = ? AND key = ?');
    return this.#db.transaction(() => {
      for (const { bucket, key, value } of this.#waiting.values()) {
        if (value) put.run(bucket, key, value());
        else remove.run(bucket, key);
      }
      this.#waiting.clear();
    });
  }
}
