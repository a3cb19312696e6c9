import { BSON, type Db, MongoClient, type MongoClientOptions, MongoError, MongoServerError } from 'mongodb';
import { errorMessage } from '../../domain/error-message.js';
import { GatewayError, isGatewayError } from '../../domain/errors.js';
import { prepareSchema } from './schema.js';
import { databaseNameOf, unlessInUrl } from './url.js';

/** Milliseconds. A replica set elects a new primary within about as long; a server that is down shows after it. */
const SELECT_SERVER_MS = 3_000;
const CONNECT_MS = 3_000;
/** Milliseconds of silence after which a request is given up: single documents take a few. */
const SILENCE_MS = 5_000;
/** Milliseconds that a write waits for the majority; shorter than the silence, so that the server says so itself. */
const MAJORITY_MS = 4_000;
/**
 * Milliseconds between looks at the server: a server that hangs is noticed by them too. No longer than the driver waits between
 * two looks at least: after a longer time a failed request makes it look at once, on a connection that is just breaking too,
 * and where the server does not announce its changes the driver then waits for that look for ever.
 */
const HEARTBEAT_MS = 500;
/** Milliseconds that `ping` waits, whatever the driver is still trying. */
const PING_MS = 3_000;

const DUPLICATE_KEY = 11_000;
/** What a server answers when a conversion fails: only the expressions of `fences.ts` convert anything. */
const CONVERSION_FAILURE = 241;

/** What an operator may set otherwise in the URL. */
const TIMEOUTS = {
  serverSelectionTimeoutMS: SELECT_SERVER_MS,
  connectTimeoutMS: CONNECT_MS,
  socketTimeoutMS: SILENCE_MS,
  waitQueueTimeoutMS: SELECT_SERVER_MS,
  heartbeatFrequencyMS: HEARTBEAT_MS,
  appName: 'switchboard',
} satisfies MongoClientOptions;

/** What the store's promises rest on: not to be weakened by a URL. */
const GUARANTEES = {
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: MAJORITY_MS },
  readPreference: 'primary',
  ignoreUndefined: true,
  promoteBuffers: false,
} satisfies MongoClientOptions;

/** A database of a MongoDB server at the newest schema. The driver connects again by itself after an outage. */
export interface MongoDatabase {
  readonly db: Db;
  /**
   * Runs operations.
   * @throws GatewayError `store_unavailable` when closed or when server or driver fail, `session_elsewhere` when a fence
   * stands in the way
   */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when the server takes writes. @throws GatewayError `store_unavailable` within seconds otherwise */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects and brings the schema up to date.
 *
 * @param url `mongodb://` or `mongodb+srv://`; its path names the database, see `databaseNameOf`
 * @throws GatewayError `store_too_new`, `store_unavailable`
 */
export async function openMongoDatabase(url: string): Promise<MongoDatabase> {
  const client = makeClient(url);
  try {
    await client.connect();
    const db = client.db(databaseNameOf(url));
    await prepareSchema(db);
    return guarded(client, db);
  } catch (error) {
    await client.close();
    throw isGatewayError(error) ? error : unavailable('Cannot open the MongoDB database', error);
  }
}

/** True when a document with the same unique fields was there. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

function makeClient(url: string): MongoClient {
  try {
    return new MongoClient(url, { ...unlessInUrl(url, TIMEOUTS), ...GUARANTEES });
  } catch (error) {
    throw unavailable('The URL of the MongoDB database cannot be used', error);
  }
}

function guarded(client: MongoClient, db: Db): MongoDatabase {
  let closed = false;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closed) throw new GatewayError('store_unavailable', 'The store is closed.');
    try {
      return await work();
    } catch (error) {
      if (isRefused(error)) throw refused();
      throw isOutside(error) ? unavailable('The database cannot be used', error) : error;
    }
  };
  return {
    db,
    run,
    // writes, because a server that has lost its majority, or has a full disk, still answers reads
    ping: () => run(() => within(PING_MS, probe(db))),
    async close() {
      closed = true;
      await client.close();
    },
  };
}

async function probe(db: Db): Promise<void> {
  await db
    .collection<{ _id: string }>('probe')
    .updateOne({ _id: 'ping' }, { $set: { at: Date.now() } }, { upsert: true });
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new GatewayError('store_unavailable', `The database did not answer within ${ms} ms.`);
    timer = setTimeout(() => reject(error), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Failures of driver, server and connection, as against mistakes in our own code. A connection that is cut in the middle
 * of a request does not always come as an error of the driver's own classes: it lets Node's through, too.
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
  const [line] = errorMessage(error).split('\n', 1);
  return new GatewayError('store_unavailable', `${what}: ${line?.replace(/\.$/, '')}.`, { cause: error });
}
