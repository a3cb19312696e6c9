import type { WebhookSettings } from '../../../contract/index.js';
import { GatewayError } from '../../../domain/errors.js';
import type { PauseCode } from '../../../domain/pauses.js';
import { type Reason, readReason, reason } from '../../../domain/reasons.js';
import { type CloseCause, isTerminal } from '../../../domain/session.js';
import { withKeptCredentials } from '../../../domain/url-credentials.js';
import { requirePublicUrl } from '../../delivery/guard.js';
import type { Logger } from '../../log.js';
import { blankSession, type SessionRecord, type SessionStore } from '../../store/store.js';

export type RecordChanges = Partial<Omit<SessionRecord, 'clientId'>>;
/**
 * `webhookPaused`: why the webhook gets no calls; empty ends the pause. `previousTokenFor`: seconds for which calls carry a
 * signature with the previous token, too.
 */
export type WebhookChanges = WebhookSettings & { webhookPaused?: PauseCode | ''; previousTokenFor?: number };

/** How long data of a session is kept; absent fields do not change. */
export interface RetentionChanges {
  /** Days after which messages and files are deleted; 0 for never, null for the daemon's setting. */
  retentionDays?: number | null;
  /** Days for which events are kept; 0 for none. */
  keepEvents?: number;
}

/** Writes a session's record in order. A change that fails during a store outage is written with the next one. */
export class RecordWriter {
  readonly #clientId: string;
  readonly #sessions: Pick<SessionStore, 'update'>;
  #writes: Promise<unknown> = Promise.resolve();
  /** Changes that the store does not have yet. */
  #unsaved: RecordChanges = {};

  readonly #log: Logger;

  constructor(clientId: string, sessions: Pick<SessionStore, 'update'>, log: Logger) {
    this.#clientId = clientId;
    this.#sessions = sessions;
    this.#log = log;
  }

  /** Resolves when the change is stored. */
  write(changes: RecordChanges): Promise<unknown> {
    Object.assign(this.#unsaved, changes);
    this.#writes = this.#writes.catch(() => undefined).then(() => this.#save());
    return this.#writes;
  }

  /** As `write`, but a failure is only logged. */
  note(changes: RecordChanges): void {
    this.write(changes).catch((error: unknown) => {
      this.#log.error({ err: error }, 'a change of the session was not stored yet');
    });
  }

  /** Resolves when all changes are stored, or failed once more. */
  async flush(): Promise<void> {
    await this.#writes.catch(() => this.#save()).catch(() => undefined);
  }

  /** Settles when nothing is being written. */
  idle(): Promise<unknown> {
    return this.#writes;
  }

  async #save(): Promise<void> {
    const changes = this.#unsaved;
    if (Object.keys(changes).length === 0) return;
    this.#unsaved = {};
    try {
      await this.#sessions.update(this.#clientId, changes);
    } catch (error) {
      this.#unsaved = { ...changes, ...this.#unsaved };
      throw error;
    }
  }
}

/** The reason that a session shows after the end of its link: with the end of a ban. An earlier reason that says more about the same cause stays. */
export function shownCause(
  cause: CloseCause,
  { bannedUntil, statusReason }: Pick<SessionRecord, 'bannedUntil' | 'statusReason'>,
): Reason {
  if (bannedUntil > 0) {
    return reason('account_restricted', { kind: 'timed', until: new Date(bannedUntil).toISOString() });
  }
  if (cause.code !== 'client_outdated') return cause;
  const before = readReason(statusReason);
  // the reason of an earlier refusal says which version was refused, and what was tried
  return before?.code === cause.code ? before : cause;
}

export function exported(clientId: string): Reason {
  return reason('replaced', { kind: 'exported', clientId });
}

export function notPairing(): GatewayError {
  return new GatewayError('pairing_code_refused', reason('pairing_not_opened'));
}

/** @throws GatewayError session_terminal, session_unpaired for a session that cannot reconnect */
export function requireReconnectable(
  record: Pick<SessionRecord, 'clientId' | 'status' | 'statusReason' | 'jid'>,
): void {
  const { clientId, status, statusReason, jid } = record;
  if (status === 'logged_out') {
    const why = readReason(statusReason) ?? reason('pair_again');
    throw new GatewayError('session_terminal', reason('session_state', { clientId, status, why }));
  }
  if (jid === '') {
    throw new GatewayError('session_unpaired', reason('session_not_linked', { clientId }));
  }
}

/** @throws GatewayError session_terminal for a session that waits for an operator before it can be paired */
export function requirePairable({
  clientId,
  status,
  exportedAt,
}: Pick<SessionRecord, 'clientId' | 'status' | 'exportedAt'>): void {
  if (!isTerminal(status)) return;
  const linked = exportedAt > 0 ? exported(clientId) : reason('still_linked');
  const why = status === 'logged_out' ? reason('pair_with_phone') : linked;
  throw new GatewayError('session_terminal', reason('session_state', { clientId, status, why }));
}

export function hasMoved(clientId: string): GatewayError {
  return new GatewayError('session_elsewhere', `session ${clientId} has moved to another node; ask again`);
}

/** The record of a session that nobody has linked yet. @param createdAt milliseconds since the epoch */
export function newRecord(
  clientId: string,
  settings: WebhookSettings,
  proxy: string,
  createdAt: number,
): SessionRecord {
  return { ...blankSession(), clientId, proxy, statusSince: createdAt, createdAt, ...definedOnly(settings) };
}

/** @throws GatewayError invalid_request for an address that is private as it is written */
export function requirePublicAddresses(
  { webhookUrl = '', pollLookupUrl = '' }: WebhookSettings,
  allowPrivate = true,
): void {
  if (allowPrivate) return;
  requirePublicUrl('webhookUrl', webhookUrl);
  requirePublicUrl('pollLookupUrl', pollLookupUrl);
}

/** The same settings, with the credentials of the present addresses where `***` stands for them. @throws GatewayError invalid_request */
export function withKeptAddresses<Settings extends WebhookSettings>(
  present: Pick<SessionRecord, 'webhookUrl' | 'pollLookupUrl'> | undefined,
  settings: Settings,
): Settings {
  const { webhookUrl, pollLookupUrl } = settings;
  const kept = (field: 'webhookUrl' | 'pollLookupUrl', url: string) =>
    withKeptCredentials(field, url, present?.[field] ?? '');
  return {
    ...settings,
    ...(webhookUrl !== undefined && { webhookUrl: kept('webhookUrl', webhookUrl) }),
    ...(pollLookupUrl !== undefined && { pollLookupUrl: kept('pollLookupUrl', pollLookupUrl) }),
  };
}

export function definedOnly(settings: WebhookChanges): WebhookChanges {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
