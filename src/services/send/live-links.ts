import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { Link } from '../../link/link.js';
import type { Store } from '../../store/store.js';
import type { Session } from '../sessions/session.js';

/** Links that can be used at once. */
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
    const why = session.record.statusReason || 'still connecting';
    throw new GatewayError(
      'send_not_connected',
      `nothing was sent: the session is not connected (${why}); retry`,
    );
  }
}
