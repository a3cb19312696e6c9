import type { Database } from 'better-sqlite3';
import { GatewayError } from '../../../domain/errors.js';

const FIRST_LINE = /^-- v(\d+) \(compatible with v(\d+)\+\)\n/;

/**
 * Migrates a database to the newest schema, in one transaction.
 *
 * @param migrations oldest first, see `MIGRATIONS`
 * @throws GatewayError `store_too_new` if a newer program wrote the database in an incompatible version; nothing is changed
 */
export function migrate(database: Database, migrations: readonly string[]): void {
  const steps = migrations.map(parse);
  database.transaction(() => {
    database.exec('CREATE TABLE IF NOT EXISTS compatibility (oldest_version INTEGER NOT NULL) STRICT');
    const current = versionOf(database);
    refuseTooNew(database, current, steps.length);
    for (const step of steps.slice(current)) {
      database.exec(step.sql);
      database.prepare('DELETE FROM compatibility').run();
      database.prepare('INSERT INTO compatibility (oldest_version) VALUES (?)').run(step.compatibleWith);
      database.pragma(`user_version = ${step.version}`);
    }
  })();
}

function parse(sql: string, position: number) {
  const [, version, compatibleWith] = FIRST_LINE.exec(sql) ?? [];
  if (Number(version) !== position + 1) {
    throw new Error(`migration ${position + 1} must start with "-- v${position + 1} (compatible with vM+)"`);
  }
  return { version: Number(version), compatibleWith: Number(compatibleWith), sql };
}

/** The schema's version; 0 before the first migration. */
export function versionOf(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }));
}

/** @throws GatewayError `store_too_new` if the database is incompatible with a program that knows `known` versions */
export function refuseTooNew(database: Database, current: number, known: number): void {
  if (current <= known) return;
  const row = database
    .prepare<[], { oldest: number | null }>('SELECT max(oldest_version) AS oldest FROM compatibility')
    .get();
  if (row?.oldest && row.oldest <= known) return;
  throw new GatewayError(
    'store_too_new',
    `The database has schema version ${current}, this program knows versions up to ${known}: ` +
      'use the newer Switchboard again, or restore a backup.',
  );
}
