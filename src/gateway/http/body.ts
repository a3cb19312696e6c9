import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import Boom from '@hapi/boom';
import type { Lifecycle, Request, RouteOptions } from '@hapi/hapi';
import Joi, { type ObjectSchema, type ValidationOptions } from 'joi';
import { GatewayError } from '../../domain/errors.js';
import { readJson } from '../../domain/json.js';
import { jsonFlaw } from '../../domain/json-flaw.js';
import { LIMITS } from '../../domain/limits.js';
import { requireOwn } from './caller.js';

const emptyBody = Joi.object({});

type Validator<Body> = (value: unknown, options: ValidationOptions) => Promise<Body>;

/**
 * Validates a JSON body without conversion: "true" is not true. An empty body counts as `{}`, so that the answer names the
 * missing fields; a `clientId` in the query replaces a missing one in the body, and must not contradict it.
 */
export function bodyValidator<Body>(schema: ObjectSchema<Body> | undefined): Validator<Body> {
  const strict = (schema ?? emptyBody).label('the request body').prefs({ convert: false });
  // computed at the first request: describing all schemas would take a tenth of the start time
  let takesClientId: boolean | undefined;
  return (value, options) => {
    const body = value ?? {};
    const flaw = jsonFlaw(body);
    if (flaw !== undefined) throw new GatewayError('invalid_request', flaw);
    const named: unknown = options.context?.query?.clientId;
    takesClientId ??= 'clientId' in (strict.describe().keys ?? {});
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

interface ValidatedRequest {
  query: object;
  route: { settings: { validate?: { options?: ValidationOptions } } };
}

/** Validates a body that a handler has read itself, with the same rules as hapi's validation. @throws Boom 400 that says what is wrong */
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
 * Reads a JSON body that came as a stream; undefined when it is empty.
 * @throws invalid_request, request_too_large; the rest of the stream is then left unread
 */
async function readStream(source: Readable): Promise<unknown> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of chunksOf(source)) {
    size += part.length;
    if (size > LIMITS.jsonBodyBytes) {
      const message = `the request body is larger than ${LIMITS.jsonBodyBytes} bytes`;
      throw new GatewayError('request_too_large', message);
    }
    parts.push(part);
  }
  return parseJson(Buffer.concat(parts));
}

async function* chunksOf(source: Readable): AsyncGenerator<Buffer> {
  try {
    // destroying the source would close the connection before the answer
    yield* source.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new GatewayError('invalid_request', 'the request body is broken, or ends too early', { cause });
  }
}

/** @returns undefined for an empty body @throws invalid_request */
function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  // decoding would silently replace bytes that are not UTF-8
  if (!isUtf8(bytes)) throw new GatewayError('invalid_request', 'the request body must be UTF-8');
  try {
    return readJson(bytes.toString());
  } catch (cause) {
    throw new GatewayError('invalid_request', 'Invalid request payload JSON format', { cause });
  }
}

/** Route options that read JSON without hapi's parser, which does not refuse bytes that are not UTF-8. */
export function jsonOptions(): Pick<RouteOptions, 'payload' | 'ext'> {
  return {
    payload: { output: 'data', parse: 'gunzip' },
    ext: {
      // first step after the body arrived, before the auth plugin reads which session the body names
      onCredentials: { method: readBytes, options: { before: ['auth'] } },
      // first step after the body arrived, on routes without authentication
      onPostAuth: { method: readBytes, options: { before: ['owner'] } },
    },
  };
}

const readBytes: Lifecycle.Method = (request, h) => {
  const { payload } = request;
  if (Buffer.isBuffer(payload)) Object.assign(request, { payload: parseJson(payload) ?? null });
  return h.continue;
};

/** Milliseconds after which the listener ends a request whose body has not arrived. */
const LONGEST_BODY_MS = 300_000;

/** The content type of a body that stays a stream. */
const FORM = 'multipart/form-data';

/**
 * Route options that leave a form as a stream, because it may be larger than memory; the listener bounds its time. JSON
 * is read.
 * @param maxBytes of the whole body
 */
export function uploadOptions(maxBytes: number): Pick<RouteOptions, 'payload' | 'ext'> {
  return {
    payload: {
      allow: ['application/json', FORM],
      output: 'stream',
      parse: 'gunzip',
      maxBytes,
      timeout: false,
    },
    ext: {
      // first step after the body arrived
      onCredentials: { method: expectFailure, options: { before: ['auth'] } },
      onPostAuth: { method: readText, options: { before: ['owner'] } },
      onPreResponse: { method: letFinish },
    },
  };
}

/** Handles the stream error of a body that breaks off after the request was refused; without a listener the process would end. */
const expectFailure: Lifecycle.Method = ({ payload }, h) => {
  if (payload instanceof Readable) payload.on('error', () => undefined);
  return h.continue;
};

/** Reads JSON before the node of the session is looked up, because the body names the session. A form stays a stream. */
const readText: Lifecycle.Method = async (request, h) => {
  const { payload, mime } = request;
  if (!(payload instanceof Readable) || mime === FORM) return h.continue;
  Object.assign(request, { payload: await readStream(payload) });
  // check again: so far only the query was checked, because the body was not read yet
  requireOwn(request);
  return h.continue;
};

/**
 * Reads the rest of the body before the answer: an answer is lost if the connection closes while the client still sends.
 * Does not read a long rest, or most bodies without a valid token: then the connection closes after the answer.
 */
const letFinish: Lifecycle.Method = async (request, h) => {
  const { req } = request.raw;
  if (!waitsForLeave(request) && !req.destroyed) {
    // a compressed body flows through its decompressor
    if (request.payload instanceof Readable) request.payload.resume();
    const enough = new AbortController();
    const { isAuthenticated } = request.auth;
    let left = isAuthenticated ? (request.route.settings.payload?.maxBytes ?? 0) : LIMITS.refusedBodyBytes;
    const timer = setTimeout(() => enough.abort(), isAuthenticated ? LONGEST_BODY_MS : LIMITS.refusedBodyMs);
    const count = (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) enough.abort();
    };
    req.on('data', count).resume();
    await finished(req, { writable: false, signal: enough.signal }).catch(() => undefined);
    clearTimeout(timer);
    req.off('data', count);
    if (enough.signal.aborted) req.pause();
  }
  return h.continue;
};

/** True if the client waits for a `100 Continue` that was not sent. */
function waitsForLeave({ headers, payload }: Request): boolean {
  return headers.expect !== undefined && payload === undefined;
}
