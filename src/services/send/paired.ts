import { formatJid } from '../../domain/address.js';
import { GatewayError } from '../../domain/errors.js';
import type { Session } from '../sessions/session.js';

/** Where sessions are found. @throws GatewayError session_unknown */
export interface SessionSource {
  find(clientId: string): Session;
}

/** The session that can act on the network. @throws GatewayError session_unknown, session_unpaired */
export function requirePaired(sessions: SessionSource, clientId: string): Session {
  const session = sessions.find(clientId);
  if (session.isPaired) return session;
  const message = `${clientId} is not paired (status ${session.record.status}); pair it first`;
  throw new GatewayError('session_unpaired', message);
}

/** The session's own address; empty while it is not known. */
export function ownJid({ record }: Session): string {
  if (record.lid) return formatJid({ kind: 'lid', user: record.lid });
  return record.pn ? formatJid({ kind: 'pn', user: record.pn }) : '';
}
