import type { SessionStatus } from '../../domain/session.js';
import type { HistoryProgress } from '../services.js';

/** A session with everything that an operator looks at. Times are RFC 3339, or empty. */
export interface FleetSession {
  clientId: string;
  jid: string;
  status: SessionStatus;
  /** Why it is in this status, for people; may be empty. */
  reason: string;
  /** Since when it is in this status; empty where that is not known. */
  since: string;
  /** The link is open and has proven it within the last minute. */
  connected: boolean;
  loggedIn: boolean;
  reconnects: number;
  connectedAt: string;
  /** The last close reason, for people. */
  lastDisconnect: string;
  /** When the network last said something of itself: a message, a receipt, a notification. */
  lastStanzaAt: string;
  /** When the next connection is tried. */
  retryAt: string;
  /** Messages decrypted but not announced yet. */
  openJournal: number;
  orgId: string;
  enableGroupAi: boolean;
  /** Of the past that the linked phone sends; absent while none has been heard of. */
  history?: HistoryProgress;
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
