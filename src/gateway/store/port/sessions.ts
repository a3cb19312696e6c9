import { SESSION_STATUSES } from '../../../domain/session.js';
import { blankRecord, collection, type RecordOf } from './fields.js';

/**
 * Linked numbers and their settings. Their sealed texts give rights, so they are sealed even when empty: a blank stored value
 * counts as damage. A sealed text that a later release adds needs `none`.
 */
export const SESSIONS = collection('sessions', {
  clientId: { is: 'text', documentId: true },
  /** Own addresses: user-parts without a device; empty before pairing. */
  lid: { is: 'text' },
  pn: { is: 'text' },
  /** Own jid with the device, as the network assigned it; empty before pairing. */
  jid: { is: 'text' },
  /** Profile name of the linked account; may be empty. */
  name: { is: 'text' },
  orgId: { is: 'text' },
  // URLs are sealed too: people put tokens into them
  webhookUrl: { is: 'text', sealed: [] },
  webhookToken: { is: 'text', sealed: [] },
  pollLookupUrl: { is: 'text', sealed: [] },
  /** URL of the proxy, with user and password; empty for direct connections. */
  proxy: { is: 'text', sealed: [] },
  enableGroupAi: { is: 'flag' },
  /** Every call that comes is declined. */
  rejectCalls: { is: 'flag' },
  /** Event types that are sent only on request. */
  extraEvents: { is: 'texts' },
  /** Salted hash of the session's API secret; empty if it has none. Sealed, because in the row of another session it would open that session. */
  apiSecretHash: { is: 'text', sealed: [] },
  /** The last status that survives a restart. */
  status: { is: 'text', of: SESSION_STATUSES },
  /** The reason in the stored form of `domain/reasons.ts`, empty for none; records of earlier releases hold a sentence. */
  statusReason: { is: 'text' },
  /** Milliseconds since the epoch; 0 if unknown. */
  statusSince: { is: 'number' },
  /** Milliseconds since the epoch: the end of a temporary ban, when the session connects again; 0 if none is known. */
  bannedUntil: { is: 'number' },
  /** Days that messages and files are kept; 0 for ever, null as the daemon's setting says. */
  retentionDays: { is: 'number', none: 'null' },
  /** How events are tried again: four attempts as the contract says, or durably; see `docs/decisions/0030`. */
  retry: { is: 'text', of: ['contract', 'durable'], later: true },
  /** Code of `domain/pauses.ts` while the webhook is paused, else empty; records of earlier releases hold a sentence. */
  webhookPaused: { is: 'text', later: true },
  /** Milliseconds since the epoch. */
  createdAt: { is: 'number' },
  /** The token before `webhookToken`, while calls carry its signature too; null: none. With another end it would sign for longer. */
  previousToken: { is: 'text', none: 'null', sealed: ['previousTokenUntil'] },
  /** Milliseconds since the epoch: when `previousToken` ends; 0 without one. */
  previousTokenUntil: { is: 'number', later: true },
  /** Milliseconds since the epoch: when `linkedNumber` was linked; 0 if unknown, as in records of earlier releases. */
  linkedAt: { is: 'number', later: true },
  /** The number that was linked last, also after its link has ended; empty if unknown. */
  linkedNumber: { is: 'text', later: true },
  /** What the network told last of the restrictions of that number, as JSON; empty when none held. */
  restrictions: { is: 'text', later: true },
  /** The receivers beside the webhook, as JSON (`services/sessions/receiver-list.ts`); null: it never had any. */
  receivers: { is: 'text', none: 'null', sealed: [] },
  /** Days that events are kept to be sent again; 0 for none. */
  keepEvents: { is: 'number', later: true },
  /** Milliseconds since the epoch: when the session was exported for another Switchboard; 0 while it is used here. */
  exportedAt: { is: 'number', later: true },
});

/** A linked number and its settings. */
export type SessionRecord = RecordOf<typeof SESSIONS>;

/** A session of which nothing is known yet. */
export const blankSession = (): SessionRecord => blankRecord(SESSIONS);

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
