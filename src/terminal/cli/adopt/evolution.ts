import { Socket } from 'node:net';
import { join } from 'node:path';
import { contained } from '../../../domain/contained.js';
import { isObject, type JsonObject, parseJson, parseObject } from '../../../domain/json.js';
import { CliError } from '../errors.js';
import { readKeyFiles } from './baileys-folder.js';
import { MOST_NUMBERS } from './bounds.js';
import { ForeignServer } from './foreign-server.js';
import { clientIdOf, type LinkedNumber } from './linked-number.js';
import type { RedisStore, StoredKeys } from './redis.js';

/** The store of keys of Evolution API, beside its database. */
export interface KeyPlace {
  /** Its Redis, and the prefix of its names there (`CACHE_REDIS_PREFIX_KEY`). */
  redis?: { store: RedisStore; prefix: string };
  /** Its folder `instances`. */
  folder?: string;
}

/**
 * An instance with its credentials and webhook, from the tables of Evolution API 2 (`prisma/postgresql-schema.prisma`).
 * Instances of Meta's cloud API have no link.
 */
const INSTANCES = `
  SELECT i.id, i.name, s.creds, w.url, w.enabled
  FROM "Instance" i
  LEFT JOIN "Session" s ON s."sessionId" = i.id
  LEFT JOIN "Webhook" w ON w."instanceId" = i.id
  WHERE i.integration IS NULL OR i.integration = 'WHATSAPP-BAILEYS'
  ORDER BY i.name`;
/** Other connections to the same database; a role without rights sees no details of them. */
const OTHERS = `
  SELECT count(*)::int AS others FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND coalesce(backend_type, 'client backend') = 'client backend'`;

type Postgres = typeof import('pg').default;

interface Tables {
  instances: JsonObject[];
  isInUse: boolean;
}

/**
 * Reads the numbers of Evolution API, with the URLs of their webhooks. Keys are in its Redis, or in files if it has no
 * Redis.
 * @param url of its PostgreSQL
 * @throws CliError `unreachable`, `not_found`
 */
export async function readEvolution(url: string, place: KeyPlace): Promise<LinkedNumber[]> {
  const { instances, isInUse } = await readTables(url);
  const numbers: LinkedNumber[] = [];
  for (const instance of instances) numbers.push(await readInstance(instance, place, isInUse));
  if (numbers.length > 0) return numbers;
  throw new CliError('not_found', 'this database has no instances of Evolution API');
}

async function readTables(url: string): Promise<Tables> {
  const { default: postgres } = await import('pg').catch((cause: unknown) => {
    throw new CliError('failure', 'the client of PostgreSQL is not installed', {
      suggestions: ['npm install -g pg@8'],
      cause,
    });
  });
  const server = new ForeignServer('the database of Evolution API cannot be read');
  try {
    const client = await server.answer(connect(postgres, url, server));
    // `schema` is a parameter of Prisma that the client does not know
    const schema = new URL(url).searchParams.get('schema');
    if (schema) await server.answer(client.query(`SET search_path TO ${postgres.escapeIdentifier(schema)}`));
    const instances = await server.answer(rowsOf(postgres, client, INSTANCES));
    const [activity] = await server.answer(rowsOf(postgres, client, OTHERS));
    await server.answer(client.end());
    return { instances: instances.map(instanceIn), isInUse: activity?.[0] !== 0 };
  } finally {
    server.end();
  }
}

async function connect(postgres: Postgres, url: string, server: ForeignServer) {
  const client = new postgres.Client({
    connectionString: url,
    stream: () => server.watch(contained(new Socket())),
  });
  // with TLS the client reads from another stream, which must be watched too
  client.connection.on('sslconnect', () => server.watch(contained(client.connection.stream)));
  client.on('error', (error) => server.end(error));
  return client.connect();
}

/** The rows of a query, each as a list. @throws Error for more rows than there are numbers */
function rowsOf(
  postgres: Postgres,
  client: InstanceType<Postgres['Client']>,
  text: string,
): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    const rows: unknown[][] = [];
    // read rows as lists: an object per row would get every column that the server claims to have
    const asLists = { text, rowMode: 'array' };
    const query = client.query(new postgres.Query(asLists));
    query.on('row', (row: unknown[]) => {
      if (rows.length < MOST_NUMBERS) rows.push(row);
      else reject(new Error(`it has more than ${MOST_NUMBERS} instances`));
    });
    query.on('end', () => resolve(rows));
    query.on('error', reject);
  });
}

function instanceIn([id, name, creds, url, enabled]: readonly unknown[]): JsonObject {
  return { id, name, creds, url, enabled };
}

async function readInstance(row: JsonObject, place: KeyPlace, isInUse: boolean): Promise<LinkedNumber> {
  const { id, name, creds, url, enabled } = row;
  const hash = place.redis && `${place.redis.prefix}:instance:${id}`;
  const inRedis = hash && (await place.redis?.store.field(hash, 'creds'));
  const credentials = newer(credentialsIn(creds), isObject(inRedis) ? inRedis : undefined);
  return {
    clientId: clientIdOf(String(name)),
    place: `instance ${name}`,
    credentials,
    unreadable: [],
    inUse: isInUse ? 'another connection to its database is open' : '',
    webhookUrl: typeof url === 'string' && url && enabled !== false ? url : undefined,
    ...(await keysOf(String(id), hash, place)),
  };
}

/**
 * The newer of two credentials, because data from before a change of the settings may remain. The number of pre-keys
 * tells, because it only grows.
 */
function newer(a: JsonObject = {}, b: JsonObject = {}): JsonObject {
  return Number(b.nextPreKeyId ?? 0) > Number(a.nextPreKeyId ?? 0) ? b : a;
}

/** Reads the credentials in a column, which holds JSON encoded twice. */
function credentialsIn(column: unknown): JsonObject | undefined {
  const text = typeof column === 'string' ? parseJson(column) : undefined;
  return typeof text === 'string' ? parseObject(text) : undefined;
}

async function keysOf(
  id: string,
  hash: string | undefined,
  { redis, folder }: KeyPlace,
): Promise<StoredKeys & Partial<Pick<LinkedNumber, 'unreadable' | 'inUse'>>> {
  if (redis && hash) return redis.store.keysIn(hash);
  if (!folder) return { counts: {}, async *keys() {} };
  const { inUse, ...stored } = await readKeyFiles(join(folder, id));
  return inUse ? { ...stored, inUse } : stored;
}
