import type { SessionStatus } from '../domain/session.js';

/**
 * Emitted when a session's status changes, to sessions that asked for it in `extraEvents`, and to every tail.
 * A terminal status is followed by nothing until an operator calls `/start` again.
 */
export interface SessionStatusEvent {
  event: 'session.status';
  type: 'session_status';
  clientId: string;
  orgId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
  status: SessionStatus;
  previousStatus: SessionStatus;
  /** For people; empty when there is nothing to explain. */
  reason: string;
}
