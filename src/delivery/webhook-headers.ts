import { signature } from './signature.js';

export const USER_AGENT = 'Switchboard/1';

/** What the headers of a call tell. */
export interface WebhookFacts {
  /** Empty when the receiver has none; then neither `Authorization` nor a signature is sent. */
  token: string;
  deliveryId: string;
  /** The event's type. */
  type: string;
  /** From 1. */
  attempt: number;
  /** The event as JSON. */
  body: Uint8Array;
}

/**
 * The headers of a webhook call.
 * @param now milliseconds since the epoch
 */
export function webhookHeaders(
  { token, type, deliveryId, attempt, body }: WebhookFacts,
  now: number,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-sn-event': type,
    'x-sn-delivery': deliveryId,
    'x-sn-attempt': String(attempt),
  };
  if (token) {
    const timestamp = Math.floor(now / 1_000);
    headers.authorization = `Bearer ${token}`;
    headers['webhook-id'] = deliveryId;
    headers['webhook-timestamp'] = String(timestamp);
    headers['webhook-signature'] = signature(token, deliveryId, timestamp, body);
  }
  return headers;
}
