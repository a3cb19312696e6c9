import Boom from '@hapi/boom';
import type { Plugin, Request, ResponseToolkit, RouteOptionsPayload, Server } from '@hapi/hapi';
import { stdSerializers } from 'pino';
import { type ErrorCode, type GatewayError, isGatewayError } from '../../../domain/errors.js';
import { type Reason, toData } from '../../../domain/reasons.js';
import type { Logger } from '../../log.js';
import { clientIdForLog, pathForLog } from '../caller.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** Characters of a message; one body can break a thousand rules at once. */
const MESSAGE_LENGTH = 1_000;
const UNAVAILABLE = 503;
/** Statuses of requests that may succeed later. */
const REPEATABLE: ReadonlySet<number> = new Set([429, UNAVAILABLE]);
/** Seconds after which a refused request may be repeated. */
const RETRY_AFTER_S = 1;

/** Messages that replace unhelpful ones of hapi. */
const WORDING: Readonly<Record<number, string>> = {
  401: 'a valid token is required: Authorization: Bearer <token>, or X-V3-Secret: <token>',
  408: 'the request body did not arrive in time',
};

/** Replacement messages that depend on the payload settings of the route. */
const WORDING_OF_BODY: Readonly<Record<number, (settings: RouteOptionsPayload) => string>> = {
  413: ({ maxBytes }) => `the request body is larger than ${maxBytes} bytes`,
  415: ({ allow = [] }) => {
    const types = [allow].flat();
    return `the request body must be JSON${types.length > 1 ? ' or a form' : ''}: Content-Type: ${types.join(' or ')}`;
  },
};

/** Header with the stable code of a failure; the body has only the message. */
export const ERROR_HEADER = 'x-sn-error';
/** The message as data, where its words depend on who reads it: JSON, see `docs/reasons.md`. */
const REASON_HEADER = 'x-sn-reason';
/** Header with the id of a message whose send has an unknown outcome. */
const MESSAGE_HEADER = 'x-sn-message-id';
/** The codes of hapi's own failures; `invalid_request` for any other below 500. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'route_unknown',
  408: 'request_timeout',
  413: 'request_too_large',
  415: 'content_type_unsupported',
};

/** The only place that turns failures into the answer `{"error": "<message>"}`. */
export const errors: Plugin<{ log: Logger }> = {
  name: 'errors',
  register(server, { log }) {
    server.ext('onPreResponse', (request, h) => {
      const { response } = request;
      if (!Boom.isBoom(response)) return h.continue;
      if (isGatewayError(response)) return answerGatewayError(response, request, h, log);
      return answerBoom(response, request, h, log);
    });
  },
};

function answerGatewayError(error: GatewayError, request: Request, h: ResponseToolkit, log: Logger) {
  if (error.status >= 500) {
    log.warn({ ...context(request), code: error.code, ...traceOf(error) }, 'request failed');
  }
  const { policy } = error;
  const body = { error: error.message, ...(policy && { policy }) };
  const response = h.response(body).code(error.status).header(ERROR_HEADER, error.code);
  if (error.messageId) response.header(MESSAGE_HEADER, error.messageId);
  if (error.reason) response.header(REASON_HEADER, asData(error.reason));
  // a permanent refusal of a policy has no `retry-after`
  const retryAfter = policy ? policy.retryAfter : (error.retryAfter ?? RETRY_AFTER_S);
  return REPEATABLE.has(error.status) && retryAfter !== undefined
    ? response.header('retry-after', String(retryAfter))
    : response;
}

/** A reason as JSON for a header, which holds ASCII only. */
function asData(why: Reason): string {
  return JSON.stringify(toData(why)).replace(/[^\x20-\x7e]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The logged cause of a failure; without the stack for an unavailable part, because then every request fails in the same place. */
function traceOf(error: GatewayError): { reason: string } | { err: GatewayError } {
  return error.status === UNAVAILABLE ? { reason: stdSerializers.err(error).message } : { err: error };
}

function answerBoom(boom: Boom.Boom, request: Request, h: ResponseToolkit, log: Logger) {
  const { statusCode, headers } = boom.output;
  if (statusCode >= 500) log.error({ ...context(request), err: boom }, 'unexpected error');
  const allowed = statusCode === 404 ? otherMethods(request) : [];
  const code = statusCode >= 500 ? 'internal' : (CODES[statusCode] ?? 'invalid_request');
  const response = h.response({ error: messageOf(boom, request, allowed) }).code(statusCode);
  response.header(ERROR_HEADER, code);
  if (allowed.length > 0) response.header('allow', allowed.join(', '));
  for (const [name, value] of Object.entries(headers)) {
    if (Array.isArray(value)) response.headers[name.toLowerCase()] = value;
    else if (value !== undefined) response.header(name, String(value));
  }
  return response;
}

function messageOf(
  { output: { statusCode }, message }: Boom.Boom,
  request: Request,
  allowed: string[],
): string {
  if (statusCode >= 500) return 'internal error';
  if (statusCode === 404) {
    const missing = `there is no ${request.method.toUpperCase()} ${request.path}`;
    return shorten(allowed.length > 0 ? `${missing}; it takes ${allowed.join(', ')}` : missing);
  }
  const { payload } = request.route.settings;
  const ofBody = payload && WORDING_OF_BODY[statusCode]?.(payload);
  return ofBody ?? WORDING[statusCode] ?? shorten(message);
}

/** The methods of a path's routes, if the request's own method is not among them. */
function otherMethods({ server, path }: Request): string[] {
  return METHODS.filter((method) => matches(server, method, path)).map((method) => method.toUpperCase());
}

function matches(server: Server, method: (typeof METHODS)[number], path: string): boolean {
  try {
    return server.match(method, path) !== null;
  } catch {
    // hapi throws for paths that are wrongly encoded
    return false;
  }
}

function shorten(message: string): string {
  return message.length > MESSAGE_LENGTH ? `${message.slice(0, MESSAGE_LENGTH - 1)}…` : message;
}

function context(request: Request): Record<string, unknown> {
  return {
    method: request.method.toUpperCase(),
    path: pathForLog(request),
    clientId: clientIdForLog(request),
  };
}
