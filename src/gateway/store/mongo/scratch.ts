import { databaseNameOf, openMongoDatabase } from './database.js';

/** The names of databases that may be dropped. */
export const SCRATCH_PREFIX = 'switchboard-drill-';

/**
 * Drops a database that was made for a drill.
 * @param url its path names the database
 * @throws Error if the name does not begin with `SCRATCH_PREFIX`, GatewayError `store_unavailable`
 */
export async function dropScratchDatabase(url: string): Promise<void> {
  const name = databaseNameOf(url);
  if (!name.startsWith(SCRATCH_PREFIX)) throw new Error(`${name} is no database of a drill`);
  const { db, run, close } = await openMongoDatabase(url);
  try {
    await run(() => db.dropDatabase());
  } finally {
    await close();
  }
}
