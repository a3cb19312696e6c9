import { GatewayError } from '../domain/errors.js';
import { LIMITS } from '../domain/limits.js';
import type { Link } from '../link/link.js';
import { requirePaired, type SessionSource } from './send/paired.js';

/**
 * The link of a session, for look-ups and for what is done with groups; waits a while for the connection.
 * @throws GatewayError session_unknown, session_unpaired, session_not_connected
 */
export async function liveLink(sessions: SessionSource, clientId: string): Promise<Link> {
  const session = requirePaired(sessions, clientId);
  const link = await session.connected(LIMITS.connectionWaitMs);
  if (link) return link;
  const why = session.record.statusReason || 'still connecting';
  throw new GatewayError('session_not_connected', `${clientId} is not connected (${why}); retry`);
}
