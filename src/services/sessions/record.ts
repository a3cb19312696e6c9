import type { WebhookSettings } from '../../contract/index.js';
import { requirePublicUrl } from '../../delivery/guard.js';
import { GatewayError } from '../../domain/errors.js';
import { type CloseReason, exportedReason, isTerminal } from '../../domain/session.js';
import { withKeptCredentials } from '../../domain/url-credentials.js';
import { formatWaVersion, type WaVersion } from '../../link/wa-versions.js';
import type { Logger } from '../../log.js';
import { blankSession, type SessionRecord, type SessionStore } from '../../store/store.js';

export type RecordChanges = Partial<Omit<SessionRecord, 'clientId'>>;
/**
 * `webhookPaused`: why the webhook gets no calls; empty ends the pause. `previousTokenFor`: seconds for which calls carry a
 * signature with the token before, too.
 */
export type WebhookChanges = WebhookSettings & { webhookPaused?: string; previousTokenFor?: number };

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

/** What an operator can do about an ended link; after other reasons the session reconnects by itself. */
const ADVICE: Readonly<Partial<Record<CloseReason, string>>> = {
  proxy_failed: 'Nothing of the session goes around it: check the proxy, or set another one with /set-proxy.',
  certificate_untrusted: 'Check --network and --network-root, and what stands between here and the network.',
  logged_out: 'Call /start to pair again.',
  device_mismatch: 'Call /start to pair again.',
  data_damaged: 'Or call /start to pair again.',
  pairing_unfinished: 'Call /start to begin again.',
  qr_expired: 'Call /start for new QR codes.',
  replaced: 'Stop the other client, then call /reconnect.',
  account_restricted: 'Look at the phone; once the restriction has ended, call /reconnect.',
  account_locked: 'Look at the phone; once the account works there, call /reconnect.',
  banned: 'Look at the phone: only the network can lift a ban. Once it has, call /reconnect.',
};

/**
 * One line that operators read in health, `sessions show` and `session_status`.
 * @param detail a sentence of the link that says what happened
 * @param record its reason stays if it says more about the same cause
 */
export function describeReason(
  reason: CloseReason,
  detail: string,
  { bannedUntil, statusReason }: Pick<SessionRecord, 'bannedUntil' | 'statusReason'>,
): string {
  if (bannedUntil > 0) {
    return `${detail} It ends at ${new Date(bannedUntil).toISOString()}; the session connects again then.`;
  }
  if (reason === 'client_outdated' && statusReason.startsWith(detail.replace(/\.$/, ''))) return statusReason;
  const advice = ADVICE[reason];
  return advice ? `${detail} ${advice}` : detail;
}

export function notPairing(): GatewayError {
  return new GatewayError(
    'pairing_code_refused',
    'the network did not open a pairing; call /start and retry',
  );
}

/** @param problem why no newer version is used; a sentence */
export function describeOutdated(detail: string, refused: WaVersion, problem: string): string {
  return `${detail.replace(/\.$/, '')} (${formatWaVersion(refused)}). ${problem}`;
}

/** @throws GatewayError session_terminal, session_unpaired for a session that cannot reconnect */
export function requireReconnectable(
  record: Pick<SessionRecord, 'clientId' | 'status' | 'statusReason' | 'jid'>,
): void {
  const { clientId, status, statusReason, jid } = record;
  if (status === 'logged_out') {
    const why = statusReason || 'Call /start to pair again.';
    throw new GatewayError('session_terminal', `session ${clientId} is ${status}: ${why}`);
  }
  if (jid === '') {
    throw new GatewayError('session_unpaired', `session ${clientId} is not paired; call /start`);
  }
}

/** @throws GatewayError session_terminal for a session that waits for an operator before it can be paired */
export function requirePairable({
  clientId,
  status,
  exportedAt,
}: Pick<SessionRecord, 'clientId' | 'status' | 'exportedAt'>): void {
  if (!isTerminal(status)) return;
  const linked = exportedAt > 0 ? exportedReason(clientId) : 'it is still linked: call /reconnect';
  const next = status === 'logged_out' ? 'call /start, then /pair-phone again' : linked;
  throw new GatewayError('session_terminal', `session ${clientId} is ${status}: ${next}`);
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
