import Boom from '@hapi/boom';
import type { Plugin, Request, ResponseToolkit, RouteOptionsPayload, Server } from '@hapi/hapi';
import { stdSerializers } from 'pino';
import { type GatewayError, isGatewayError } from '../../domain/errors.js';
import type { Logger } from '../../log.js';
import { clientIdForLog, pathForLog } from '../caller.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** Characters of a message; one body can break a thousand rules at once. */
const MESSAGE_LENGTH = 1_000;
const UNAVAILABLE = 503;
/** Seconds until a request that could not be taken may be repeated. */
const RETRY_AFTER_S = 1;

/** Where hapi's own words would not help the caller. */
const WORDING: Readonly<Record<number, string>> = {
  401: 'a valid token is required: Authorization: Bearer <token>, or X-V3-Secret: <token>',
  408: 'the request body did not arrive in time',
};

/** The same, where the words depend on what the route takes. */
const WORDING_OF_BODY: Readonly<Record<number, (settings: RouteOptionsPayload) => string>> = {
  413: ({ maxBytes }) => `the request body is larger than ${maxBytes} bytes`,
  415: ({ allow = [] }) => {
    const types = [allow].flat();
    return `the request body must be JSON${types.length > 1 ? ' or a form' : ''}: Content-Type: ${types.join(' or ')}`;
  },
};

/** The one place where failures become answers: `{"error": "<message>"}`, whoever failed. */
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
  const response = h.response({ error: error.message }).code(error.status);
  return error.status === UNAVAILABLE ? response.header('retry-after', String(RETRY_AFTER_S)) : response;
}

/** While something is away every request fails in the same place: where that is need not be told each time. */
function traceOf(error: GatewayError): { reason: string } | { err: GatewayError } {
  return error.status === UNAVAILABLE ? { reason: stdSerializers.err(error).message } : { err: error };
}

function answerBoom(boom: Boom.Boom, request: Request, h: ResponseToolkit, log: Logger) {
  const { statusCode, headers } = boom.output;
  if (statusCode >= 500) log.error({ ...context(request), err: boom }, 'unexpected error');
  const allowed = statusCode === 404 ? otherMethods(request) : [];
  const response = h.response({ error: messageOf(boom, request, allowed) }).code(statusCode);
  if (allowed.length > 0) response.header('allow', allowed.join(', '));
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.header(name, String(value));
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

/** Methods that the path has routes for, when the request's own is not among them. */
function otherMethods({ server, path }: Request): string[] {
  return METHODS.filter((method) => matches(server, method, path)).map((method) => method.toUpperCase());
}

function matches(server: Server, method: (typeof METHODS)[number], path: string): boolean {
  try {
    return server.match(method, path) !== null;
  } catch {
    // hapi does not look for what is wrongly encoded
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
