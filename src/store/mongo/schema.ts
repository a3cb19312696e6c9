import type { Db } from 'mongodb';
import { GatewayError } from '../../domain/errors.js';
import { makeIndexes } from './collections.js';

/** One step of the schema's history. */
export interface Migration {
  /** The oldest version whose programs may still use the database after this step. */
  compatibleWith: number;
  /**
   * Changes documents. May run again after it was interrupted, or on two daemons at once, and must come to the same.
   * One request may take no longer than the driver's timeout for silence: large work goes in batches.
   */
  apply(db: Db): Promise<void>;
}

/**
 * The schema's history, oldest first; the first version is nothing but its indexes, which are made at every start.
 * A released migration is never edited.
 */
export const MIGRATIONS: readonly Migration[] = [{ compatibleWith: 1, apply: async () => {} }];

interface SchemaDocument {
  _id: string;
  version: number;
  /** The oldest version whose programs may use the database. */
  oldest: number;
}

const ID = 'schema';

/**
 * Brings a database to the newest schema. The version is written after each step, so that an interrupted one is
 * done again at the next start.
 *
 * @throws GatewayError `store_too_new` when the database was written by a newer program and does not suit this one;
 * nothing is changed then.
 */
export async function prepareSchema(db: Db, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const schema = db.collection<SchemaDocument>('schema');
  const { version: current, oldest } = (await schema.findOne({ _id: ID })) ?? { version: 0, oldest: 0 };
  if (current > migrations.length) return refuseUnlessSuited(current, oldest, migrations.length);
  await makeIndexes(db);
  for (const [index, { compatibleWith, apply }] of migrations.entries()) {
    const version = index + 1;
    if (version <= current) continue;
    await apply(db);
    // the greater one stays: another daemon may be further already
    await schema.updateOne({ _id: ID }, { $max: { version, oldest: compatibleWith } }, { upsert: true });
  }
}

function refuseUnlessSuited(current: number, oldest: number, known: number): void {
  if (oldest <= known) return;
  throw new GatewayError(
    'store_too_new',
    `The database has schema version ${current}, this program knows versions up to ${known}: ` +
      'use the newer Switchboard again, or restore a backup.',
  );
}
