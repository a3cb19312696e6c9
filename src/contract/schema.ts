import Joi from 'joi';
import { BROKER_SCHEMES, isBrokerUrl } from '../domain/brokers.js';
import { errorMessage, isGatewayError } from '../domain/errors.js';
import { PLACE } from '../domain/pages.js';
import { parseProxy } from '../domain/proxy.js';
import { singleLine } from '../domain/text.js';
import { AMPLE, envelopeFields, messageIdField, OPAQUE } from './fields.js';

/** The type of the values that a schema describes, once they are validated. */
export type TypeOf<S> = S extends Joi.AnySchema<infer T> ? T : never;

type Fields = Record<string, Joi.AnySchema>;
type OptionalKeys<F extends Fields> = {
  [K in keyof F]: undefined extends TypeOf<F[K]> ? K : never;
}[keyof F];
type Flat<T> = { [K in keyof T]: T[K] };
/** The type of an object with these fields; fields marked by `optional` may be absent. */
type RecordOf<F extends Fields> = Flat<
  { [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
    [K in OptionalKeys<F>]?: Exclude<TypeOf<F[K]>, undefined>;
  }
>;

/** An object with exactly these fields. A field is required unless it is `optional` or has a default. */
export function record<F extends Fields>(fields: F): Joi.ObjectSchema<RecordOf<F>> {
  const keys = Object.entries(fields).map(([name, field]) => {
    const isOptional = field.$_getFlag('presence') === 'optional' || field.$_getFlag('default') !== undefined;
    return [name, isOptional ? field : field.required()] as const;
  });
  return Joi.object<RecordOf<F>, false, Record<string, unknown>>(Object.fromEntries(keys));
}

/** Like `record`, with a name: one schema of the OpenAPI document, and one type of the client. */
export function named<F extends Fields>(name: string, fields: F): Joi.ObjectSchema<RecordOf<F>> {
  return record(fields).meta({ name });
}

/** A field that may be absent. */
export function optional<T>(schema: Joi.AnySchema<T>): Joi.AnySchema<T | undefined> {
  return schema.optional();
}

/** One of the given texts. */
export function oneOf<const T extends string>(...values: readonly T[]): Joi.StringSchema<T> {
  return Joi.string<T>().valid(...values);
}

/** A list of any length. */
export function listOf<T>(item: Joi.AnySchema<T>): Joi.ArraySchema<T[]> {
  return Joi.array<T[]>().items(item);
}

/** An object with any fields. */
export function anyFields(): Joi.ObjectSchema<Record<string, unknown>> {
  return Joi.object<Record<string, unknown>>().unknown();
}

/** A text of an answer; it may be empty. */
export const text = Joi.string().allow('');
export const flag = Joi.boolean();
export const number = Joi.number();
/** Why something is as it is: in words, and as data. */
export const reasonFields = {
  reason: text.description('Reason for the status; may be empty'),
  // a node of a later release may know more codes
  reasonCode: optional(
    text.description(
      'The reason as a code for programs, such as `banned`; absent without a reason. docs/reasons.md has all',
    ),
  ),
  reasonValues: optional(
    anyFields().description(
      'Values that the words of the reason name, such as `until`; `kind` tells causes apart',
    ),
  ),
  advice: optional(
    listOf(
      named('Advice', {
        operation: text.description('Name of an operation of this API').example('reconnect'),
        arguments: anyFields().description('Fields of the operation, as far as they are known'),
      }),
    )
      .description('Calls that help, in their order; absent where none does')
      .meta(OPAQUE),
  ),
};
/** A whole number, from 0. */
export const count = Joi.number().integer().min(0);
/** RFC 3339, UTC. */
export const time = Joi.string().isoDate().description('RFC 3339, UTC').example('2026-11-22T10:00:00.000Z');
export const timeOrEmpty = text.isoDate().description('RFC 3339, UTC; or empty');
/** Where a page of a list begins, or ends. */
export const place = Joi.string()
  .pattern(PLACE)
  .messages({ 'string.pattern.base': '{#label} must be the "next" of an earlier answer' })
  .description('`next` of the previous page');
/** Always true; kept because answers of the first releases have it. */
export const ok = Joi.boolean<true>().valid(true);

const URL_LENGTH = 2_048;
const ORG_ID_LENGTH = 128;
const PRINTABLE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

export const clientId = envelopeFields.clientId;
export const messageId = messageIdField;

/** The query of operations that need no session: `clientId` is accepted everywhere. */
export const clientQuery = record({ clientId: optional(clientId) });
export type ClientQuery = TypeOf<typeof clientQuery>;
/** A body or query that names a session and nothing else. */
export const requiredClient = record({ clientId });

/** The name of a workspace. Terminals and pages show it, so control characters and marks that reverse text are refused. */
export const workspace = Joi.string()
  .max(ORG_ID_LENGTH)
  .custom((value: string, helpers) =>
    singleLine(value) === value
      ? value
      : helpers.message({ custom: '{#label} must not contain control characters' }),
  )
  .example('workspace1');

/** An absolute http(s) URL; `""` removes it. */
export const receiverUrl = httpUrl(URL_LENGTH).allow('').example('https://example.com/webhook');

/** An absolute http(s) URL. */
export function httpUrl(maxLength: number = URL_LENGTH): Joi.StringSchema {
  return Joi.string()
    .max(maxLength)
    .meta(AMPLE)
    .custom((value: string, helpers) => httpAddress(value) ?? helpers.error('string.httpUrl'))
    .messages({ 'string.httpUrl': '{#label} must be an absolute http(s) URL' });
}

/** An absolute http(s) URL, or one with the scheme of a broker, whose other rules the gateway checks. */
export function receiverAddress(): Joi.StringSchema {
  const schemes = BROKER_SCHEMES.map((scheme) => scheme.slice(0, -1)).join(', ');
  return Joi.string()
    .max(URL_LENGTH)
    .meta(AMPLE)
    .custom(
      (value: string, helpers) =>
        httpAddress(value) ?? brokerAddress(value) ?? helpers.error('string.receiverUrl'),
    )
    .messages({
      'string.receiverUrl': `{#label} must be an absolute http(s) URL, or one of a broker: ${schemes}`,
    });
}

/** Matches text without control characters, line breaks and marks that change the direction of text. */
const ONE_LINE = /^[^\p{Cc}\p{Bidi_Control}\u2028\u2029]*$/u;

/** A name for people that every log and terminal can show on one line. */
export function nameText(maxLength: number): Joi.StringSchema {
  return Joi.string().max(maxLength).allow('').pattern(ONE_LINE).messages({
    // Joi's own message would repeat the value
    'string.pattern.base': '{#label} must not contain control characters',
  });
}

/** A text without the prefix `whsec_`, or base64 of at least one byte after it: with an empty key anybody could sign calls. */
const SIGNING_SECRET = /^(?!whsec_)|^whsec_[A-Za-z0-9+/_-]{2,}={0,2}$/;

/** The token of a webhook. After `whsec_` it is a key in base64 (Standard Webhooks). */
export function signingToken(bounds: { min: number; max: number }): Joi.StringSchema {
  return headerSecret(bounds).custom((value: string, helpers) =>
    SIGNING_SECRET.test(value)
      ? value
      : helpers.message({ custom: '{#label} must be a key in base64 after whsec_' }),
  );
}

/** A secret that is sent in a header: printable ASCII without spaces at its ends. */
export function headerSecret(bounds: { min: number; max: number }): Joi.StringSchema {
  return Joi.string().allow('').min(bounds.min).max(bounds.max).pattern(PRINTABLE).messages({
    // Joi's own message would repeat the value
    'string.pattern.base': '{#label} must be printable ASCII without spaces at its ends',
  });
}

function brokerAddress(value: string): string | undefined {
  return /^[^\s\p{Cc}]+$/u.test(value) && isBrokerUrl(value) ? value : undefined;
}

/** A URL in the parser's form, which escapes characters that are unsafe in terminals and headers; undefined if the text is no URL. */
function httpAddress(value: string): string | undefined {
  // the URL parser alone would take "http:example.com", and drop control characters and spaces
  if (!/^https?:\/\/[^\s/\p{Cc}][^\s\p{Cc}]*$/iu.test(value) || !URL.canParse(value)) return undefined;
  const { href } = new URL(value);
  // do not add a slash to a URL without a path
  return href === `${value}/` ? value : href;
}

/** A proxy, or null for direct connections. The error never repeats the address: it may hold a password. */
export const proxyUrl = Joi.string<string | null>()
  .max(URL_LENGTH)
  .meta(AMPLE)
  .allow(null)
  .custom((value: string, helpers) => {
    try {
      parseProxy(value);
      return value;
    } catch (error) {
      const rule = isGatewayError(error) ? error.reason?.values.why : undefined;
      return helpers.message({
        custom: `{#label}: ${typeof rule === 'string' ? rule : errorMessage(error)}`,
      });
    }
  })
  .description(
    'URL of the [proxy for all connections of this session](linking.md#a-proxy-per-session): `http`, `https` or `socks5`, with user and password ' +
      'if the proxy needs them; `null` for direct connections. Needs the master token',
  )
  .example('socks5://user:password@proxy.example.com:1080');
