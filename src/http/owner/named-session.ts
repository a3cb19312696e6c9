import { Readable } from 'node:stream';
import type { Request } from '@hapi/hapi';
import { CLIENT_ID } from '../../domain/ids.js';
import { confinedTo, namedClientIds } from '../caller.js';

/**
 * The session that a request is about, before anything is validated.
 * @returns undefined for a request that names none or several, or whose body is none: it can be refused anywhere
 */
export async function namedSession(request: Request): Promise<string | undefined> {
  if (!isWellFormed(request.payload)) return undefined;
  const found = await request.route.settings.app?.sessionOf?.(request);
  const named = new Set([...namedClientIds(request), ...(found === undefined ? [] : [found])]);
  const own = confinedTo(request);
  const [clientId, ...others] = named;
  if (clientId === undefined || others.length > 0 || !CLIENT_ID.test(clientId)) return undefined;
  return own === undefined || own === clientId ? clientId : undefined;
}

/** JSON may also be a single word or number. */
function isWellFormed(payload: unknown): boolean {
  return payload instanceof Readable || payload === undefined || typeof payload === 'object';
}
