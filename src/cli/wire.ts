import type { SessionStatus } from '../domain/session.js';

/** The daemon's answers, as far as commands read them. */

export interface StartAnswer {
  clientId: string;
  status: SessionStatus;
  podName: string;
  webhookUrl: string;
  pollLookupUrl: string;
}

export interface QrAnswer {
  clientId: string;
  status: SessionStatus;
  /** Empty unless the status is `qr`. */
  qr: string;
}

export interface CheckStateAnswer {
  status: boolean;
  /** The own jid when connected. */
  state: string;
}

/** One row of `/clients`. */
export interface ClientRow {
  clientId: string;
  jid: string;
  podName: string;
  orgId: string;
  webhookUrl: string;
  /** Beyond the contract. */
  status?: SessionStatus;
  /** Who takes its events in place of the webhook at the moment. */
  listener?: ListenerAnswer;
}

export interface ListenerAnswer {
  url: string;
  /** RFC 3339. */
  expiresAt: string;
}

/** One row of `/health/clients`; what follows `lastDisconnect` goes beyond the contract and may be missing. */
export interface HealthRow {
  clientId: string;
  jid: string;
  status: SessionStatus;
  connected: boolean;
  loggedIn: boolean;
  enableGroupAi: boolean;
  reconnects: number;
  connectedAt: string;
  lastDisconnect: string;
  reason?: string;
  lastStanzaAt?: string;
  openJournal?: number;
  history?: HistoryAnswer;
}

/** How far the past of a linked number has come into its history. */
export interface HistoryAnswer {
  /** Percent, as the phone tells it. */
  progress: number;
  messages: number;
}

export interface ReadyAnswer {
  status: string;
  podName: string;
  database: boolean;
  sessions: { total: number; connected: number; down: number; terminal: number };
}

export interface ConfigAnswer {
  podName: string;
  /** The network that it is linked to, as the setting names it. */
  environment: string;
  version: string;
  routes: string[];
}

export interface SendAnswer {
  status: string;
  messageId: string;
  warning?: string;
  /** Of a reaction or an edit: the message that it changes. */
  targetId?: string;
  /** Of a file. */
  mediaType?: string;
  /** Of a file that the daemon fetched. */
  bytes?: number;
  /** A text with the link was sent in place of a file that is too large. */
  fallback?: 'text';
}

export interface TestEventAnswer {
  deliveryId: string;
  delivered: boolean;
  reason: string;
  /** Whether the call carried a token and a signature; older daemons do not tell. */
  signed?: boolean;
}

/** Where a session's events go; absent fields stay as they are. */
export interface WebhookChange {
  webhookUrl?: string;
  webhookToken?: string;
  pollLookupUrl?: string;
  extraEvents?: string[];
}
