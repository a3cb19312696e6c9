import type { SessionHealth } from '../services.js';

/** A session with everything that an operator looks at. */
export interface FleetSession extends SessionHealth {
  orgId: string;
  webhook: FleetWebhook;
}

/** A session's receiver and what is on its way to it. */
export interface FleetWebhook {
  /** Scheme, host and port; empty when delivery is off. */
  origin: string;
  waiting: number;
  inFlight: number;
  /** Kept for sending again by hand. */
  failed: number;
  /** Since this run of the daemon began: events that arrived, and that were given up. */
  delivered: number;
  dropped: number;
  /** The last POST of this run; absent while there was none. */
  last?: FleetAttempt;
}

/** What came of one POST. */
export interface FleetAttempt {
  /** RFC 3339. */
  at: string;
  /** Of the receiver that was called. */
  origin: string;
  type: string;
  attempt: number;
  outcome: 'delivered' | 'rejected' | 'failed';
  /** The receiver's HTTP status; 0 when there was no answer. */
  status: number;
  /** For people; empty when delivered. */
  reason: string;
  durationMs: number;
}

/** All sessions of this node at a glance. */
export interface Fleet {
  /** By clientId; only one when it is named. Asks nobody: everything is known already. */
  sessions(clientId?: string): FleetSession[];
}
