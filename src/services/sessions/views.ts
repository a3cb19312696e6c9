import { formatJid } from '../../domain/address.js';
import type { HistoryProgress, SessionHealth, SessionView } from '../services.js';
import type { Session } from './session.js';

/** Proof of traffic older than this (milliseconds) is no proof: pings are answered far more often. */
const PROOF_MAX_AGE_MS = 60_000;

/** A session as the API shows it: own jid without device, no secrets. */
export function sessionView({ record }: Pick<Session, 'record'>): SessionView {
  return {
    clientId: record.clientId,
    status: record.status,
    reason: record.statusReason,
    jid: record.pn ? formatJid({ kind: 'pn', user: record.pn }) : '',
    orgId: record.orgId,
    webhookUrl: record.webhookUrl,
    pollLookupUrl: record.pollLookupUrl,
    enableGroupAi: record.enableGroupAi,
    extraEvents: record.extraEvents,
    hasSecret: record.apiSecretHash !== '',
  };
}

/** A session's health: connected only on proof of traffic, never on a flag alone. */
export function sessionHealth(
  session: Session,
  now: number,
  openJournal: number,
  history: HistoryProgress | undefined,
): SessionHealth {
  const { record } = session;
  const vitals = session.link?.vitals();
  const provenAt = Math.max(vitals?.lastStanzaAt ?? 0, vitals?.lastPongAt ?? 0);
  return {
    clientId: record.clientId,
    jid: sessionView(session).jid,
    status: record.status,
    reason: record.statusReason,
    since: rfc3339(record.statusSince),
    connected: record.status === 'connected' && now - provenAt < PROOF_MAX_AGE_MS,
    loggedIn: session.isPaired,
    enableGroupAi: record.enableGroupAi,
    reconnects: session.reconnects,
    connectedAt: rfc3339(session.connectedAt),
    lastDisconnect: session.lastDisconnect,
    lastStanzaAt: rfc3339(vitals?.lastStanzaAt ?? 0),
    retryAt: rfc3339(session.retryAt),
    openJournal,
    ...(history && { history }),
  };
}

function rfc3339(at: number): string {
  return at ? new Date(at).toISOString() : '';
}
