import {
  BSON,
  type Collection,
  type CollectionOptions,
  type Db,
  MongoClient,
  type MongoClientOptions,
  MongoError,
  MongoServerError,
} from 'mongodb';
import { errorMessage, GatewayError, isGatewayError, storeUnavailable } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import type { Logger } from '../../log.js';
import { ClientKeeper } from './client-keeper.js';
import { prepareSchema } from './schema.js';

/** Milliseconds; a replica set needs about as long to elect a new primary. */
const SELECT_SERVER_MS = 3_000;
/**
 * Milliseconds for each step of a connection and for each health check. A check without an answer interrupts the requests in
 * flight, so with the interval of the checks this is how long a network that swallows packets delays them: 2 s.
 */
const CONNECT_MS = 1_500;
/** Milliseconds without an answer after which a request fails; single documents take a few. */
const SILENCE_MS = 5_000;
/** Milliseconds that a write waits for the majority; shorter than SILENCE_MS, so that the server reports it. */
const MAJORITY_MS = 4_000;
/**
 * Milliseconds between health checks of the server; they also detect a server that hangs. Not longer than the driver's
 * minimum interval: otherwise a failed request triggers a check at once, even on a breaking connection, and with servers
 * that do not push changes the driver then waits for that check for ever. On a busy machine this can happen all the same:
 * `ClientKeeper` notices it.
 */
const HEARTBEAT_MS = 500;
/** Timeout of `ping` in milliseconds, independent of the driver. */
const PING_MS = 3_000;

/** The server's code for a failed conversion. Only the expressions of `fences.ts` convert anything. */
const CONVERSION_FAILURE = 241;

/** Defaults that the URL may override. */
const TIMEOUTS = {
  serverSelectionTimeoutMS: SELECT_SERVER_MS,
  connectTimeoutMS: CONNECT_MS,
  socketTimeoutMS: SILENCE_MS,
  waitQueueTimeoutMS: SELECT_SERVER_MS,
  heartbeatFrequencyMS: HEARTBEAT_MS,
  appName: 'switchboard',
} satisfies MongoClientOptions;

/** The store's guarantees depend on these: a URL cannot override them. */
const GUARANTEES = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: MAJORITY_MS },
  readPreference: 'primary',
  ignoreUndefined: true,
  promoteBuffers: false,
} satisfies MongoClientOptions;

