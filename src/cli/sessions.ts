import type { SessionStatus } from '../domain/session.js';
import { CliError } from './cli-error.js';
import type { DaemonClient } from './client.js';
import type { ClientRow, HealthRow, HistoryAnswer, ListenerAnswer } from './wire.js';

/** A session as the commands show it. */
export interface SessionSummary {
  clientId: string;
  /** `elsewhere` when the daemon does not tell. */
  status: SessionStatus | 'elsewhere';
  /** Why it is in that status, for people; may be empty. */
  reason: string;
  jid: string;
  podName: string;
  orgId: string;
  webhookUrl: string;
  /** Who takes its events in place of the webhook; absent when nobody does. */
  listener?: ListenerAnswer;
}

/** A session with its state of health. */
export interface SessionDetails extends SessionSummary {
  connected: boolean;
  loggedIn: boolean;
  enableGroupAi: boolean;
  reconnects: number;
  /** RFC 3339, or empty. */
  connectedAt: string;
  lastDisconnect: string;
  /** RFC 3339, or empty. */
  lastStanzaAt: string;
  /** Of the past that the phone sends; absent while none has been heard of. */
  history?: HistoryAnswer;
}

/** Every session that the token can see, by name. */
export async function listSessions(client: DaemonClient): Promise<SessionSummary[]> {
  const rows = await client.clients();
  const health = await client.health(rows.map(({ clientId }) => clientId));
  const byName = (a: ClientRow, b: ClientRow) => a.clientId.localeCompare(b.clientId);
  return rows.sort(byName).map((row) => summary(row, find(health, row.clientId)));
}

/** @throws CliError `not_found` */
export async function showSession(client: DaemonClient, clientId: string): Promise<SessionDetails> {
  const row = find(await client.clients(), clientId);
  if (!row) {
    throw new CliError('not_found', `there is no session ${clientId}`, {
      suggestions: [
        'see which there are: switchboard sessions list',
        `pair it: switchboard pair ${clientId}`,
      ],
    });
  }
  return details(row, find(await client.health([clientId]), clientId));
}

function find<Row extends { clientId: string }>(rows: readonly Row[], clientId: string): Row | undefined {
  return rows.find((row) => row.clientId === clientId);
}

function summary(row: ClientRow, health: HealthRow | undefined): SessionSummary {
  const { clientId, jid, podName, orgId, webhookUrl, listener } = row;
  return {
    clientId,
    status: health?.status ?? row.status ?? 'elsewhere',
    reason: health?.reason ?? '',
    jid,
    podName,
    orgId,
    webhookUrl,
    ...(listener && { listener }),
  };
}

function details(row: ClientRow, health: HealthRow | undefined): SessionDetails {
  return {
    ...summary(row, health),
    connected: health?.connected ?? false,
    loggedIn: health?.loggedIn ?? row.jid !== '',
    enableGroupAi: health?.enableGroupAi ?? false,
    reconnects: health?.reconnects ?? 0,
    connectedAt: health?.connectedAt ?? '',
    lastDisconnect: health?.lastDisconnect ?? '',
    lastStanzaAt: health?.lastStanzaAt ?? '',
    ...(health?.history && { history: health.history }),
  };
}
