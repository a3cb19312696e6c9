import type { SessionStatus } from '../../domain/session.js';
import type { ClientRow, HistoryAnswer } from '../wire.js';

/** What the daemon tells, as far as checks read it. */

/** What is known of a session. */
export interface SessionFacts extends ClientRow {
  /** Undefined when this node does not hold it. */
  health: SessionHealth | undefined;
}

/** What the daemon tells of a session's state; times are RFC 3339, or empty. */
export interface SessionHealth {
  clientId: string;
  status: SessionStatus;
  reason: string;
  since: string;
  connected: boolean;
  loggedIn: boolean;
  reconnects: number;
  connectedAt: string;
  lastDisconnect: string;
  lastStanzaAt: string;
  history?: HistoryAnswer;
  webhook: {
    /** Waiting for their turn or their next attempt. */
    waiting: number;
    /** The last call of this run of the daemon. */
    last?: { at: string; outcome: string; reason: string };
  };
}

/** What the daemon tells of itself and its sessions. */
export interface FleetAnswer {
  nodes: {
    uptimeSeconds: number;
    /** Milliseconds. */
    store: { ms: number };
    /** By what its links hear: `unknown` while there is none. */
    network: { state: 'ok' | 'down' | 'unknown' };
  }[];
  sessions: SessionHealth[];
}

/** What is read of a failed delivery. */
export interface FailedDelivery {
  /** Without what may be secret in it. */
  url: string;
  reason: string;
  /** RFC 3339. */
  failedAt: string;
}
