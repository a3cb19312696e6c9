import type { SessionStatus } from '../../domain/session.js';
import type { HistoryAnswer } from '../wire.js';

/** What `/fleet` answers. Times are RFC 3339, or empty. */
export interface FleetAnswer {
  /** The daemon's time. */
  at: string;
  nodes: NodeRow[];
  sessions: SessionRow[];
}

/** A running daemon. What one that does not answer would tell is absent. */
export interface NodeRow {
  nodeId: string;
  podName: string;
  /** The one that was asked. */
  self: boolean;
  reachable: boolean;
  /** It gives its sessions away. */
  draining: boolean;
  /** Since it last told the store that it is there. */
  silentSeconds: number;
  version: string;
  startedAt: string;
  uptimeSeconds: number;
  /** Bytes; absent for a session's secret. */
  memory?: { rss: number; heapUsed: number };
  /** `ms` is how long it took to answer. */
  store?: { name: string; reachable: boolean; ms: number };
  network?: { name: string; state: 'ok' | 'down' | 'unknown'; lastStanzaAt: string };
  sessions: { total: number; connected: number; down: number; terminal: number };
  deliveries?: { waiting: number; inFlight: number; failed: number };
}

/** A session, and the node that holds it. */
export interface SessionRow {
  clientId: string;
  /** Empty when none does. */
  podName: string;
  /** Of the node, where nodes share a store. */
  lease?: LeaseRow;
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

/** How often nodes have taken the session, since when it is held, and when that runs out unless it is renewed. */
export interface LeaseRow {
  epoch: number;
  ageSeconds: number;
  leftSeconds: number;
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
