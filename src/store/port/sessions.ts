import type { SessionStatus } from '../../domain/session.js';

/** A linked number and its settings. */
export interface SessionRecord {
  clientId: string;
  /** Own addresses: user-parts without a device; empty before pairing. */
  lid: string;
  pn: string;
  /** Own jid with the device, as the network assigned it; empty before pairing. */
  jid: string;
  /** Profile name of the linked account; may be empty. */
  name: string;
  orgId: string;
  webhookUrl: string;
  webhookToken: string;
  /** The token before `webhookToken`, while calls carry its signature too; null: none. */
  previousToken: string | null;
  /** Milliseconds since the epoch: when `previousToken` ends; 0 without one. */
  previousTokenUntil: number;
  pollLookupUrl: string;
  enableGroupAi: boolean;
  /** How events are tried again: four attempts as the contract says, or durably; see `docs/decisions/0030`. */
  retry: 'contract' | 'durable';
  /** Why the webhook gets no calls now: a code of `domain/pauses.ts`, words in what earlier releases wrote; empty while it gets them. */
  webhookPaused: string;
  /** The receivers beside the webhook, as JSON (`services/sessions/receiver-list.ts`); null: it never had any. */
  receivers: string | null;
  /** Every call that comes is declined. */
  rejectCalls: boolean;
  /** Days that messages and files are kept; 0 for ever, null as the daemon's setting says. */
  retentionDays: number | null;
  /** Days that events are kept to be sent again; 0 for none. */
  keepEvents: number;
  /** URL of the proxy, with user and password; empty for direct connections. */
  proxy: string;
  /** Event types that are sent only on request. */
  extraEvents: string[];
  /** Salted hash of the session's API secret; empty if it has none. */
  apiSecretHash: string;
  /** The last status that survives a restart. */
  status: SessionStatus;
  /** Why, as `domain/reasons.ts` writes it; words in what earlier releases wrote. Empty for no reason. */
  statusReason: string;
  /** Milliseconds since the epoch; 0 if unknown. */
  statusSince: number;
  /** Milliseconds since the epoch: the end of a temporary ban, when the session connects again; 0 if none is known. */
  bannedUntil: number;
  /** Milliseconds since the epoch: when the session was exported for another Switchboard; 0 while it is used here. */
  exportedAt: number;
  /** Milliseconds since the epoch: when `linkedNumber` was linked; 0 if unknown, as in records of earlier releases. */
  linkedAt: number;
  /** The number that was linked last, also after its link has ended; empty if unknown. */
  linkedNumber: string;
  /** What the network told last of the restrictions of that number, as JSON; empty when none held. */
  restrictions: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** The reason beside the status `replaced` with which earlier releases marked an exported session. Do not change it. */
export const FORMER_EXPORT_MARK =
  'The session was exported, to be used by another Switchboard. Call /reconnect to use it here again.';

/** A session as it is read. */
export interface StoredSession extends SessionRecord {
  /** Why its sealed texts could not be opened; they are empty then. The session must not be used. */
  damage?: string;
}

export interface SessionStore {
  /** Inserts if absent; returns the stored record. */
  create(record: SessionRecord): Promise<SessionRecord>;
  get(clientId: string): Promise<StoredSession | undefined>;
  /** By clientId, ascending. */
  list(): Promise<StoredSession[]>;
  /** Changes the given fields only; undefined if there is no such session. */
  update(
    clientId: string,
    changes: Partial<Omit<SessionRecord, 'clientId'>>,
  ): Promise<SessionRecord | undefined>;
}
