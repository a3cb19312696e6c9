import type { Readable } from 'node:stream';
import Boom from '@hapi/boom';
import Joi, { type ObjectSchema, type ValidationOptions } from 'joi';
import { GatewayError } from '../domain/errors.js';
import { LIMITS } from '../domain/limits.js';

const emptyBody = Joi.object({});

type Validator<Body> = (value: unknown, options: ValidationOptions) => Promise<Body>;

/**
 * Validates a JSON body: types as they stand, with no "true" for true. An empty body counts as `{}`, so that the answer
 * names the missing fields; a `clientId` in the query stands in for one in the body, and must not contradict it.
 */
export function bodyValidator<Body>(schema: ObjectSchema<Body> | undefined): Validator<Body> {
  const strict = (schema ?? emptyBody).label('the request body').prefs({ convert: false });
  const takesClientId = 'clientId' in (strict.describe().keys ?? {});
  return (value, options) => {
    const body = value ?? {};
    const named: unknown = options.context?.query?.clientId;
    if (!takesClientId || typeof named !== 'string') return strict.validateAsync(body, options);
    return strict.validateAsync(withClientId(body, named), options);
  };
}

function withClientId(body: unknown, clientId: string): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  if (!('clientId' in body)) return { ...body, clientId };
  if (typeof body.clientId !== 'string' || body.clientId === clientId) return body;
  throw new GatewayError('invalid_request', 'clientId must be the same in the query and in the body');
}

/** What validation needs of a request. */
interface ValidatedRequest {
  query: object;
  route: { settings: { validate?: { options?: ValidationOptions } } };
}

/** Validates what a handler read by itself, as hapi validates what it reads. @throws a 400 that says what is wrong */
export async function validated<Body>(
  { query, route }: ValidatedRequest,
  validate: Validator<Body>,
  value: unknown,
): Promise<Body> {
  try {
    return await validate(value, { ...route.settings.validate?.options, context: { query } });
  } catch (error) {
    throw Joi.isError(error) ? Boom.badRequest(error.message) : error;
  }
}

/**
 * Reads a JSON body of a route that gets its body as a stream; undefined when it is empty.
 * @throws invalid_request, media_too_large; what is left of the stream is not read then
 */
export async function readJson(source: Readable): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of chunksOf(source)) {
    size += part.length;
    if (size > LIMITS.jsonBodyBytes) {
      const message = `the request body is larger than ${LIMITS.jsonBodyBytes} bytes`;
      throw new GatewayError('media_too_large', message);
    }
    parts.push(part);
  }
  return size === 0 ? undefined : parseJson(Buffer.concat(parts).toString());
}

async function* chunksOf(source: Readable): AsyncGenerator<Buffer> {
  try {
    // a source that is destroyed takes the connection with it, and the answer
    yield* source.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new GatewayError('invalid_request', 'the request body is broken, or ends too early', { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, refusePrototypes);
  } catch (cause) {
    throw new GatewayError('invalid_request', 'Invalid request payload JSON format', { cause });
  }
}

/** Such a key means harm. */
function refusePrototypes(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a prototype in the request body');
  return value;
}
