import SqliteDatabase from 'better-sqlite3';
import type { DamageOrder, DamageReport } from './damage.js';
import { isDamage } from './database.js';

/** Milliseconds to wait for a process that holds the whole file, as it does while it opens it. */
const BUSY_TIMEOUT_MS = 1_000;

/**
 * The program that looks for damage in a database file. SQLite cannot interrupt such a check, so it runs in a process that can be
 * killed. It reads only, also beside a daemon.
 */
process.once('message', (order: DamageOrder) => {
  try {
    look(order);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    report(isDamage(error) ? { kind: 'damage', lines: [text] } : { kind: 'unchecked', reason: text });
  }
  report({ kind: 'end' });
  process.disconnect();
});
process.once('disconnect', () => process.exit());

function look({ path, isThorough }: DamageOrder): void {
  const sqlite = new SqliteDatabase(path, {
    readonly: true,
    fileMustExist: true,
    timeout: BUSY_TIMEOUT_MS,
  });
  const lines = (pragma: string) =>
    sqlite
      .prepare<[], string>(`PRAGMA ${pragma}`)
      .pluck()
      .all()
      .filter((line) => line !== 'ok');
  const tables = sqlite
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name")
    .pluck()
    .all();
  report({ kind: 'tables', count: tables.length });
  for (const table of tables) {
    report({ kind: 'damage', lines: lines(`quick_check("${table}")`) });
    report({ kind: 'checked' });
  }
  // also the indexes against their tables, and the pages that no table has
  if (isThorough) report({ kind: 'damage', lines: lines('integrity_check') });
  sqlite.close();
}

function report(what: DamageReport): void {
  process.send?.(what);
}
