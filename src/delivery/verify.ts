import { createHash, timingSafeEqual } from 'node:crypto';
import type { GatewayEvent } from '../events/catalogue.js';
import { signature } from './signature.js';

/** What is wrong with a request that claims to come from the gateway. */
export type VerificationFault =
  | 'missing_header'
  | 'wrong_token'
  | 'wrong_timestamp'
  | 'wrong_signature'
  | 'malformed_body';

/** A request is not, or not provably, the gateway's: answer 401 and do nothing. The message names no secret. */
export class WebhookVerificationError extends Error {
  readonly fault: VerificationFault;

  constructor(fault: VerificationFault, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.fault = fault;
  }
}

/** Headers as Node's http module, a fetch-style `Request` or a plain object gives them. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface VerifyOptions {
  headers: WebhookHeaders;
  /** The body exactly as it arrived: parsed and written again it has another signature. */
  body: string | Uint8Array;
  /** The session's `webhookToken`. */
  token: string;
  /** Seconds by which the call's time may differ from ours; guards against replays. */
  toleranceSeconds?: number;
  /** Milliseconds since the epoch. */
  now?: number;
}

const TOLERANCE_SECONDS = 300;
const EVENTS: readonly unknown[] = ['message.received', 'message.sent', 'message.status', 'session.status'];

/**
 * For people who write receivers in Node: checks the bearer token, the Standard Webhooks signature and the age of a
 * call from the gateway.
 * @returns the event
 * @throws WebhookVerificationError when any of it is missing or wrong
 */
export function verifyWebhook(options: VerifyOptions): GatewayEvent {
  const { headers, token, toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() } = options;
  if (!token) throw new TypeError('verifyWebhook needs the token that the session was given as webhookToken');
  const body = typeof options.body === 'string' ? Buffer.from(options.body) : options.body;
  checkToken(required(headers, 'authorization'), token);
  const timestamp = checkAge(required(headers, 'webhook-timestamp'), now, toleranceSeconds);
  const expected = signature(token, required(headers, 'webhook-id'), timestamp, body);
  checkSignature(required(headers, 'webhook-signature'), expected);
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

function checkToken(authorization: string, token: string): void {
  const given = /^Bearer +(.+)$/i.exec(authorization)?.[1] ?? '';
  if (!sameText(given, token)) {
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

/** The header may list several signatures, divided by blanks: one that fits is enough. */
function checkSignature(header: string, expected: string): void {
  const fits = header.split(' ').some((given) => sameText(given, expected));
  if (!fits) throw new WebhookVerificationError('wrong_signature', 'the signature does not fit the body');
}

/** Compares in a time that depends on neither text. */
function sameText(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

function parseEvent(body: Uint8Array): GatewayEvent {
  const value = parseJson(Buffer.from(body).toString());
  if (isEvent(value)) return value;
  throw new WebhookVerificationError('malformed_body', 'the body is no event of the gateway');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isEvent(value: unknown): value is GatewayEvent {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  const texts = ['type', 'clientId', 'timestamp'].every((name) => typeof fields.get(name) === 'string');
  return texts && EVENTS.includes(fields.get('event'));
}
