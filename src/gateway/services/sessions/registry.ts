import type { SessionHealth, StartSettings, WebhookSettings } from '../../../contract/index.js';
import { GatewayError, isGatewayError, unknownSession } from '../../../domain/errors.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { LIMITS } from '../../../domain/limits.js';
import type { PauseCode } from '../../../domain/pauses.js';
import { reason, writeReason } from '../../../domain/reasons.js';
import { doubling, type RetryPolicy } from '../../../domain/retry.js';
import { isTerminal, type SessionStatus } from '../../../domain/session.js';
import type { PasskeyState, WebAuthnAssertion } from '../../link/link.js';
import type { SessionRecord, StoredSession } from '../../store/store.js';
import { SessionDirectory, type SessionView, sessionHealth, sessionState, sessionView } from './directory.js';
import { dropLeftovers } from './link-steps.js';
import { type Ownership, SOLE_OWNERSHIP } from './ownership.js';
import { webhookChanges } from './previous-token.js';
import { damageOfReceivers } from './receiver-list.js';
import {
  definedOnly,
  hasMoved,
  newRecord,
  type RecordChanges,
  type RetentionChanges,
  requirePairable,
  requirePublicAddresses,
  requireReconnectable,
  type WebhookChanges,
  withKeptAddresses,
} from './record.js';
import type { RegistryOptions } from './registry-options.js';
import { Session, type SessionContext } from './session.js';
import { RETURNS } from './session-context.js';
import { Admission } from './waiting.js';

/** Pauses after failed logins. */
export const BACKOFF: RetryPolicy = { pausesMs: doubling(1_000, 60_000), endless: true, jitter: 0.25 };

/** The sessions of this node: creates, resumes, finds, changes, releases and ends them. All methods throw session_unknown. */
export class SessionRegistry {
  readonly #sessions = new Map<string, Session>();
  /** Starts in flight, so that two at once create one session. */
  readonly #starting = new Map<string, Promise<Session>>();
  /** Ends in flight, so that none deletes the session of a later start. */
  readonly #ending = new Map<string, Promise<{ warning?: string }>>();
  readonly #admission: Admission;
  /** Why the stored values of a session cannot be read. */
  readonly #damaged = new Map<string, string>();
  /** Sessions that were here and moved to another node. */
  readonly #elsewhere = new Set<string>();
  readonly #directory: SessionDirectory;
  readonly #ownership: Ownership;
  /** Changes of settings, by session. */
  readonly #changes = new KeyedLock();
  readonly #options;
  readonly #context: SessionContext;
  #stopped = false;

