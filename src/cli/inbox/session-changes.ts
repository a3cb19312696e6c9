import type { SessionStatusEvent } from '../../events/session-status.js';
import { plainLine } from '../plain-text.js';
import type { ClientRow, HealthRow } from '../wire.js';
import type { InboxState, SessionItem } from './model.js';

/** The rows of `/clients` and `/health/clients` as one list, by name. */
export function sessionItems(rows: readonly ClientRow[], health: readonly HealthRow[]): SessionItem[] {
  return rows
    .map((row) =>
      sessionItem(
        row,
        health.find(({ clientId }) => clientId === row.clientId),
      ),
    )
    .sort((a, b) => a.clientId.localeCompare(b.clientId));
}

/** All sessions anew. A shown session that is gone gives its place to another. */
export function withSessions(state: InboxState, sessions: readonly SessionItem[]): InboxState {
  const isThere = sessions.some(({ clientId }) => clientId === state.clientId);
  if (isThere) return { ...state, sessions };
  const best = sessions.find(({ status }) => status === 'connected') ?? sessions[0];
  return { ...showing(state, best?.clientId), sessions };
}

/** The state with another session's rooms to come. */
export function showing(state: InboxState, clientId: string | undefined): InboxState {
  if (state.clientId === clientId) return state;
  return { ...state, clientId, rooms: [], loadingRooms: true, conversation: undefined };
}

/** A session has another status. One that is not known yet changes nothing. */
export function withStatus(state: InboxState, { clientId, status, reason }: SessionStatusEvent): InboxState {
  if (!state.sessions.some((session) => session.clientId === clientId)) return state;
  const sessions = state.sessions.map((session) =>
    session.clientId === clientId ? { ...session, status, reason: reasonOf(status, reason) } : session,
  );
  return { ...state, sessions };
}

function sessionItem(row: ClientRow, health: HealthRow | undefined): SessionItem {
  const { clientId, jid, orgId } = row;
  // of a session of another node that does not answer nothing else is known
  const status = health?.status ?? row.status ?? 'reconnecting';
  return {
    clientId: plainLine(clientId),
    status,
    reason: reasonOf(status, health?.reason ?? ''),
    jid: plainLine(jid),
    orgId: plainLine(orgId),
  };
}

function reasonOf(status: SessionItem['status'], reason: string): string {
  return status === 'connected' ? '' : plainLine(reason);
}
