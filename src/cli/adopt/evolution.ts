import { join } from 'node:path';
import { errorMessage } from '../../domain/errors.js';
import { isObject, type JsonObject, parseJson, parseObject } from '../../domain/json.js';
import { CliError } from '../errors.js';
import { readKeyFiles } from './baileys-folder.js';
import { clientIdOf, type LinkedNumber } from './linked-number.js';
import type { RedisStore, StoredKeys } from './redis.js';

/** Where Evolution API keeps keys beside its database. */
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
/** Other connections to the same database; a role without rights does not see what they are. */
const OTHERS = `
  SELECT count(*)::int AS others FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND coalesce(backend_type, 'client backend') = 'client backend'`;

interface Tables {
  instances: JsonObject[];
  isInUse: boolean;
}

/**
 * Reads the numbers of Evolution API, with the addresses of their webhooks. Keys are in its Redis, or in files if it has none.
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
  const client = new postgres.Client({ connectionString: url });
  try {
    await client.connect();
    // Prisma's parameter, which the client does not know
    const schema = new URL(url).searchParams.get('schema');
    if (schema) await client.query(`SET search_path TO ${postgres.escapeIdentifier(schema)}`);
    const { rows: instances } = await client.query<JsonObject>(INSTANCES);
    const { rows: activity } = await client.query<JsonObject>(OTHERS);
    return { instances, isInUse: activity[0]?.others !== 0 };
  } catch (cause) {
    const message = `the database of Evolution API cannot be read: ${errorMessage(cause)}`;
    throw new CliError('unreachable', message, { cause });
  } finally {
    await client.end();
  }
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
    ...(typeof url === 'string' && url && enabled !== false && { webhookUrl: url }),
    ...(await keysOf(String(id), hash, place)),
  };
}

/** Pre-keys are only ever added; what was stored before a change of the settings may still be there. */
function newer(a: JsonObject = {}, b: JsonObject = {}): JsonObject {
  return Number(b.nextPreKeyId ?? 0) > Number(a.nextPreKeyId ?? 0) ? b : a;
}

/** The column has the JSON of a text that is JSON. */
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
