import { type Address, formatJid } from '../../domain/address.js';
import type { MonotonicClock } from '../../domain/clock.js';
import { GatewayError, isGatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import { type Reason, reason } from '../../domain/reasons.js';
import type { Link, MessageReference } from '../link/link.js';
import type { HistoryMessage, Store } from '../store/store.js';
import type { Session } from './sessions/session.js';

/** Finds a session by its clientId. @throws GatewayError session_unknown */
export interface SessionSource {
  find(clientId: string): Session;
}

/**
 * The session that can act on the network.
 * @throws GatewayError session_unknown, session_unpaired; session_suspended for one that is banned or replaced
 */
export function requirePaired(sessions: SessionSource, clientId: string): Session {
  const session = sessions.find(clientId);
  if (session.isPaired) return session;
  const { status } = session.record;
  // a banned or replaced session keeps its credentials: it needs no new pairing
  if (session.hasCredentials) {
    const why = session.reason ?? reason('connect_again');
    throw new GatewayError('session_suspended', reason('session_suspended', { clientId, status, why }));
  }
  throw new GatewayError('session_unpaired', `${clientId} is not paired (status ${status}); pair it first`);
}

/** The session's own address; empty while it is not known. */
export function ownJid({ record }: Session): string {
  if (record.lid) return formatJid({ kind: 'lid', user: record.lid });
  return record.pn ? formatJid({ kind: 'pn', user: record.pn }) : '';
}

/** The reference to a message in receipts, changes and keys: with its author in groups only. */
export function referenceTo(
  session: Session,
  chat: Address,
  {
    messageId,
    fromMe,
    author,
    sentAt,
  }: { messageId: string; fromMe: boolean; author: string; sentAt: number },
): MessageReference {
  const participant = chat.kind === 'group' && (fromMe ? ownJid(session) : author);
  return { messageId, fromMe, ...(participant && { participant }), sentAt };
}

/** Rows of a room that are searched for one that phones show. */
export const ANCHOR_ROWS = 50;

/** Whether phones show a row as a message: by such a one they know a place in a chat. */
export function isShownOnPhones({ messageType }: Pick<HistoryMessage, 'messageType'>): boolean {
  return messageType !== 'vote_update' && messageType !== 'call';
}

/** Connected links for sends. */
export class LiveLinks {
  readonly #store: Pick<Store, 'ping'>;
  readonly #clock: MonotonicClock;

  constructor(store: Pick<Store, 'ping'>, clock: MonotonicClock) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Waits until the session is connected.
   * @throws GatewayError `send_not_connected` after `connectionWaitMs`, `store_unavailable`
   */
  of(session: Session, gone?: AbortSignal): Promise<Link> {
    return this.#after(session, undefined, { timeoutMs: LIMITS.connectionWaitMs, gone });
  }

  /**
   * Does the work over the session's link, and again over the next one when the connection ends during it. Repetitions
   * begin within `sendRepeatMs`.
   * @param gone aborted when the caller hangs up; the work then neither waits nor repeats
   * @throws GatewayError as `of`, and what the work throws
   */
  async withLink<T>(session: Session, work: (link: Link) => Promise<T>, gone?: AbortSignal): Promise<T> {
    let link = await this.of(session, gone);
    const deadline = this.#clock.monotonic() + LIMITS.sendRepeatMs;
    for (;;) {
      try {
        return await work(link);
      } catch (error) {
        const leftMs = deadline - this.#clock.monotonic();
        if (!isCut(error, link) || leftMs <= 0 || gone?.aborted) throw error;
        const timeoutMs = Math.min(leftMs, LIMITS.connectionWaitMs);
        link = await this.#after(session, link, { failure: error, timeoutMs, gone });
      }
    }
  }

  /**
   * Waits for the link that replaces `before`.
   * @throws `failure`, the error of the ended link, when it is not replaced in time
   */
  async #after(
    session: Session,
    before: Link | undefined,
    { failure, timeoutMs, gone }: { failure?: unknown; timeoutMs: number; gone: AbortSignal | undefined },
  ): Promise<Link> {
    // without a store there is no connection: fail at once
    if (before || session.record.status !== 'connected') await this.#store.ping();
    const link = await session.connected(timeoutMs, before, gone);
    // a caller that is gone must find nothing sent
    if (link && !gone?.aborted) return link;
    await this.#store.ping();
    if (failure) throw failure;
    throw new GatewayError('send_not_connected', reason('nothing_sent', { why: whyNot(session) }));
  }
}

/** True if the connection ended: a message in flight may have arrived. */
function isCut(error: unknown, link: Link): boolean {
  if (isGatewayError(error, 'lookup_failed')) return !link.isUp();
  return isGatewayError(error, 'send_cut_off') || isGatewayError(error, 'send_not_connected');
}

/**
 * The link of a session for look-ups and group calls; waits up to `connectionWaitMs` for the connection.
 * @throws GatewayError session_unknown, session_unpaired, session_not_connected
 */
export async function liveLink(sessions: SessionSource, clientId: string): Promise<Link> {
  const session = requirePaired(sessions, clientId);
  const link = await session.connected(LIMITS.connectionWaitMs);
  if (link) return link;
  const why = whyNot(session);
  throw new GatewayError('session_not_connected', reason('session_not_connected', { clientId, why }));
}

function whyNot(session: Session): Reason {
  return session.reason ?? reason('connecting');
}
