import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import { isTerminal, type SessionStatus } from '../../domain/session.js';
import type { LinkEvent, LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { HistoryProgress, SessionHealth, Sessions, SessionView, WebhookSettings } from '../services.js';
import { Admission } from './admission.js';
import type { ApiSecretHasher } from './api-secret.js';
import { type BackoffOptions, DEFAULT_BACKOFF } from './backoff.js';
import { SessionDirectory } from './directory.js';
import { type Residence, SOLE_RESIDENCE } from './residence.js';
import { Session, type SessionContext } from './session.js';
import { sessionHealth, sessionView } from './views.js';

export interface SessionsOptions {
  store: Store;
  links: LinkFactory;
  clock: Clock;
  log: Logger;
  hasher: ApiSecretHasher;
  backoff?: BackoffOptions;
  onStatus(session: Session, previous: SessionStatus): void;
  onLinkEvent(session: Session, event: LinkEvent): void;
  /** Resolves when nothing of an ended session is on its way any more, or it has had time enough. */
  settled(clientId: string): Promise<void>;
  /** All sessions are this node's when it is not given. */
  residence?: Residence;
  /** Told when a session's data are gone. */
  onForgotten(clientId: string): void;
  /** Messages of a session that are decrypted but not announced. */
  openJournal(clientId: string): number;
  /** How far a session's past has come in; undefined while none has been heard of. */
  history(clientId: string): HistoryProgress | undefined;
}

/** The sessions of this node: made, taken up, found, changed, given away and ended here. */
export class SessionRegistry implements Sessions {
  readonly #sessions = new Map<string, Session>();
  /** Starts under way, so that two at once make one session. */
  readonly #starting = new Map<string, Promise<Session>>();
  /** Ends under way, so that none takes away what a start after it has made. */
  readonly #ending = new Map<string, Promise<{ warning?: string }>>();
  readonly #admission = new Admission();
  /** Sessions that were here and are another node's now. */
  readonly #elsewhere = new Set<string>();
  readonly #directory: SessionDirectory;
  readonly #residence: Residence;
  readonly #options: SessionsOptions;
  readonly #context: SessionContext;
  #stopped = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
    const { residence = SOLE_RESIDENCE } = options;
    this.#residence = residence;
    this.#context = {
      backoff: DEFAULT_BACKOFF,
      ...options,
      admission: this.#admission,
      holds: (clientId) => residence.holds(clientId),
      confirm: (clientId) => residence.confirm(clientId),
    };
    this.#directory = new SessionDirectory({
      ...options,
      shared: residence.shared,
      own: () => this.#sessions,
    });
  }

  /** Takes up everything that the store holds. */
  async restore(): Promise<Session[]> {
    return (await this.#options.store.sessions.list()).map((record) => this.#takeUp(record));
  }

  /** Takes up one session, if there is such a one. Nothing connects until it is told to `resume`. */
  async adopt(clientId: string): Promise<Session | undefined> {
    const record = await this.#options.store.sessions.get(clientId);
    // what is taken up while all is being closed would stay open
    if (!record || this.#stopped) return undefined;
    return this.#sessions.get(clientId) ?? this.#takeUp(record);
  }

  /** The session that was another node's does not exist any more. */
  forgetElsewhere(clientId: string): void {
    this.#elsewhere.delete(clientId);
  }

  /** The session is another node's from now on. False when it was so already, even if it has come back since. */
  giveUp(session: Session): boolean {
    const { clientId } = session;
    if (this.#sessions.get(clientId) !== session) return false;
    this.#sessions.delete(clientId);
    this.#elsewhere.add(clientId);
    return true;
  }

  async start(clientId: string, settings: WebhookSettings): Promise<SessionView> {
    await this.#ended(clientId);
    await this.#residence.acquire(clientId);
    const creates = !this.#sessions.has(clientId) && !this.#starting.has(clientId);
    const session = this.#sessions.get(clientId) ?? (await this.#create(clientId, settings));
    await session.start();
    if (!creates) await this.#keepWebhook(session, settings);
    return sessionView(session);
  }

  qr(clientId: string): { clientId: string; status: SessionStatus; qr: string } {
    const session = this.find(clientId);
    return { clientId, status: session.record.status, qr: session.qr };
  }

  async pairPhone(clientId: string, phone: string): Promise<string> {
    const link = await this.find(clientId).pairingLink(LIMITS.connectionWaitMs);
    const code = await link.requestPairingCode(phone);
    return `${code.slice(0, 4)}-${code.slice(4)}`;
  }

  get(clientId: string): SessionView {
    return sessionView(this.find(clientId));
  }

  has(clientId: string): boolean {
    return this.#sessions.has(clientId);
  }

  /** Of the sessions of this node. */
  views(): SessionView[] {
    return this.all().map(sessionView);
  }

  list(only?: string): Promise<SessionView[]> {
    return this.#directory.list(only);
  }

  health(): SessionHealth[] {
    const now = this.#options.clock.now();
    const { openJournal, history } = this.#options;
    return this.all().map((session) => {
      const { clientId } = session;
      return sessionHealth(session, now, openJournal(clientId), history(clientId));
    });
  }

  async setWebhook(
    clientId: string,
    settings: WebhookSettings & { webhookUrl: string },
  ): Promise<SessionView> {
    return this.#update(clientId, definedOnly(settings));
  }

  setOrgId(clientId: string, orgId: string): Promise<SessionView> {
    return this.#update(clientId, { orgId });
  }

  setApiSecret(clientId: string, secret: string): Promise<SessionView> {
    return this.#update(clientId, { apiSecretHash: secret ? this.#options.hasher.hash(secret) : '' });
  }

  setEnableGroupAi(clientId: string, enabled: boolean): Promise<SessionView> {
    return this.#update(clientId, { enableGroupAi: enabled });
  }

  async reconnect(clientId: string): Promise<SessionView> {
    const session = this.find(clientId);
    await session.reconnect();
    return sessionView(session);
  }

  async disconnect(clientId: string): Promise<{ warning?: string }> {
    const underWay = this.#ending.get(clientId);
    if (underWay) return underWay;
    const ending = this.#end(this.find(clientId)).finally(() => this.#ending.delete(clientId));
    this.#ending.set(clientId, ending);
    return ending;
  }

  sessionOfSecret(secret: string): Promise<string | undefined> {
    return this.#directory.ofSecret(secret);
  }

  /** The session itself. @throws GatewayError session_unknown, session_elsewhere when it has just moved */
  find(clientId: string): Session {
    const session = this.#sessions.get(clientId);
    if (session) return session;
    if (this.#elsewhere.has(clientId)) throw hasMoved(clientId);
    throw new GatewayError('session_unknown', `unknown clientId ${clientId}; call /start first`);
  }

  all(): Session[] {
    return [...this.#sessions.values()];
  }

  /** Closes all links; everything comes back at the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#admission.clear();
    await Promise.all(this.all().map((session) => session.stop()));
  }

  async #end(session: Session): Promise<{ warning?: string }> {
    const { clientId, isPaired: wasPaired } = session;
    const confirmed = await session.logout();
    try {
      await this.#options.settled(clientId);
      await this.#options.store.forget(clientId);
      this.#sessions.delete(clientId);
      await this.#residence.ended(clientId);
    } catch (error) {
      // another node has it by now, and knows nothing of this
      if (this.#sessions.get(clientId) !== session) throw error;
      // it can be ended again, or paired anew
      const statusReason = 'It was disconnected, but not deleted: the store could not be reached.';
      const statusSince = this.#options.clock.now();
      const rest = { ...session.record, status: 'logged_out' as const, statusReason, statusSince };
      this.#sessions.set(clientId, new Session(rest, this.#context));
      throw error;
    } finally {
      this.#options.onForgotten(clientId);
    }
    if (confirmed || !wasPaired) return {};
    return { warning: 'the network did not confirm the logout; remove the device on the phone too' };
  }

  /** Resolves when nothing of the session is being ended. */
  async #ended(clientId: string): Promise<void> {
    for (let ending = this.#ending.get(clientId); ending; ending = this.#ending.get(clientId)) {
      await ending.catch(() => undefined);
    }
  }

  #takeUp(record: SessionRecord): Session {
    const paired = record.jid !== '';
    const status = isTerminal(record.status) ? record.status : paired ? 'reconnecting' : 'initializing';
    const statusSince = status === record.status ? record.statusSince : this.#options.clock.now();
    return this.#keep({ ...record, status, statusSince });
  }

  #keep(record: SessionRecord): Session {
    const session = new Session(record, this.#context);
    this.#sessions.set(record.clientId, session);
    this.#elsewhere.delete(record.clientId);
    return session;
  }

  #create(clientId: string, settings: WebhookSettings): Promise<Session> {
    const underWay = this.#starting.get(clientId);
    if (underWay) return underWay;
    const creation = this.#options.store.sessions
      .create(newRecord(clientId, settings, this.#options.clock.now()))
      .then((record) => {
        // it took so long that another node may have it
        if (!this.#residence.holds(clientId)) throw hasMoved(clientId);
        return this.#keep(record);
      })
      .finally(() => this.#starting.delete(clientId));
    this.#starting.set(clientId, creation);
    return creation;
  }

  async #keepWebhook(session: Session, settings: WebhookSettings): Promise<void> {
    const changes = definedOnly(settings);
    if (Object.keys(changes).length === 0) return;
    await session.update(changes).catch((cause: unknown) => {
      const message = 'session started, but the webhook could not be persisted; call /set-webhook';
      throw new GatewayError('webhook_not_persisted', message, { cause });
    });
  }

  async #update(clientId: string, changes: Partial<Omit<SessionRecord, 'clientId'>>): Promise<SessionView> {
    const session = this.find(clientId);
    await session.update(changes);
    return sessionView(session);
  }
}

function hasMoved(clientId: string): GatewayError {
  return new GatewayError('session_elsewhere', `session ${clientId} has moved to another node; ask again`);
}

function newRecord(clientId: string, settings: WebhookSettings, createdAt: number): SessionRecord {
  return {
    clientId,
    lid: '',
    pn: '',
    jid: '',
    name: '',
    orgId: '',
    webhookUrl: '',
    webhookToken: '',
    pollLookupUrl: '',
    enableGroupAi: false,
    extraEvents: [],
    apiSecretHash: '',
    status: 'initializing',
    statusReason: '',
    statusSince: createdAt,
    createdAt,
    ...definedOnly(settings),
  };
}

function definedOnly(settings: WebhookSettings): Partial<WebhookSettings> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
