import type { SessionStatus } from '../../domain/session.js';
import type { HistoryAnswer } from '../wire.js';

/** What `/fleet` answers. Times are RFC 3339, or empty. */
export interface FleetAnswer {
  /** The daemon's time. */
  at: string;
  nodes: NodeRow[];
  sessions: SessionRow[];
}

/** A running daemon. */
export interface NodeRow {
  podName: string;
  version: string;
  startedAt: string;
  uptimeSeconds: number;
  /** Bytes; absent for a session's secret. */
  memory?: { rss: number; heapUsed: number };
  /** `ms` is how long it took to answer. */
  store: { name: string; reachable: boolean; ms: number };
  network: { name: string; state: 'ok' | 'down' | 'unknown'; lastStanzaAt: string };
  sessions: { total: number; connected: number; down: number; terminal: number };
  deliveries: { waiting: number; inFlight: number; failed: number };
}

/** A session, and the node that holds it. */
export interface SessionRow {
  clientId: string;
  podName: string;
  jid: string;
  status: SessionStatus;
  reason: string;
  /** Empty where that is not known. */
  since: string;
  /** Proven by traffic. */
  connected: boolean;
  loggedIn: boolean;
  reconnects: number;
  connectedAt: string;
  lastDisconnect: string;
  lastStanzaAt: string;
  retryAt: string;
  openJournal: number;
  orgId: string;
  enableGroupAi: boolean;
  history?: HistoryAnswer;
  webhook: WebhookRow;
}

/** A session's receiver. `delivered` and `dropped` count since the daemon's start. */
export interface WebhookRow {
  origin: string;
  waiting: number;
  inFlight: number;
  failed: number;
  delivered: number;
  dropped: number;
  last?: AttemptRow;
}

export interface AttemptRow {
  at: string;
  origin: string;
  type: string;
  attempt: number;
  outcome: 'delivered' | 'rejected' | 'failed';
  status: number;
  reason: string;
  durationMs: number;
}
