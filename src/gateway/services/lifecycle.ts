import { type Clock, endsWithin } from '../../domain/clock.js';
import { isGatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { Logger } from '../log.js';
import type { SessionRegistry } from './sessions/registry.js';
import type { Session } from './sessions/session.js';
import type { SessionParts } from './sessions/session-parts.js';

/** Starts, resumes, gives away and stops sessions in all parts of the gateway. */
export class Lifecycle {
  readonly #options;
  #restored: Session[] = [];
  /** Ends of sessions that were given away or lost. */
  readonly #leaving = new Map<string, Promise<void>>();

  constructor(options: {
    sessions: SessionRegistry;
    parts: SessionParts;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** Loads the sessions of the last run, so that none of them is unknown to early callers. */
  async restore(): Promise<void> {
    this.#restored = await this.#options.sessions.restore();
  }

  /** Resumes and connects the restored sessions. */
  async start(): Promise<void> {
    const restored = this.#restored.splice(0);
    for (const { clientId } of restored) await this.#resume(clientId);
    for (const session of restored) session.resume();
    this.#options.parts.started();
  }

  /**
   * This node holds the session from now on: resumes what another node left open, and connects.
   * @throws GatewayError store_unavailable, session_elsewhere; the caller then reverts with `drop`
   */
  async adopt(clientId: string): Promise<void> {
    const { sessions, parts } = this.#options;
    await this.#leaving.get(clientId);
    // caches from before another node held the session may be outdated
    parts.forget(clientId);
    const session = await sessions.adopt(clientId);
    if (!session) return;
    await this.#resume(clientId);
    if (sessions.has(clientId)) session.resume();
    // the session was lost meanwhile: abort what was resumed after that
    else this.#abort(clientId);
  }

  /** Gives the session away: closes its link and finishes the messages that have arrived. Writes nothing of the session afterwards. */
  async leave(clientId: string): Promise<void> {
    const { sessions } = this.#options;
    if (!sessions.has(clientId)) return;
    const leaving = this.#leave(sessions.find(clientId));
    this.#noteLeaving(clientId, leaving);
    await leaving;
  }

  /** This node lost the session: cuts its link at once, and aborts what is in flight. */
  drop(clientId: string): void {
    const { sessions } = this.#options;
    if (!sessions.has(clientId)) return;
    const session = sessions.find(clientId);
    session.abandon();
    sessions.release(session);
    this.#abort(clientId);
  }

  /** Resolves when every received message is recorded and announced, and no file is being stored. */
  idle(): Promise<void> {
    return this.#options.parts.idle();
  }

  /** Closes the links, so that the network keeps further messages, and finishes those that have arrived. */
  stop(): Promise<void> {
    return this.#options.parts.stop();
  }

  /** Resumes the session's work. Damaged values stop this session only. */
  async #resume(clientId: string): Promise<void> {
    const { sessions, parts } = this.#options;
    try {
      await parts.resume(clientId);
    } catch (error) {
      if (!isGatewayError(error, 'store_damaged') || !sessions.has(clientId)) throw error;
      sessions.quarantine(sessions.find(clientId), error.message);
    }
  }

  async #leave(session: Session): Promise<void> {
    const { clientId } = session;
    const { sessions, parts, clock } = this.#options;
    await session.stop();
    await endsWithin(clock, LIMITS.endGraceMs, parts.finish(clientId));
    await parts.end(clientId);
    if (sessions.release(session)) parts.forget(clientId);
  }

  /** Aborts the session in all parts; its new owner announces its events. */
  #abort(clientId: string): void {
    const { parts } = this.#options;
    parts.abort(clientId);
    parts.forget(clientId);
    const ending = parts.end(clientId).then(() => parts.forget(clientId));
    this.#noteLeaving(clientId, ending);
  }

  /** Remembers the end in flight: the session must not be adopted again before it. */
  #noteLeaving(clientId: string, leaving: Promise<void>): void {
    const ended = leaving.catch((err: unknown) =>
      this.#options.log.warn({ err, clientId }, 'not all of a session that left has ended'),
    );
    const noted = Promise.all([this.#leaving.get(clientId), ended]).then(() => {
      if (this.#leaving.get(clientId) === noted) this.#leaving.delete(clientId);
    });
    this.#leaving.set(clientId, noted);
  }
}
