import { GatewayError } from '../domain/errors.js';
import { LIMITS } from '../domain/limits.js';
import type { Link } from '../link/link.js';
import type { Store } from '../store/store.js';
import { requirePaired, type SessionSource } from './send/paired.js';
import type { Session } from './sessions/session.js';

/** Links that can be used at once, for what is sent. */
export class LiveLinks {
  readonly #store: Pick<Store, 'ping'>;

  constructor(store: Pick<Store, 'ping'>) {
    this.#store = store;
  }

  /**
   * The session's link, once it is connected.
   * @throws GatewayError `send_not_connected` when that takes too long, `store_unavailable`
   */
  of(session: Session): Promise<Link> {
    return this.after(session, undefined, undefined);
  }

  /**
   * The link that comes after one that has ended.
   * @throws `failure`, why that one ended, when no other comes in time
   */
  async after(session: Session, before: Link | undefined, failure: unknown): Promise<Link> {
    // without a store there will be no connection: say so at once
    if (before || session.record.status !== 'connected') await this.#store.ping();
    const link = await session.connected(LIMITS.connectionWaitMs, before);
    if (link) return link;
    await this.#store.ping();
    if (failure) throw failure;
    throw new GatewayError(
      'send_not_connected',
      `nothing was sent: the session is not connected (${whyNot(session)}); retry`,
    );
  }
}

/**
 * The link of a session, for look-ups and for what is done with groups; waits a while for the connection.
 * @throws GatewayError session_unknown, session_unpaired, session_not_connected
 */
export async function liveLink(sessions: SessionSource, clientId: string): Promise<Link> {
  const session = requirePaired(sessions, clientId);
  const link = await session.connected(LIMITS.connectionWaitMs);
  if (link) return link;
  throw new GatewayError('session_not_connected', `${clientId} is not connected (${whyNot(session)}); retry`);
}

function whyNot({ record }: Session): string {
  return record.statusReason || 'still connecting';
}
