import type { SessionStatusEvent } from '../../events/session-status.js';
import { Coalesced } from './coalesced.js';
import { type InboxContext, isPassing } from './context.js';
import { sessionItems, withSessions, withStatus } from './session-changes.js';

/** The sessions, kept as the daemon has them. */
export class SessionBoard {
  readonly #context: InboxContext;
  readonly #loading: Coalesced;

  constructor(context: InboxContext) {
    this.#context = context;
    this.#loading = new Coalesced({
      load: () => this.#load(),
      failed: (error) => isPassing(context, error),
      clock: context.clock,
      signal: context.signal,
    });
  }

  /** Resolves when they have been read again. */
  refresh(): Promise<void> {
    this.#loading.hurry();
    return this.#loading.request();
  }

  /** A session is in another status; one that is new, or has just been linked, is looked at more closely. */
  statusChanged(event: SessionStatusEvent): void {
    const known = this.#context.box.state.sessions.find(({ clientId }) => clientId === event.clientId);
    this.#context.box.update((state) => withStatus(state, event));
    if (!known?.jid || known.orgId !== event.orgId || event.status === 'connected') {
      void this.#loading.request();
    }
  }

  async #load(): Promise<void> {
    const { client, box } = this.#context;
    const rows = await client.clients();
    const health = await client.health(rows.map(({ clientId }) => clientId));
    box.update((state) => withSessions(state, sessionItems(rows, health)));
  }
}
