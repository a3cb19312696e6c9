import Joi from 'joi';
import { GatewayError } from '../../../domain/errors.js';
import { parseObject } from '../../../domain/json.js';
import type { WebAuthnAssertion } from '../link.js';

/** WebAuthn request options as the network sent them, and the fields that the link reads. */
export interface WebAuthnOptions {
  json: Record<string, unknown>;
  /** base64url */
  challenge: string;
  timeoutMs: number | undefined;
  /** base64url ids of the allowed credentials; empty if any is allowed. */
  allowed: string[];
}

const OPTIONS = Joi.object<{
  challenge: string;
  timeout?: number;
  allowCredentials?: { id: string }[];
}>({
  challenge: Joi.string().required(),
  timeout: Joi.number().positive(),
  allowCredentials: Joi.array().items(Joi.object({ id: Joi.string().required() }).unknown()),
}).unknown();

/** Reads request options from their JSON; undefined if they are invalid. */
export function readOptions(bytes: Uint8Array | undefined): WebAuthnOptions | undefined {
  const json = bytes && parseObject(Buffer.from(bytes).toString());
  if (!json) return undefined;
  const { value, error } = OPTIONS.validate(json);
  if (error || !value) return undefined;
  const allowed = (value.allowCredentials ?? []).map(({ id }) => id);
  return { json, challenge: value.challenge, timeoutMs: value.timeout, allowed };
}

/** @throws GatewayError `passkey_malformed` when the assertion cannot be an answer to these options */
export function requireAnswerTo(options: WebAuthnOptions, assertion: WebAuthnAssertion): void {
  const { rawId, response } = assertion;
  const { clientDataJSON, authenticatorData, signature } = response;
  const parts = { rawId, clientDataJSON, authenticatorData, signature };
  for (const [name, value] of Object.entries(parts)) {
    if (!/^[A-Za-z0-9_-]+=*$/.test(value)) throw malformed(`${name} is not base64url`);
  }
  if (options.allowed.length > 0 && !options.allowed.some((id) => isSame(id, rawId))) {
    throw malformed('it is from another passkey than WhatsApp asked for');
  }
  const client = parseObject(Buffer.from(clientDataJSON, 'base64url').toString());
  if (client?.type !== 'webauthn.get' || typeof client.challenge !== 'string') {
    throw malformed('clientDataJSON is not that of a WebAuthn assertion');
  }
  if (!isSame(client.challenge, options.challenge)) {
    throw malformed('it answers another challenge, perhaps an earlier one');
  }
}

function isSame(one: string, other: string): boolean {
  return Buffer.from(one, 'base64url').equals(Buffer.from(other, 'base64url'));
}

function malformed(what: string): GatewayError {
  return new GatewayError('passkey_malformed', `the assertion does not fit the challenge: ${what}`);
}
