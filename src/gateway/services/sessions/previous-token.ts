import { GatewayError } from '../../../domain/errors.js';
import type { SessionRecord } from '../../store/store.js';
import { definedOnly, type RecordChanges, type WebhookChanges, withKeptAddresses } from './record.js';

const NONE = { previousToken: null, previousTokenUntil: 0 };

/** The previous token of the webhook, with its end. */
export function previousTokenOf({
  previousToken: token,
  previousTokenUntil: until,
}: Pick<SessionRecord, 'previousToken' | 'previousTokenUntil'>):
  | { token: string; until: number }
  | undefined {
  return token ? { token, until } : undefined;
}

/** Current and previous token, of the webhook or of another receiver. */
interface Tokens {
  token: string;
  previousToken: string | null;
  previousTokenUntil: number;
}

/**
 * Changes a token. A new token ends signatures with the previous one, unless `seconds` keeps them for that long. Without
 * a new token, `seconds` moves the end of a previous token that is still in use.
 * @param now milliseconds since the epoch
 * @param change.field the name of the token in the request
 * @throws GatewayError invalid_request
 */
export function tokenChanges(
  before: Tokens,
  {
    token = before.token,
    seconds,
    field,
  }: { token: string | undefined; seconds: number | undefined; field: string },
  now: number,
): Tokens {
  const kept = now < before.previousTokenUntil ? before.previousToken : null;
  const previousToken = token === before.token ? kept : before.token;
  if (seconds) {
    if (!token || !previousToken) throw nothingKept(field);
    return { token, previousToken, previousTokenUntil: now + seconds * 1_000 };
  }
  const goesOn = seconds === undefined && token === before.token && kept !== null;
  return goesOn ? { ...before, token } : { token, ...NONE };
}

/** Changes of a session's record for new webhook settings. @throws GatewayError invalid_request */
export function webhookChanges(record: SessionRecord, settings: WebhookChanges, now: number): RecordChanges {
  const { previousTokenFor: seconds, ...changes } = withKeptAddresses(record, definedOnly(settings));
  const { webhookToken: token, previousToken, previousTokenUntil } = record;
  const tokens = tokenChanges(
    { token, previousToken, previousTokenUntil },
    { token: changes.webhookToken, seconds, field: 'webhookToken' },
    now,
  );
  return {
    ...changes,
    ...{ previousToken: tokens.previousToken, previousTokenUntil: tokens.previousTokenUntil },
  };
}

function nothingKept(field: string): GatewayError {
  const rule = `needs a new ${field}, and a token before it`;
  return new GatewayError('invalid_request', `previousTokenFor ${rule}`);
}
