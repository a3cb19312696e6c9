import type { SessionStatusEvent } from '../../../contract/events/catalogue.js';
import type { Client, SessionHealth } from '../../../contract/index.js';
import { plainLine } from '../../../domain/text.js';
import { type GivenReason, reasonText } from '../reason-text.js';
import { healthOf } from '../sessions.js';
import { CoalescedLoad } from './coalesced.js';
import { type InboxContext, isPassing } from './context.js';
import type { InboxState, SessionItem } from './model.js';

/** Keeps the sessions in sync with the daemon. */
export class SessionBoard {
  readonly #context: InboxContext;
  readonly #loading: CoalescedLoad;

  constructor(context: InboxContext) {
    this.#context = context;
    this.#loading = new CoalescedLoad({
      load: () => this.#load(),
      failed: (error) => isPassing(context, error),
      clock: context.clock,
      signal: context.signal,
    });
  }

  /** Resolves after a reload. */
  refresh(): Promise<void> {
    this.#loading.hurry();
    return this.#loading.request();
  }

  /** Applies a new status; reloads if the session is new or was just linked. */
  statusChanged(event: SessionStatusEvent): void {
    const known = this.#context.box.state.sessions.find(({ clientId }) => clientId === event.clientId);
    this.#context.box.update((state) => withStatus(state, event));
    if (!known?.jid || known.orgId !== event.orgId || event.status === 'connected') {
      void this.#loading.request();
    }
  }

  async #load(): Promise<void> {
    const { client, box } = this.#context;
    const { clients: rows } = await client.listClients();
    const health = await healthOf(
      client,
      rows.map(({ clientId }) => clientId),
    );
    box.update((state) => withSessions(state, sessionItems(rows, health)));
  }
}

/** Joins `/clients` and `/health/clients`, sorted by name. */
function sessionItems(rows: readonly Client[], health: readonly SessionHealth[]): SessionItem[] {
  return rows
    .map((row) =>
      sessionItem(
        row,
        health.find(({ clientId }) => clientId === row.clientId),
      ),
    )
    .sort((a, b) => a.clientId.localeCompare(b.clientId));
}

/** Replaces the sessions. If the selected one is gone, selects another. */
function withSessions(state: InboxState, sessions: readonly SessionItem[]): InboxState {
  const isThere = sessions.some(({ clientId }) => clientId === state.clientId);
  if (isThere) return { ...state, sessions, loadingSessions: false };
  const best = sessions.find(({ status }) => status === 'connected') ?? sessions[0];
  return { ...showing(state, best?.clientId), sessions, loadingSessions: false };
}

/** Selects a session; its rooms are loading. */
export function showing(state: InboxState, clientId: string | undefined): InboxState {
  if (state.clientId === clientId) return state;
  return { ...state, clientId, rooms: [], loadingRooms: true, conversation: undefined };
}

/** Applies a status; ignores unknown sessions. */
function withStatus(state: InboxState, event: SessionStatusEvent): InboxState {
  const { clientId, status } = event;
  if (!state.sessions.some((session) => session.clientId === clientId)) return state;
  const sessions = state.sessions.map((session) =>
    session.clientId === clientId
      ? { ...session, status, reason: reasonOf(status, event, clientId) }
      : session,
  );
  return { ...state, sessions };
}

function reasonOf(status: SessionItem['status'], given: GivenReason, clientId: string): string {
  return status === 'connected' ? '' : plainLine(reasonText(given, clientId));
}

function sessionItem(row: Client, health: SessionHealth | undefined): SessionItem {
  const { clientId, jid, orgId } = row;
  // the node of this session does not answer
  const status = health?.status ?? row.status ?? 'reconnecting';
  return {
    clientId: plainLine(clientId),
    status,
    reason: reasonOf(status, health ?? {}, clientId),
    jid: plainLine(jid),
    orgId: plainLine(orgId),
  };
}
