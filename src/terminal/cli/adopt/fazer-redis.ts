import { isObject } from '../../../domain/json.js';
import { CliError } from '../errors.js';
import { clientIdOf, type LinkedNumber } from './linked-number.js';
import type { RedisStore } from './redis.js';

/** The names that fazer-ai/baileys-api gives to its keys (`src/baileys/redisAuthState.ts`, `src/cluster/keys.ts`). */
const STATE = /^@baileys-api:connections:(.+):authState$/;
const STATES = '@baileys-api:connections:*:authState';
const LEASES = '@baileys-api:cluster:lease:';

/**
 * Reads the numbers of fazer-ai/baileys-api, with the address and token of their webhook.
 * @throws CliError `not_found` when there is none
 */
export async function readFazer(redis: RedisStore): Promise<LinkedNumber[]> {
  const numbers: LinkedNumber[] = [];
  for (const state of await redis.names(STATES)) numbers.push(await readNumber(redis, state));
  if (numbers.length > 0) return numbers;
  throw new CliError('not_found', 'this Redis has no numbers of fazer-ai/baileys-api');
}

async function readNumber(redis: RedisStore, state: string): Promise<LinkedNumber> {
  const id = STATE.exec(state)?.[1] ?? '';
  const credentials = await redis.field(state, 'creds');
  const metadata = await redis.field(state, 'metadata');
  const { webhookUrl, webhookVerifyToken: token } = isObject(metadata) ? metadata : {};
  return {
    clientId: clientIdOf(id),
    place: id,
    credentials: isObject(credentials) ? credentials : {},
    unreadable: [],
    inUse: (await redis.exists(`${LEASES}${id}`)) ? 'it has a lease' : '',
    webhookUrl: typeof webhookUrl === 'string' && webhookUrl ? webhookUrl : undefined,
    webhookToken: typeof token === 'string' && token ? token : undefined,
    ...(await redis.keysIn(state)),
  };
}
