import { createHash, timingSafeEqual } from 'node:crypto';
import { EVENT_NAMES, type GatewayEvent } from '../contract/events/catalogue.js';
import { parseJson } from '../domain/json.js';
import { signature } from '../domain/webhook-headers.js';

/** Why a request was not accepted as a call of the gateway. */
export type VerificationFault =
  | 'missing_header'
  | 'wrong_token'
  | 'wrong_timestamp'
  | 'wrong_signature'
  | 'malformed_body';

/** The request is not proven to come from the gateway: answer 401 and do nothing. The message contains no secret. */
export class WebhookVerificationError extends Error {
  readonly fault: VerificationFault;

  constructor(fault: VerificationFault, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.fault = fault;
  }
}

/** Headers of Node's http module, of a fetch-style `Request`, or a plain object. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface VerifyOptions {
  headers: WebhookHeaders;
  /** The body exactly as received: parsed and serialized again, its signature differs. */
  body: string | Uint8Array;
  /** The session's `webhookToken`; an array of both tokens during a replacement. */
  token: string | readonly string[];
  /** Seconds that the call's timestamp may differ from this machine's clock; prevents replays. */
  toleranceSeconds?: number;
  /** Milliseconds since the epoch. */
  now?: number;
}

const TOLERANCE_SECONDS = 300;
const EVENTS: readonly unknown[] = EVENT_NAMES;

/**
 * Checks the bearer token, the Standard Webhooks signature and the age of a call from the gateway, for receivers written
 * in Node.
 * @returns the event
 * @throws WebhookVerificationError if one of them is missing or wrong
 */
export function verifyWebhook(options: VerifyOptions): GatewayEvent {
  const { headers, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = options;
  const tokens = typeof options.token === 'string' ? [options.token] : options.token;
  if (tokens.length === 0 || tokens.includes(''))
    throw new TypeError('verifyWebhook needs the token that the session was given as webhookToken');
  const body = typeof options.body === 'string' ? Buffer.from(options.body) : options.body;
  const authorization = required(headers, 'authorization');
  const signatures = required(headers, 'webhook-signature').split(' ');
  // with a second signature the gateway already has a newer token, and proves that it knows the previous one
  if (signatures.length < 2) checkToken(authorization, tokens);
  const timestamp = checkAge(required(headers, 'webhook-timestamp'), now, toleranceSeconds);
  const id = required(headers, 'webhook-id');
  checkSignature(
    signatures,
    tokens.map((token) => signature(token, id, timestamp, body)),
  );
  return parseEvent(body);
}

function required(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (!value) throw new WebhookVerificationError('missing_header', `the request has no ${name} header`);
  return value;
}

function headerOf(headers: WebhookHeaders, name: string): string | null | undefined {
  if (typeof headers.get === 'function') return headers.get(name);
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name) return typeof value === 'string' ? value : value?.[0];
  }
  return undefined;
}

function checkToken(authorization: string, tokens: readonly string[]): void {
  const given = /^Bearer +(.+)$/i.exec(authorization)?.[1] ?? '';
  if (!tokens.some((token) => sameText(given, token))) {
    throw new WebhookVerificationError('wrong_token', 'the bearer token is not the one of the session');
  }
}

function checkAge(text: string, now: number, toleranceSeconds: number): number {
  const timestamp = /^[0-9]{1,12}$/.test(text) ? Number(text) : Number.NaN;
  const age = Math.abs(now / 1_000 - timestamp);
  if (age <= toleranceSeconds) return timestamp;
  const message = `webhook-timestamp is not within ${toleranceSeconds} s of this machine's clock`;
  throw new WebhookVerificationError('wrong_timestamp', message);
}

/** The header may list several signatures, separated by spaces: one match is enough. */
function checkSignature(signatures: readonly string[], expected: readonly string[]): void {
  const fits = signatures.some((given) => expected.some((right) => sameText(given, right)));
  if (!fits) throw new WebhookVerificationError('wrong_signature', 'the signature does not fit the body');
}

/** Compares in constant time. */
function sameText(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

function parseEvent(body: Uint8Array): GatewayEvent {
  const value = parseJson(Buffer.from(body).toString());
  if (isEvent(value)) return value;
  throw new WebhookVerificationError('malformed_body', 'the body is no event of the gateway');
}

function isEvent(value: unknown): value is GatewayEvent {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const texts = ['type', 'clientId', 'timestamp'].every((name) => typeof fields.get(name) === 'string');
  return texts && EVENTS.includes(fields.get('event'));
}
