import { createHmac } from 'node:crypto';
import type { EpochMs } from './clock.js';
import { replayedIdOf } from './ids.js';
import type { TraceContext } from './tracing.js';

export const USER_AGENT = 'Switchboard/1';

/** The previous token of a receiver. */
export interface PreviousToken {
  token: string;
  /** The token signs no calls after this time. */
  until: EpochMs;
}

/** The contents of a call's headers. */
export interface WebhookFacts {
  /** Empty if the receiver has none: then neither `Authorization` nor a signature is sent. */
  token: string;
  /** The previous token, which also signs the call while receivers change to `token`. */
  previous?: PreviousToken | undefined;
  deliveryId: string;
  /** The event's type. */
  type: string;
  /** Additional headers of the receiver; they cannot replace standard ones. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** From 1. */
  attempt: number;
  /** The event as JSON. */
  body: Uint8Array;
  /** The message that the event is about, for traces. */
  of?: TracedEvent | undefined;
}

/** The subject of an event. */
export interface TracedEvent {
  clientId: string;
  /** Id of the message; empty if the event is about no message. */
  messageId: string;
  /** The delivery that the call is a part of. */
  trace?: TraceContext | undefined;
}

/**
 * The headers of a webhook call.
 * @param now milliseconds since the epoch; decides whether the previous token still signs
 * @param signedAt the time for the signature, which the receiver compares with its own clock
 */
export function webhookHeaders(
  { token, previous, headers: own, type, deliveryId, attempt, body }: WebhookFacts,
  now: number,
  signedAt = now,
): Record<string, string> {
  const headers: Record<string, string> = {
    ...own,
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-sn-event': type,
    'x-sn-delivery': deliveryId,
    'x-sn-attempt': String(attempt),
  };
  const replayed = replayedIdOf(deliveryId);
  if (replayed) headers['x-sn-replayed'] = replayed;
  if (token) {
    const timestamp = Math.floor(signedAt / 1_000);
    headers.authorization = `Bearer ${token}`;
    headers['webhook-id'] = deliveryId;
    headers['webhook-timestamp'] = String(timestamp);
    const tokens = previous && now < previous.until ? [token, previous.token] : [token];
    headers['webhook-signature'] = tokens
      .map((secret) => signature(secret, deliveryId, timestamp, body))
      .join(' ');
  }
  return headers;
}

const ENCODED_SECRET = 'whsec_';

/**
 * The `webhook-signature` of the Standard Webhooks specification: HMAC-SHA256 over `id.timestamp.body`.
 * @param token the session's webhookToken. Its UTF-8 bytes are the key; after the prefix `whsec_` the rest is the key in
 *   base64, as in the specification.
 * @param timestamp seconds since the epoch
 */
export function signature(token: string, id: string, timestamp: number, body: Uint8Array): string {
  const hmac = createHmac('sha256', signingKey(token)).update(`${id}.${timestamp}.`).update(body);
  return `v1,${hmac.digest('base64')}`;
}

function signingKey(token: string): Uint8Array {
  return token.startsWith(ENCODED_SECRET)
    ? Buffer.from(token.slice(ENCODED_SECRET.length), 'base64')
    : Buffer.from(token, 'utf8');
}