/** A database whose schema this program knows. Reconnects by itself. */
export interface MongoDatabase {
  /** Its collections stay valid when the client is replaced. */
  readonly db: Db;
  /**
   * Runs operations.
   * @throws GatewayError `store_unavailable` if closed or if server or driver fail, `session_elsewhere` if a fence refuses
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** A `run` for a cursor that is made now and read in several calls: fails once the client was replaced. */
  pinned(): MongoDatabase['run'];
  /** Resolves if the server takes writes. @throws GatewayError `store_unavailable` within seconds otherwise */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects, and migrates the schema unless told otherwise.
 *
 * @param url `mongodb://` or `mongodb+srv://`; its path names the database, see `databaseNameOf`
 * @param options.prepare looks at the schema before the database is used, and may refuse it
 * @throws GatewayError `store_unavailable`, and errors of `prepare`: `store_too_new`
 */
export async function openMongoDatabase(
  url: string,
  options: { prepare?: (db: Db) => Promise<void>; log?: Logger | undefined } = {},
): Promise<MongoDatabase> {
  const { prepare = prepareSchema, log } = options;
  const name = databaseNameOf(url);
  const keeper = makeKeeper(url, name, log);
  try {
    await keeper.connect();
    await prepare(keeper.client.db(name));
    return guarded(keeper, name);
  } catch (error) {
    await keeper.close();
    throw isGatewayError(error) ? error : unavailable('Cannot open the MongoDB database', error);
  }
}

function makeKeeper(url: string, name: string, log: Logger | undefined): ClientKeeper {
  try {
    return new ClientKeeper({
      make: () => new MongoClient(url, { ...unlessInUrl(url, TIMEOUTS), ...GUARANTEES }),
      probe: (client) => within(PING_MS, probe(client.db(name))),
      log,
    });
  } catch (error) {
    throw unavailable('The URL of the MongoDB database cannot be used', error);
  }
}

function guarded(keeper: ClientKeeper, name: string): MongoDatabase {
  const guard = async <T>(
    work: () => Promise<T>,
    of: Parameters<ClientKeeper['run']>[1] = {},
  ): Promise<T> => {
    if (keeper.isClosed) throw new GatewayError('store_unavailable', 'The store is closed.');
    try {
      return await keeper.run(work, of);
    } catch (error) {
      if (isRefused(error)) throw refused();
      if (!isOutside(error)) throw error;
      keeper.noteFailure();
      throw storeUnavailable(error);
    }
  };
  let known = { client: keeper.client, db: keeper.client.db(name) };
  const db = followed(() => {
    const { client } = keeper;
    if (client !== known.client) known = { client, db: client.db(name) };
    return known.db;
  });
  return {
    db,
    run: (work) => guard(work),
    pinned() {
      const { client } = keeper;
      return (work) => guard(work, { client });
    },
    // writes, because a server without a majority or with a full disk still answers reads
    ping: () => guard(() => within(PING_MS, probe(db)), { isProbe: true }),
    close: () => keeper.close(),
  };
}

/** A database whose collections are always those of the current client. */
function followed(current: () => Db): Db {
  return new Proxy(current(), {
    get: (_first, key) =>
      key === 'collection'
        ? (name: string, options?: CollectionOptions) => followedCollection(current, name, options)
        : memberOf(current(), key),
  });
}

function followedCollection(current: () => Db, name: string, options?: CollectionOptions): Collection {
  let db = current();
  let collection = db.collection(name, options);
  return new Proxy(collection, {
    get(_first, key) {
      const now = current();
      if (now !== db) {
        db = now;
        collection = now.collection(name, options);
      }
      return memberOf(collection, key);
    },
  });
}

function memberOf(owner: object, key: string | symbol): unknown {
  const member: unknown = Reflect.get(owner, key, owner);
  return typeof member === 'function' ? member.bind(owner) : member;
}

async function probe(db: Db): Promise<void> {
  await db
    .collection<{ _id: string }>('probe')
    .updateOne({ _id: 'ping' }, { $set: { at: Date.now() } }, { upsert: true });
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = storeUnavailable(new Error(`the database did not answer within ${ms} ms`));
    timer = setTimeout(() => reject(error), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * True for failures of driver, server and connection, false for our own mistakes. For a connection that is cut in the middle
 * of a request, the driver may pass on Node's own errors.
 */
function isOutside(error: unknown): boolean {
  if (isGatewayError(error)) return false;
  if (error instanceof MongoError || error instanceof BSON.BSONError) return true;
  if (!(error instanceof Error)) return false;
  return error.name === 'AbortError' || ('code' in error && typeof error.code === 'string');
}

function isRefused(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === CONVERSION_FAILURE;
}

function refused(): GatewayError {
  return new GatewayError(
    'session_elsewhere',
    'The lease of the session has run out: another node has it, or will in a moment: ask again.',
  );
}

function unavailable(what: string, error: unknown): GatewayError {
  const [line = ''] = errorMessage(error).split('\n', 1);
  const why = reason('store_failed', { what, error: line.replace(/\.$/, '') });
  return new GatewayError('store_unavailable', why, { cause: error });
}

const DATABASE = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^/?]+)/;
const DEFAULT_DATABASE = 'switchboard';

/** The name of the database: the path of the URL, or `switchboard` if it has none. */
export function databaseNameOf(url: string): string {
  const [, path] = DATABASE.exec(url) ?? [];
  return path ? decodeURIComponent(path) : DEFAULT_DATABASE;
}

/** The given defaults without those that the URL's query sets. */
export function unlessInUrl<T extends object>(url: string, defaults: T): Partial<T> {
  const [, query = ''] = url.split('?', 2);
  const named = new Set([...new URLSearchParams(query).keys()].map((name) => name.toLowerCase()));
  const kept: Partial<T> = { ...defaults };
  for (const name in defaults) if (named.has(name.toLowerCase())) delete kept[name];
  return kept;
}
