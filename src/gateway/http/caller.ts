import type { Request } from '@hapi/hapi';
import { GatewayError } from '../../domain/errors.js';
import { CLIENT_ID } from '../../domain/ids.js';
import { isObject } from '../../domain/json.js';

declare module '@hapi/hapi' {
  interface UserCredentials {
    /** The sessions that this caller may see; undefined for the master token, which sees all. */
    clientIds?: readonly string[];
  }
}

type Credentials = Pick<Request['auth'], 'credentials'>;

/** The parts of a request that may name sessions, before validation. */
interface NamingRequest {
  query: unknown;
  params: unknown;
  payload: unknown;
}

/** The sessions to which a caller is limited, mostly one; undefined if the caller may see all. */
export function confinedTo(request: { auth: Credentials }): readonly string[] | undefined {
  return request.auth.credentials?.user?.clientIds;
}

/**
 * The session to which a list is limited: that of the query, otherwise that of the caller's secret.
 * @throws GatewayError invalid_request if the secret opens several sessions and the query names none
 */
export function sessionFilter(request: { auth: Credentials; query: { clientId?: string } }): {
  clientId?: string;
} {
  const [first, ...others] = confinedTo(request) ?? [];
  const clientId = request.query.clientId ?? first;
  if (clientId === undefined) return {};
  if (request.query.clientId === undefined && others.length > 0) {
    const opened = [first, ...others].join(', ');
    throw new GatewayError('invalid_request', `clientId is required: this secret opens ${opened}`);
  }
  return { clientId };
}

/**
 * The sessions that a request names, before validation: in its query, its body, and at the start of a room's id. Values
 * that are not strings are skipped; validation refuses them later.
 */
export function namedClientIds({ query, payload, params }: NamingRequest): string[] {
  const room = textOf(params, 'chatRoomId');
  const named = [textOf(query, 'clientId'), textOf(payload, 'clientId'), room?.split('-', 1)[0]];
  return named.filter((clientId) => clientId !== undefined);
}

function textOf(input: unknown, name: string): string | undefined {
  const value = isObject(input) ? input[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/**
 * Refuses a limited caller that names another session.
 * @param body used instead of the request's own body, if the request itself does not name its session
 * @throws GatewayError forbidden
 */
export function requireOwn(request: NamingRequest & { auth: Credentials }, body?: unknown): void {
  const own = confinedTo(request);
  if (own === undefined) return;
  const { query, params, payload } = request;
  if (namedClientIds({ query, params, payload: body ?? payload }).some((named) => !own.includes(named))) {
    throw new GatewayError('forbidden', 'this secret opens its own session only');
  }
}

/** The path of a request for a log line: that of the route if the path contains a secret. */
export function pathForLog({ path, route }: Request): string {
  return route.settings.app?.pathIsSecret ? route.path : path;
}

/** The session of a request for a log line; undefined if its name is malformed. */
export function clientIdForLog(request: Request): string | undefined {
  const clientId = namedClientIds(request)[0] ?? confinedTo(request)?.[0];
  return clientId !== undefined && CLIENT_ID.test(clientId) ? clientId : undefined;
}
