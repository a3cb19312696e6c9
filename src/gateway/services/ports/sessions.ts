import type {
  AdoptRequest,
  Client,
  ExportKeysAnswer,
  ExportSessionAnswer,
  PairLinkAnswer,
  PairState,
  PastSends,
  PolicyAnswer,
  QrAnswer,
  RestrictionsAnswer,
  SessionHealth,
  SessionReport,
  StartSettings,
  UnfinishedAnswer,
  WebhookSettings,
} from '../../../contract/index.js';
import type { EpochMs } from '../../../domain/clock.js';
import type { PauseCode } from '../../../domain/pauses.js';
import type { Reason } from '../../../domain/reasons.js';
import type { PasskeyState, WebAuthnAssertion } from '../../link/link.js';

export type { PasskeyState, WebAuthnAssertion } from '../../link/link.js';

/** A session as the API shows it; never with secrets. */
export interface SessionView extends Omit<Client, 'podName' | 'listener'> {
  /** Cause of the status. */
  reason: Reason | undefined;
  pollLookupUrl: string;
  /** RFC 3339: when calls stop carrying a signature with the previous token; absent if they carry none. */
  previousTokenUntil?: string;
  enableGroupAi: boolean;
  rejectCalls: boolean;
  extraEvents: string[];
  hasSecret: boolean;
}

/** How long data of a session is kept; absent fields do not change. */
export interface RetentionChanges {
  /** Days after which messages and files are deleted; 0 for never, null for the daemon's setting. */
  retentionDays?: number | null;
  /** Days for which events are kept; 0 for none. */
  keepEvents?: number;
}

/** The restrictions that the network puts on a linked number. */
export interface Restrictions {
  /**
   * The restrictions as last reported; asks the network if it has reported none since the start.
   * @throws session_unknown, session_unpaired, session_not_connected, lookup_failed
   */
  of(clientId: string): Promise<RestrictionsAnswer>;
}

/** The policies of sends. */
export interface Policies {
  /** Whether the workspace of a session may decide which policy it has. */
  readonly nameWorkspaces: boolean;
  /**
   * The policy of a session and its counts; with `to` also whether a message to that recipient would leave now.
   * @throws session_unknown; with `to` also session_unpaired, session_not_connected, recipient_unknown, lookup_failed
   */
  of(clientId: string, to?: string): Promise<PolicyAnswer>;
  /**
   * A page of the sends after a time (milliseconds since the epoch), without their content.
   * @param limit sends of a page; those of the same millisecond are in one page
   * @throws session_unknown
   */
  sends(clientId: string, since: number, limit: number): Promise<PastSends>;
}

/** The state of a session for figures of the whole node. */
export interface SessionState extends Pick<SessionHealth, 'status' | 'connected' | 'rejectCalls'> {
  hasProxy: boolean;
}

