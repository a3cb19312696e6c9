import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import {
  MONGODB_URL,
  makeTestDatabase,
  serverAddress,
  throughProxy,
} from '../gateway/store/support/mongo.js';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';

/** Where a test's daemon keeps its rows. */
export interface StorePlace {
  /** The setting `store`. */
  setting: string;
  /** A relay in front of the server, to break; none for SQLite. */
  proxy?: TcpProxy;
  /** Deletes what is on a server. */
  drop(): Promise<void>;
}

/** SQLite in the data directory; or a database of its own, where `SWITCHBOARD_TEST_MONGODB` names a server. */
export async function makeStorePlace(options: { breakable?: boolean } = {}): Promise<StorePlace> {
  if (!MONGODB_URL) return { setting: 'sqlite', drop: async () => undefined };
  const database = makeTestDatabase(MONGODB_URL);
  if (!options.breakable) return { setting: database.url, drop: () => database.drop() };
  const proxy = await startTcpProxy(...serverAddress(MONGODB_URL));
  return {
    setting: throughProxy(database, proxy.port),
    proxy,
    async drop() {
      await proxy.stop();
      await database.drop();
    },
  };
}

/**
 * Makes the store of a running daemon unusable: cuts the server off, or holds the SQLite file, as a tool that is left open does.
 *
 * @returns what mends it
 */
export function breakStore({ place, dataDir }: { place: StorePlace; dataDir: string }): () => void {
  const { proxy } = place;
  if (proxy) {
    proxy.cut();
    return () => proxy.restore();
  }
  const holder = new SqliteDatabase(join(dataDir, 'switchboard.db'));
  holder.exec('BEGIN IMMEDIATE');
  return () => {
    holder.exec('ROLLBACK');
    holder.close();
  };
}
