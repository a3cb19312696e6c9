import type { Request } from '@hapi/hapi';
import { CLIENT_ID } from '../domain/ids.js';

declare module '@hapi/hapi' {
  interface UserCredentials {
    /** The one session that this caller may see; undefined for the master token, which sees all. */
    clientId?: string;
  }
}

type Credentials = Pick<Request['auth'], 'credentials'>;

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
export function namedClientIds(request: Pick<Request, 'query' | 'payload' | 'params'>): string[] {
  const { query, payload, params } = request;
  const inBody = typeof payload === 'object' && payload !== null && 'clientId' in payload;
  const room = params.chatRoomId;
  const named = [
    query.clientId,
    inBody ? payload.clientId : undefined,
    typeof room === 'string' ? room.split('-', 1)[0] : undefined,
  ];
  return named.filter((clientId) => typeof clientId === 'string');
}

/** The session that a request is about, fit for a log line: well-formed or undefined. */
export function clientIdForLog(request: Request): string | undefined {
  const clientId = namedClientIds(request)[0] ?? request.auth.credentials?.user?.clientId;
  return clientId !== undefined && CLIENT_ID.test(clientId) ? clientId : undefined;
}
