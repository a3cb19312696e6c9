import { randomUUID } from 'node:crypto';
import { type Db, MongoClient } from 'mongodb';
import type { Store } from '../../../../src/gateway/store/store.js';
import type { StoreHarness } from '../../../contracts/store/harness.js';
import type { Verdict } from '../../../support/tcp-proxy.js';

/** URL of a MongoDB server for tests; without it there are none. */
export const MONGODB_URL = process.env.SWITCHBOARD_TEST_MONGODB;

/** A database of a test's own. */
export interface TestDatabase {
  name: string;
  /** URL with the database as its path. */
  url: string;
  /** Looks into the database past the store. */
  inspect<T>(work: (db: Db) => Promise<T>): Promise<T>;
  drop(): Promise<void>;
}

/** Thinks of a database that is not there yet. */
export function makeTestDatabase(server: string): TestDatabase {
  const name = `switchboard-test-${randomUUID()}`;
  const [, start, query = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)[^?]*(\?.*)?$/.exec(server) ?? [];
  if (!start) throw new Error('SWITCHBOARD_TEST_MONGODB is no mongodb:// URL');
  const inspect = async <T>(work: (db: Db) => Promise<T>) => {
    const client = new MongoClient(server);
    try {
      return await work(client.db(name));
    } finally {
      await client.close();
    }
  };
  return {
    name,
    url: `${start}/${name}${query}`,
    inspect,
    drop: () => inspect(async (db) => void (await db.dropDatabase())),
  };
}

/** Host and port of the server, for a proxy in front of it. */
export function serverAddress(server: string): [host: string, port: number] {
  const { hostname, port } = new URL(server);
  return [hostname, Number(port || 27_017)];
}

/** The database's URL by way of a local proxy; the driver must not look for the server's own address then. */
export function throughProxy({ name }: TestDatabase, port: number): string {
  return `mongodb://127.0.0.1:${port}/${name}?directConnection=true`;
}

/** Breaks the connection at the given request that names the database. */
export function breakAt(request: number, databaseName: string, verdict: Verdict): (chunk: Buffer) => Verdict {
  let seen = 0;
  return (chunk) => {
    if (!chunk.includes(databaseName)) return 'pass';
    seen += 1;
    return seen === request ? verdict : 'pass';
  };
}

/** The harness of the contract suites: a store in a database of its own. */
export async function inTestDatabase<S extends Store>(
  server: string,
  open: (url: string) => Promise<S>,
): Promise<StoreHarness<S>> {
  const database = makeTestDatabase(server);
  let store = await open(database.url);
  return {
    store,
    async reopen() {
      await store.close();
      store = await open(database.url);
      return store;
    },
    async destroy() {
      await store.close();
      await database.drop();
    },
  };
}
