import { createHmac } from 'node:crypto';

const ENCODED_SECRET = 'whsec_';

/**
 * The `webhook-signature` of the Standard Webhooks specification: HMAC-SHA256 over `id.timestamp.body`.
 * @param token the session's webhookToken. Its UTF-8 bytes are the key; of one that begins with `whsec_` the rest is
 *   the key in base64, as the specification writes secrets.
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
