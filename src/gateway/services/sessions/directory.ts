import type { Client, SessionHealth } from '../../../contract/index.js';
import { formatJid } from '../../../domain/address.js';
import { type Clock, wait } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { pauseText } from '../../../domain/pauses.js';
import { shownProxy } from '../../../domain/proxy.js';
import { type Reason, readReason, textOf, toFields } from '../../../domain/reasons.js';
import { withoutCredentials } from '../../../domain/url-credentials.js';
import type { SessionRecord, SessionStore } from '../../store/store.js';
import { type ApiSecretHasher, markOf } from './api-secret.js';
import { othersOf } from './receiver-list.js';
import type { Session } from './session.js';
import type { SessionParts } from './session-parts.js';

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

/** The state of a session for figures of the whole node. */
export interface SessionState extends Pick<SessionHealth, 'status' | 'connected' | 'rejectCalls'> {
  hasProxy: boolean;
}

/** Milliseconds between two reads of all secrets: a caller that tries wrong ones must not keep the store busy. */
const READ_MS = 1_000;
/** Milliseconds after which secrets are read again in the background of a request: sessions of other nodes may have new ones. */
const OUTDATED_MS = 10_000;

/** All sessions, of this node and of others. */
export class SessionDirectory {
  readonly #options;
  readonly #secrets = new KeyedLock();
  #known: readonly SessionRecord[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  constructor(options: {
    store: { sessions: Pick<SessionStore, 'get' | 'list'> };
    /** The sessions of this node, whose records are newer than those of the store. */
    own(): ReadonlyMap<string, Session>;
    /** Other nodes may hold sessions of the same store. */
    shared: boolean;
    hasher: ApiSecretHasher;
    clock: Clock;
  }) {
    this.#options = options;
  }

  /** All sessions, sorted by clientId, or only the named one. @throws GatewayError store_unavailable */
  async list(only?: string): Promise<SessionView[]> {
    const { own, shared } = this.#options;
    const records = new Map<string, SessionRecord>();
    for (const record of shared ? await this.#stored(only) : []) records.set(record.clientId, record);
    for (const { record } of own().values()) records.set(record.clientId, record);
    const sharing = only === undefined ? sharedSecrets([...records.values()]) : undefined;
    return [...records.values()]
      .filter(({ clientId }) => only === undefined || clientId === only)
      .sort((a, b) => (a.clientId < b.clientId ? -1 : 1))
      .map((record) => {
        const others = sharing?.get(record.clientId);
        return { ...sessionView({ record }), ...(others && { secretSharedWith: others }) };
      });
  }

  /** The sessions that a per-session secret opens, mostly one. @throws GatewayError store_unavailable */
  async openedBy(secret: string): Promise<string[]> {
    const { own, shared, hasher, clock } = this.#options;
    const matches = hasher.matcher(secret);
    // compare all secrets: the time must not reveal the position of the session
    const among = (records: readonly SessionRecord[]) =>
      records.flatMap(({ clientId, apiSecretHash }) => (matches(apiSecretHash) ? [clientId] : []));
    const here = among([...own().values()].map(({ record }) => record));
    if (!shared) return here;
    const elsewhere = () => among(this.#known).filter((clientId) => !own().has(clientId));
    const isUnknown = here.length === 0 && elsewhere().length === 0;
    if (isUnknown) await this.#refresh();
    else if (clock.now() - this.#readAt > OUTDATED_MS) this.#refresh().catch(() => undefined);
    const opened = [...here];
    for (const clientId of elsewhere()) {
      // the session's node may have changed the secret since
      const record = await this.#options.store.sessions.get(clientId);
      if (record && matches(record.apiSecretHash)) opened.push(clientId);
    }
    return opened;
  }

  /**
   * Gives a secret to one session.
   * @param write stores its hash
   * @throws GatewayError secret_taken, store_unavailable
   */
  giveSecret<T>(clientId: string, secret: string, write: (hash: string) => Promise<T>): Promise<T> {
    // one change at a time: two sessions that get the same secret at once must not both pass
    return this.#secrets.run('', async () => {
      const others = (await this.openedBy(secret)).filter((opened) => opened !== clientId);
      if (others.length === 0) return write(this.#options.hasher.hash(secret));
      throw new GatewayError('secret_taken', 'secret: another session has it; choose another one');
    });
  }

  async #stored(only: string | undefined): Promise<SessionRecord[]> {
    const { sessions } = this.#options.store;
    if (only === undefined) return sessions.list();
    const record = await sessions.get(only);
    return record ? [record] : [];
  }

  /** Reads all sessions again, at most once in `READ_MS`; callers share one read. */
  #refresh(): Promise<void> {
    this.#refreshing ??= this.#readAll().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #readAll(): Promise<void> {
    const { clock, store } = this.#options;
    await wait(clock, Math.max(0, this.#readAt + READ_MS - clock.now()));
    this.#readAt = clock.now();
    this.#known = (await store.sessions.list()).filter(({ apiSecretHash }) => apiSecretHash !== '');
  }
}

/** Most sessions to name for a shared secret: naming all would make the answer grow quadratically. */
const SHARING_SHOWN = 10;

/** Other sessions with the same secret, by session; earlier releases allowed that. */
function sharedSecrets(records: readonly SessionRecord[]): Map<string, string[]> {
  const byMark = new Map<string, string[]>();
  for (const { clientId, apiSecretHash } of records) {
    const known = byMark.get(markOf(apiSecretHash));
    if (!known) byMark.set(markOf(apiSecretHash), [clientId]);
    else if (known.length <= SHARING_SHOWN) known.push(clientId);
  }
  const shared = new Map<string, string[]>();
  for (const { clientId, apiSecretHash } of records) {
    const others = (byMark.get(markOf(apiSecretHash)) ?? []).filter((other) => other !== clientId);
    if (apiSecretHash !== '' && others.length > 0) shared.set(clientId, others.slice(0, SHARING_SHOWN));
  }
  return shared;
}

/** Milliseconds after which an answered ping or a stanza no longer proves a connection: pings are far more frequent. */
const PROOF_MAX_AGE_MS = 60_000;

/** True only with recent proof of traffic, because a status alone can be outdated. */
function isConnected({ record, link }: Session): boolean {
  return (
    record.status === 'connected' && (link?.vitals().silentMs ?? Number.POSITIVE_INFINITY) < PROOF_MAX_AGE_MS
  );
}

/** The own jid without the device; empty before a number is linked. */
function jidOf({ pn }: SessionRecord): string {
  return pn ? formatJid({ kind: 'pn', user: pn }) : '';
}

/** A session as the API shows it: own jid without device, no secrets. */
export function sessionView({ record }: Pick<Session, 'record'>): SessionView {
  const proxy = shownProxy(record.proxy);
  return {
    clientId: record.clientId,
    status: record.status,
    reason: readReason(record.statusReason),
    jid: jidOf(record),
    orgId: record.orgId,
    webhookUrl: withoutCredentials(record.webhookUrl),
    pollLookupUrl: withoutCredentials(record.pollLookupUrl),
    enableGroupAi: record.enableGroupAi,
    rejectCalls: record.rejectCalls,
    ...(record.retry === 'durable' && { retry: record.retry }),
    ...(record.webhookPaused && { webhookPaused: pauseText(record.webhookPaused) }),
    ...(record.previousToken && { previousTokenUntil: rfc3339(record.previousTokenUntil) }),
    extraEvents: record.extraEvents,
    ...(proxy && { proxy }),
    ...(record.retentionDays !== null && { retentionDays: record.retentionDays }),
    ...(record.keepEvents > 0 && { keepEvents: record.keepEvents }),
    hasSecret: record.apiSecretHash !== '',
  };
}

/** A session as figures of the whole node count it. */
export function sessionState(session: Session): SessionState {
  const { status, proxy, rejectCalls } = session.record;
  return { status, connected: isConnected(session), hasProxy: proxy !== '', rejectCalls };
}

/** A session's health. */
export function sessionHealth(
  session: Session,
  { parts }: { parts: Pick<SessionParts, 'health' | 'waiting'> },
): SessionHealth {
  const { record, clientId, lastDisconnect } = session;
  const { openJournal, history, restriction, warning } = parts.health(clientId);
  const waiting = parts.waiting(clientId);
  const receivers = receiversHealth(record, parts);
  return {
    clientId,
    jid: jidOf(record),
    status: record.status,
    ...toFields(session.reason, clientId),
    since: rfc3339(record.statusSince),
    connected: isConnected(session),
    loggedIn: session.isPaired,
    enableGroupAi: record.enableGroupAi,
    rejectCalls: record.rejectCalls,
    reconnects: session.reconnects,
    connectedAt: rfc3339(session.connectedAt),
    lastDisconnect: lastDisconnect ? textOf(lastDisconnect) : '',
    ...(lastDisconnect && {
      lastDisconnectCode: lastDisconnect.code,
      lastDisconnectValues: lastDisconnect.values,
    }),
    lastStanzaAt: rfc3339(session.link?.vitals().lastStanzaAt ?? 0),
    retryAt: rfc3339(session.retryAt),
    ...(record.exportedAt > 0 && { exportedAt: rfc3339(record.exportedAt) }),
    openJournal,
    ...(history && { history }),
    ...(restriction && { restriction }),
    ...(warning && { warning }),
    ...(waiting && { waiting }),
    ...(record.webhookPaused && { webhookPaused: pauseText(record.webhookPaused) }),
    ...(receivers.length > 0 && { receivers }),
  };
}

function receiversHealth(record: SessionRecord, parts: Pick<SessionParts, 'waiting'>) {
  return othersOf(record).map(({ id, paused }) => {
    const waiting = parts.waiting(record.clientId, id);
    return { id, ...(paused && { paused }), ...(waiting && { waiting }) };
  });
}

function rfc3339(at: number): string {
  return at ? new Date(at).toISOString() : '';
}