export interface Sessions {
  /** Creates or wakes a session; idempotent. Returns before it is connected. */
  start(clientId: string, settings: StartSettings): Promise<SessionView>;
  /** The text inside the current QR code; empty unless the status is `qr`. @throws session_unknown */
  qr(clientId: string): Pick<QrAnswer, 'clientId' | 'status' | 'qr'>;
  /** An 8-character code as `ABCD-EFGH`. @throws session_unknown, session_already_paired, pairing_code_refused */
  pairPhone(clientId: string, phone: string): Promise<string>;
  /** The step of the passkey ceremony; undefined while the network asks for none. @throws session_unknown */
  passkey(clientId: string): PasskeyState | undefined;
  /** @throws session_unknown, passkey_not_asked, passkey_malformed, passkey_expired, passkey_refused */
  answerPasskey(clientId: string, assertion: WebAuthnAssertion): Promise<void>;
  /** @throws session_unknown, passkey_not_asked, passkey_expired, passkey_refused */
  confirmPasskey(clientId: string): Promise<void>;
  /** @throws session_unknown */
  get(clientId: string): SessionView;
  /** Whether this node holds the session. */
  has(clientId: string): boolean;
  /** All sessions of all nodes, sorted by clientId; only one when it is named. @throws store_unavailable */
  list(clientId?: string): Promise<SessionView[]>;
  /** The sessions of this node. */
  views(): SessionView[];
  /** The states of all sessions of this node, for figures of the whole node: cheap enough for every probe. */
  states(): SessionState[];
  /** The sessions of this node; only one when it is named. */
  health(clientId?: string): SessionHealth[];
  /**
   * Ends a pause, unless `webhookPaused` says why the webhook gets no calls.
   * @param settings.previousTokenFor seconds for which calls also carry a signature with the previous token
   * @throws session_unknown, invalid_request
   */
  setWebhook(
    clientId: string,
    settings: WebhookSettings & { webhookPaused?: PauseCode | ''; previousTokenFor?: number },
  ): Promise<SessionView>;
  setOrgId(clientId: string, orgId: string): Promise<SessionView>;
  /** Sets the API secret; an empty string removes it. @throws session_unknown; secret_taken if another session has it */
  setApiSecret(clientId: string, secret: string): Promise<SessionView>;
  setEnableGroupAi(clientId: string, enabled: boolean): Promise<SessionView>;
  setRejectCalls(clientId: string, enabled: boolean): Promise<SessionView>;
  setRetention(clientId: string, keep: RetentionChanges): Promise<SessionView>;
  /**
   * Sets the proxy of a session; a live link, or one that is being tried, is replaced by a link through the new proxy.
   * @param proxy its URL, with user and password; null for direct connections
   * @throws session_unknown
   */
  setProxy(clientId: string, proxy: string | null): Promise<SessionView>;
  /**
   * Closes a live link and connects again at once, without the pause before the next attempt. Returns before the session
   * is connected; sends in flight continue over the new link.
   * @throws session_unknown, session_unpaired, session_terminal
   */
  reconnect(clientId: string): Promise<SessionView>;
  /** Logs the device out and deletes everything of the session; returns a warning if the network did not confirm the logout. */
  disconnect(clientId: string): Promise<{ warning?: string }>;
  /** The sessions that an API secret opens, mostly one; compared in constant time. */
  sessionsOfSecret(secret: string): Promise<string[]>;
}

/** Numbers that another program has linked. */
export interface Adoption {
  /**
   * Takes one part of the state of a number. The part with the credentials is the last one: after it the number connects.
   * @returns the session, and the names of keys that cannot be used
   * @throws invalid_request, session_already_paired
   */
  take(part: AdoptRequest): Promise<{ session: SessionView; leftOut: string[] }>;
  /**
   * Closes the link and deletes everything of the session, but leaves the device linked at the network.
   * @param jid the own jid of the session that the caller means, with or without its device
   * @throws session_unknown; invalid_request if the session has another number
   */
  giveBack(clientId: string, jid: string): Promise<void>;
  /**
   * Closes the link until an operator reconnects it, and returns what another Switchboard needs beside the keys.
   * @throws session_unknown, session_unpaired; session_terminal for a banned number
   */
  export(clientId: string): Promise<Omit<ExportSessionAnswer, 'ok'>>;
  /** Counts the unfinished work in the store that would be lost with the session. @throws session_unknown */
  unfinished(clientId: string): Promise<UnfinishedAnswer>;
  /**
   * The next page of keys, after `after`, of a session that `export` stopped.
   * @throws session_unknown, session_unpaired; session_already_paired while it is in use
   */
  exportKeys(clientId: string, after?: { type: string; id: string }): Promise<Omit<ExportKeysAnswer, 'ok'>>;
}

/** A pairing as the owner of the number sees it at a one-time address. Contains no other data of the session. */
export interface PairView extends Pick<PairState, 'status' | 'code'> {
  reason?: Reason | undefined;
  /** The text inside the QR. */
  qr?: string;
  passkey?: PasskeyState;
  /** When the address expires. */
  expiresAt: EpochMs;
}

/** One-time addresses where the owner of a number links it. Every method that takes a token throws pair_link_unknown. */
export interface PairLinks {
  /** Creates an address, which replaces an earlier one of the session. @throws session_unknown, session_already_paired */
  create(clientId: string): Omit<PairLinkAnswer, 'clientId'>;
  /** The URL of a token. */
  url(token: string): string;
  view(token: string): PairView;
  /** Connects again after the QR codes expired. */
  start(token: string): Promise<void>;
  /** @throws session_already_paired, pairing_code_refused */
  requestCode(token: string, phone: string): Promise<string>;
  /** @throws passkey_not_asked, passkey_malformed, passkey_expired, passkey_refused */
  answerPasskey(token: string, assertion: WebAuthnAssertion): Promise<void>;
  /** @throws passkey_not_asked, passkey_expired, passkey_refused */
  confirmPasskey(token: string): Promise<void>;
}

/** All sessions of this node with their figures. */
export interface Fleet {
  /** The sessions sorted by clientId, or only the named one. */
  sessions(clientId?: string): SessionReport[];
}
