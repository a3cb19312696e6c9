import type { Client, SessionHealth } from '../../contract/index.js';
import type { SessionStatus } from '../../domain/session.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';
import { waitingText } from './failed.js';
import type { Paint, Style } from './output.js';
import type { GivenReason } from './reason-text.js';

export interface SessionSummary
  extends Omit<Client, 'status'>,
    Pick<SessionHealth, 'reasonCode' | 'reasonValues' | 'advice'> {
  /** Status of the session; `elsewhere` if its node does not answer. */
  status: SessionStatus | 'elsewhere';
  /** Reason of the status; may be empty. */
  reason: string;
}

export type SessionDetails = SessionSummary &
  Pick<
    SessionHealth,
    | 'connected'
    | 'loggedIn'
    | 'enableGroupAi'
    | 'rejectCalls'
    | 'reconnects'
    | 'connectedAt'
    | 'lastDisconnect'
    | 'lastDisconnectCode'
    | 'lastDisconnectValues'
    | 'lastStanzaAt'
    | 'history'
    | 'waiting'
    | 'webhookPaused'
    | 'receivers'
  >;

/** All sessions that the token may see, sorted by name. */
export async function listSessions(client: DaemonClient): Promise<SessionSummary[]> {
  const { clients: rows } = await client.listClients();
  const health = await healthOf(
    client,
    rows.map(({ clientId }) => clientId),
  );
  const byName = (a: Client, b: Client) => a.clientId.localeCompare(b.clientId);
  return rows.sort(byName).map((row) => summary(row, find(health, row.clientId)));
}

/** @throws CliError `not_found` */
export async function showSession(client: DaemonClient, clientId: string): Promise<SessionDetails> {
  const row = await requireSession(client, clientId);
  return details(row, find(await healthOf(client, [clientId]), clientId));
}

/** The error for a session that does not exist. */
export function noSession(clientId: string): CliError {
  return new CliError('not_found', `there is no session ${clientId}`, {
    suggestions: ['list the sessions: switchboard sessions list', `pair it: switchboard pair ${clientId}`],
  });
}

/** @throws CliError `not_found` */
export async function requireSession(client: DaemonClient, clientId: string): Promise<Client> {
  const row = find((await client.listClients()).clients, clientId);
  if (!row) throw noSession(clientId);
  return row;
}

/**
 * Health of the wanted sessions, and possibly of others. Asks all nodes if the one that answers does not hold all of
 * them. Leaves out sessions whose node does not answer.
 */
export async function healthOf(client: DaemonClient, wanted: readonly string[]): Promise<SessionHealth[]> {
  const { clients } = await client.getClientsHealth();
  const known = new Set(clients.map(({ clientId }) => clientId));
  if (wanted.every((clientId) => known.has(clientId))) return clients;
  const fleet = client.getFleet({ clientId: wanted.length === 1 ? wanted[0] : undefined });
  return fleet.then(({ sessions }) => sessions).catch(() => clients);
}

function find<Row extends { clientId: string }>(rows: readonly Row[], clientId: string): Row | undefined {
  return rows.find((row) => row.clientId === clientId);
}

function summary(row: Client, health: SessionHealth | undefined): SessionSummary {
  const { clientId, jid, podName, orgId, webhookUrl, extraEvents, retry, listener, proxy, ...kept } = row;
  return {
    clientId,
    status: health?.status ?? row.status ?? 'elsewhere',
    reason: health?.reason ?? '',
    reasonCode: health?.reasonCode || undefined,
    reasonValues: health?.reasonValues,
    advice: health?.advice,
    jid,
    podName,
    orgId,
    webhookUrl,
    extraEvents,
    retry,
    listener,
    proxy,
    retentionDays: kept.retentionDays,
    keepEvents: kept.keepEvents,
  };
}

function details(row: Client, health: SessionHealth | undefined): SessionDetails {
  return {
    ...summary(row, health),
    connected: health?.connected ?? false,
    loggedIn: health?.loggedIn ?? row.jid !== '',
    enableGroupAi: health?.enableGroupAi ?? false,
    rejectCalls: health?.rejectCalls ?? false,
    reconnects: health?.reconnects ?? 0,
    connectedAt: health?.connectedAt ?? '',
    lastDisconnect: health?.lastDisconnect ?? '',
    lastDisconnectCode: health?.lastDisconnectCode || undefined,
    lastDisconnectValues: health?.lastDisconnectValues,
    lastStanzaAt: health?.lastStanzaAt ?? '',
    history: health?.history,
    waiting: health?.waiting,
    webhookPaused: health?.webhookPaused || undefined,
    receivers: health?.receivers,
  };
}

/** Why the link ended last, as an answer says it. */
export function lastDisconnectOf({
  lastDisconnect,
  lastDisconnectCode,
  lastDisconnectValues,
}: Pick<SessionHealth, 'lastDisconnect' | 'lastDisconnectCode' | 'lastDisconnectValues'>): GivenReason {
  return { reason: lastDisconnect, reasonCode: lastDisconnectCode, reasonValues: lastDisconnectValues };
}

/** Describes the retention of a session; null means the setting of the daemon. */
export function retentionText(days: number | null): string {
  if (days === null) return 'as the daemon is set';
  if (days === 0) return 'for ever';
  return days === 1 ? '1 day' : `${days} days`;
}

/** The receivers beside the webhook, such as `2, 3 (paused: it answered 410)`. */
export function receiversText(receivers: NonNullable<SessionHealth['receivers']>): string {
  return receivers
    .map(({ id, paused, waiting }) => {
      const states = [...(paused ? [`paused: ${paused}`] : []), ...(waiting ? [waitingText(waiting)] : [])];
      return states.length > 0 ? `${id} (${states.join('; ')})` : id;
    })
    .join(', ');
}

/** A proxy without its credentials. */
export function proxyText({ kind, host, port }: NonNullable<Client['proxy']>): string {
  return `${kind}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

const STYLES: Readonly<Record<SessionSummary['status'], Style>> = {
  initializing: 'yellow',
  qr: 'yellow',
  connected: 'green',
  reconnecting: 'yellow',
  logged_out: 'red',
  replaced: 'red',
  banned: 'red',
  elsewhere: 'dim',
};

/** Colours a status: green works, yellow is in progress, red needs an operator. */
export function paintStatus(status: SessionSummary['status'], paint: Paint): string {
  return paint(STYLES[status] ?? 'dim', status);
}

/** The given session, or the only one. @throws CliError `usage` if there are several */
export async function chooseSession(client: DaemonClient, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const clientIds = (await client.listClients()).clients.map(({ clientId }) => clientId).sort();
  const [only, ...others] = clientIds;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) {
    throw new CliError('not_found', 'there are no sessions yet', {
      suggestions: ['pair one: switchboard pair CLIENTID'],
    });
  }
  throw new CliError('usage', 'there are several sessions: choose one with --session', {
    suggestions: [clientIds.join(', ')],
  });
}
