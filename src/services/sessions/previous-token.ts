import { GatewayError } from '../../domain/errors.js';
import type { SessionRecord } from '../../store/store.js';
import { definedOnly, type RecordChanges, type WebhookChanges } from './record.js';

const NONE = { previousToken: null, previousTokenUntil: 0 };

/** The token of the webhook before the one of now, with its end. */
export function previousTokenOf({
  previousToken: token,
  previousTokenUntil: until,
}: Pick<SessionRecord, 'previousToken' | 'previousTokenUntil'>):
  | { token: string; until: number }
  | undefined {
  return token ? { token, until } : undefined;
}

/**
 * What a change of the webhook changes in the record. A new token ends the signatures of the one before, unless
 * `previousTokenFor` keeps them for so many seconds; without a new token it moves the end of those that are kept.
 * @param now milliseconds since the epoch
 * @throws GatewayError invalid_request
 */
export function webhookChanges(record: SessionRecord, settings: WebhookChanges, now: number): RecordChanges {
  const { previousTokenFor: seconds, ...changes } = definedOnly(settings);
  const { webhookToken: token = record.webhookToken } = changes;
  const kept = now < record.previousTokenUntil ? record.previousToken : null;
  const previousToken = token === record.webhookToken ? kept : record.webhookToken;
  if (seconds) {
    if (!token || !previousToken) throw nothingKept();
    return { ...changes, previousToken, previousTokenUntil: now + seconds * 1_000 };
  }
  const goesOn = seconds === undefined && token === record.webhookToken && kept !== null;
  return goesOn ? changes : { ...changes, ...NONE };
}

function nothingKept(): GatewayError {
  const rule = 'needs a new webhookToken, and a token before it';
  return new GatewayError('invalid_request', `previousTokenFor ${rule}`);
}
