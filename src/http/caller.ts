import type { Request } from '@hapi/hapi';
import { GatewayError } from '../domain/errors.js';
import { CLIENT_ID } from '../domain/ids.js';

declare module '@hapi/hapi' {
  interface UserCredentials {
    /** The one session that this caller may see; undefined for the master token, which sees all. */
    clientId?: string;
  }
}

type Credentials = Pick<Request['auth'], 'credentials'>;

/** Where a request may name sessions; nothing of it needs to be validated. */
interface NamingRequest {
  query: unknown;
  params: unknown;
  payload: unknown;
}

/** The session that a caller is confined to; undefined when it may see all. */
export function confinedTo(request: { auth: Credentials }): string | undefined {
  return request.auth.credentials.user?.clientId;
}

/** The one session that a list is about: the one that is asked for, else the one that the caller is confined to. */
export function sessionFilter(request: { auth: Credentials; query: { clientId?: string } }): {
  clientId?: string;
} {
  const clientId = request.query.clientId ?? confinedTo(request);
  return clientId === undefined ? {} : { clientId };
}

/**
 * The sessions that a request names, before anything is validated: in its query, its body, and at the head of a room's
 * id. Values that are no text name nobody; validation refuses them later.
 */
export function namedClientIds({ query, payload, params }: NamingRequest): string[] {
  const room = textOf(params, 'chatRoomId');
  const named = [textOf(query, 'clientId'), textOf(payload, 'clientId'), room?.split('-', 1)[0]];
  return named.filter((clientId) => clientId !== undefined);
}

function textOf(input: unknown, name: string): string | undefined {
  const value: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, name) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/**
 * Keeps a caller to the session that it is confined to.
 * @param body looked at instead of its own: what it is about where it does not name it
 * @throws forbidden when the request names another
 */
export function requireOwn(request: NamingRequest & { auth: Credentials }, body?: unknown): void {
  const own = confinedTo(request);
  if (own === undefined) return;
  const { query, params, payload } = request;
  if (namedClientIds({ query, params, payload: body ?? payload }).some((clientId) => clientId !== own)) {
    throw new GatewayError('forbidden', 'this secret opens its own session only');
  }
}

/** The path of a request, fit for a log line: that of its route where it names what only some may know. */
export function pathForLog({ path, route }: Request): string {
  return route.settings.app?.pathIsSecret ? route.path : path;
}

/** The session that a request is about, fit for a log line: well-formed or undefined. */
export function clientIdForLog(request: Request): string | undefined {
  const clientId = namedClientIds(request)[0] ?? request.auth.credentials?.user?.clientId;
  return clientId !== undefined && CLIENT_ID.test(clientId) ? clientId : undefined;
}