  constructor(options: RegistryOptions) {
    this.#options = options;
    const { ownership = SOLE_OWNERSHIP } = options;
    this.#ownership = ownership;
    this.#admission = new Admission(options.clock);
    this.#context = {
      backoff: BACKOFF,
      returns: RETURNS,
      ...options,
      admission: this.#admission,
      holds: (clientId) => ownership.holds(clientId),
      confirm: (clientId) => ownership.confirm(clientId),
    };
    const own = () => this.#sessions;
    this.#directory = new SessionDirectory({ ...options, shared: ownership.shared, own });
  }

  /** Loads all sessions of the store. */
  async restore(): Promise<Session[]> {
    const records = await this.#options.store.sessions.list();
    if (records.length > 0) await this.#options.links.load();
    return records.map((record) => this.#load(record));
  }

  /** Loads one session; undefined when it does not exist. It connects when `resume` is called. */
  async adopt(clientId: string): Promise<Session | undefined> {
    const record = await this.#options.store.sessions.get(clientId);
    if (record) await this.#options.links.load();
    // a session that is loaded during the stop would stay open
    if (!record || this.#stopped) return undefined;
    return this.#sessions.get(clientId) ?? this.#load(record);
  }

  /** The session of another node was deleted. */
  forgetElsewhere(clientId: string): void {
    this.#elsewhere.delete(clientId);
  }

  /** The session belongs to another node from now on. False when it did already, even if it has come back since. */
  release(session: Session): boolean {
    const { clientId } = session;
    if (this.#sessions.get(clientId) !== session) return false;
    this.#sessions.delete(clientId);
    this.#elsewhere.add(clientId);
    return true;
  }

  /** Creates or wakes a session; idempotent. Returns before it is connected. */
  async start(clientId: string, settings: StartSettings): Promise<SessionView> {
    const { session, isNew } = await this.create(clientId, settings);
    const { proxy, ...webhook } = settings;
    // an adoption that did not end left keys of another device
    if (!isNew && session.isUntouched) await dropLeftovers(this.#options, clientId);
    // before it connects: nothing of it may leave by another way
    if (proxy !== undefined) await this.#changeProxy(session, proxy ?? '');
    await session.start();
    if (!isNew) await this.#keepWebhook(session, webhook);
    return sessionView(session);
  }

  /** A session that this node holds, as it is, or new with these settings; it does not connect. */
  async create(
    clientId: string,
    { proxy, ...settings }: StartSettings,
  ): Promise<{ session: Session; isNew: boolean }> {
    requirePublicAddresses(settings, this.#options.allowPrivateUrls);
    await this.#ended(clientId);
    await this.#ownership.acquire(clientId);
    // before anything is done
    withKeptAddresses(this.#sessions.get(clientId)?.record, settings);
    const damage = this.#damaged.get(clientId);
    if (damage !== undefined) throw new GatewayError('store_damaged', reason('session_damaged', { damage }));
    const isNew = !this.#sessions.has(clientId) && !this.#starting.has(clientId);
    const session = this.#sessions.get(clientId) ?? (await this.#create(clientId, settings, proxy ?? ''));
    return { session, isNew };
  }

  /** The text inside the current QR code; empty unless the status is `qr`. */
  qr(clientId: string): { clientId: string; status: SessionStatus; qr: string } {
    const session = this.find(clientId);
    return { clientId, status: session.record.status, qr: session.qr };
  }

  /** An 8-character code as `ABCD-EFGH`. @throws session_already_paired, pairing_code_refused */
  async pairPhone(clientId: string, phone: string): Promise<string> {
    const session = this.find(clientId);
    requirePairable(session.record);
    const link = await session.pairingLink(LIMITS.connectionWaitMs);
    const code = await link.requestPairingCode(phone);
    return `${code.slice(0, 4)}-${code.slice(4)}`;
  }

  /** The step of the passkey ceremony; undefined while the network asks for none. */
  passkey(clientId: string): PasskeyState | undefined {
    return this.find(clientId).passkey;
  }

  async answerPasskey(clientId: string, assertion: WebAuthnAssertion): Promise<void> {
    await this.find(clientId).ceremonyLink().answerPasskey(assertion);
  }

  async confirmPasskey(clientId: string): Promise<void> {
    await this.find(clientId).ceremonyLink().confirmPasskey();
  }

  get(clientId: string): SessionView {
    return sessionView(this.find(clientId));
  }

  has(clientId: string): boolean {
    return this.#sessions.has(clientId);
  }

  /** The sessions of this node. */
  views(): SessionView[] {
    return this.all().map(sessionView);
  }

  /** The states of all sessions of this node, for figures of the whole node: cheap enough for every probe. */
  states() {
    return this.all().map(sessionState);
  }

  /** All sessions of all nodes, sorted by clientId; only one when it is named. @throws store_unavailable */
  list(only?: string): Promise<SessionView[]> {
    return this.#directory.list(only);
  }

  /** The sessions of this node; only one when it is named. */
  health(only?: string): SessionHealth[] {
    const sessions = this.all().filter(({ clientId }) => only === undefined || clientId === only);
    return sessions.map((session) => sessionHealth(session, this.#options));
  }

  /** Ends a pause, unless `webhookPaused` says why the webhook gets no calls. @throws invalid_request */
  async setWebhook(clientId: string, settings: WebhookChanges): Promise<SessionView> {
    requirePublicAddresses(settings, this.#options.allowPrivateUrls);
    const now = this.#options.clock.now();
    const view = await this.#update(clientId, (record) => ({
      webhookPaused: '',
      ...webhookChanges(record, settings, now),
    }));
    this.#options.parts.tell({ type: 'webhook', clientId });
    return view;
  }

  /** Pauses the webhook for what it did when it was called. Does nothing if it has another address meanwhile. */
  async pauseWebhook(clientId: string, url: string, code: PauseCode): Promise<void> {
    await this.#update(clientId, ({ webhookUrl }) => (webhookUrl === url ? { webhookPaused: code } : {}));
  }

  async setOrgId(clientId: string, orgId: string): Promise<SessionView> {
    const view = await this.#update(clientId, { orgId });
    this.#options.parts.tell({ type: 'workspace', clientId });
    return view;
  }

  /** Sets the API secret; an empty string removes it. @throws secret_taken if another session has it */
  setApiSecret(clientId: string, secret: string): Promise<SessionView> {
    const write = (apiSecretHash: string) => this.#update(clientId, { apiSecretHash });
    return secret ? this.#directory.giveSecret(clientId, secret, write) : write('');
  }

  setEnableGroupAi(clientId: string, enabled: boolean): Promise<SessionView> {
    return this.#update(clientId, { enableGroupAi: enabled });
  }

  setRejectCalls(clientId: string, enabled: boolean): Promise<SessionView> {
    return this.#update(clientId, { rejectCalls: enabled });
  }

  setRetention(clientId: string, keep: RetentionChanges): Promise<SessionView> {
    return this.#update(clientId, keep);
  }

  /** Replaces a live link, or one that is being tried. @param proxy its URL, with user and password; null for direct connections */
  async setProxy(clientId: string, proxy: string | null): Promise<SessionView> {
    const session = this.find(clientId);
    await this.#changeProxy(session, proxy ?? '');
    return sessionView(session);
  }

  /**
   * Closes a live link and connects again at once, without the pause before the next attempt. Returns before the session
   * is connected; sends in flight continue over the new link. @throws session_unpaired, session_terminal
   */
  async reconnect(clientId: string): Promise<SessionView> {
    const session = this.find(clientId);
    requireReconnectable(session.record);
    await session.reconnect();
    return sessionView(session);
  }

  /** Logs the device out and deletes everything of the session; returns a warning if the network did not confirm the logout. */
  disconnect(clientId: string): Promise<{ warning?: string }> {
    return this.#endOnce(clientId, (session) => session.logout());
  }

  /** As `disconnect`, but the device stays linked at the network. */
  async giveBack(clientId: string): Promise<void> {
    await this.#endOnce(clientId, async (session) => {
      await session.stop();
      return true;
    });
  }

  async #endOnce(
    clientId: string,
    leave: (session: Session) => Promise<boolean>,
  ): Promise<{ warning?: string }> {
    const underWay = this.#ending.get(clientId);
    if (underWay) return underWay;
    const ending = this.#end(this.find(clientId), leave).finally(() => this.#ending.delete(clientId));
    this.#ending.set(clientId, ending);
    return ending;
  }

  /** The sessions that an API secret opens, mostly one; compared in constant time. */
  sessionsOfSecret(secret: string): Promise<string[]> {
    return this.#directory.openedBy(secret);
  }

  /** @throws GatewayError session_unknown, session_elsewhere when it has just moved */
  find(clientId: string): Session {
    const session = this.#sessions.get(clientId);
    if (session) return session;
    if (this.#elsewhere.has(clientId)) throw hasMoved(clientId);
    throw unknownSession(clientId);
  }

  all(): Session[] {
    return [...this.#sessions.values()];
  }

  /** Closes all links; the next start opens them again. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#admission.clear();
    await Promise.all(this.all().map((session) => session.stop()));
  }

  async #end(session: Session, leave: (session: Session) => Promise<boolean>): Promise<{ warning?: string }> {
    const { clientId, hasCredentials: wasPaired } = session;
    const confirmed = await leave(session);
    try {
      await this.#options.parts.end(clientId);
      await this.#options.store.forget(clientId);
      this.#sessions.delete(clientId);
      await this.#ownership.ended(clientId);
    } catch (error) {
      // another node has the session, and knows nothing of this end
      if (this.#sessions.get(clientId) !== session) throw error;
      // the session can be ended again, or paired again
      const statusReason = writeReason(reason('not_deleted'));
      const statusSince = this.#options.clock.now();
      const rest = { ...session.record, status: 'logged_out' as const, statusReason, statusSince };
      this.#sessions.set(clientId, new Session(rest, this.#context));
      throw error;
    } finally {
      this.#options.parts.forget(clientId);
      this.#damaged.delete(clientId);
    }
    if (confirmed || !wasPaired) return {};
    return { warning: 'the network did not confirm the logout; remove the device on the phone too' };
  }

  /** Resolves when no end of the session is in flight. */
  async #ended(clientId: string): Promise<void> {
    for (let ending = this.#ending.get(clientId); ending; ending = this.#ending.get(clientId)) {
      await ending.catch(() => undefined);
    }
  }

  #load({ damage, ...record }: StoredSession): Session {
    const paired = record.jid !== '';
    const status = isTerminal(record.status) ? record.status : paired ? 'reconnecting' : 'initializing';
    const statusSince = status === record.status ? record.statusSince : this.#options.clock.now();
    const session = this.#keep({ ...record, status, statusSince });
    const reason = damage ?? damageOfReceivers(record);
    if (reason !== undefined) this.quarantine(session, reason);
    return session;
  }

  /** What is stored of a session cannot be read: it waits for an operator. Nothing of it is written. */
  quarantine(session: Session, damage: string): void {
    const { clientId, record } = session;
    this.#damaged.set(clientId, damage);
    const statusReason = writeReason(reason('data_damaged', { kind: 'found_at_load', damage }));
    Object.assign(record, { status: 'logged_out', statusReason, statusSince: this.#options.clock.now() });
    this.#options.log.error({ clientId, reason: damage }, 'the session is damaged');
  }

  #keep(record: SessionRecord): Session {
    const session = new Session(record, this.#context);
    this.#sessions.set(record.clientId, session);
    this.#elsewhere.delete(record.clientId);
    return session;
  }

  #create(clientId: string, settings: WebhookSettings, proxy: string): Promise<Session> {
    const underWay = this.#starting.get(clientId);
    if (underWay) return underWay;
    const { store, links, clock } = this.#options;
    const creation = links
      .load()
      .then(() => store.sessions.create(newRecord(clientId, settings, proxy, clock.now())))
      .then((record) => {
        // the write may have outlasted the lease
        if (!this.#ownership.holds(clientId)) throw hasMoved(clientId);
        return this.#keep(record);
      })
      .finally(() => this.#starting.delete(clientId));
    this.#starting.set(clientId, creation);
    return creation;
  }

  async #keepWebhook(session: Session, settings: WebhookSettings): Promise<void> {
    if (Object.keys(definedOnly(settings)).length === 0) return;
    const changes = webhookChanges(session.record, settings, this.#options.clock.now());
    await session.update(changes).catch((cause: unknown) => {
      // a session that was deleted meanwhile has not started
      if (isGatewayError(cause, 'session_unknown')) throw cause;
      throw new GatewayError('webhook_not_persisted', reason('webhook_not_kept'), { cause });
    });
  }

  async #changeProxy(session: Session, proxy: string): Promise<void> {
    if (session.record.proxy === proxy) return;
    await session.update({ proxy });
    const isTrying = session.link !== undefined || session.retryAt > 0;
    if (isTrying && !isTerminal(session.record.status)) await session.reconnect();
  }

  /** @param changes may depend on the record: changes of one session are made one after the other */
  #update(
    clientId: string,
    changes: RecordChanges | ((record: SessionRecord) => RecordChanges),
  ): Promise<SessionView> {
    return this.#changes.run(clientId, async () => {
      const session = this.find(clientId);
      await session.update(typeof changes === 'function' ? changes(session.record) : changes);
      return sessionView(session);
    });
  }
}
