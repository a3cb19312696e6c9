import { type Clock, endsWithin } from '../../domain/clock.js';
import { isGatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { Logger } from '../log.js';
import type { SessionRegistry } from './sessions/registry.js';
import type { Session } from './sessions/session.js';

/** A part of the gateway that holds something of each session. A part has only the members that concern it. */
export interface SessionPart {
  /** The daemon has started: all sessions are resumed. */
  started?(): void;
  /** This node takes the session over, from its last run or from another node: continues unfinished work. */
  resume?(clientId: string): Promise<void>;
  /** The session shows a QR code: drops the facts about a number that was linked before. */
  reset?(clientId: string): void;
  connected?(clientId: string): void;
  /** Resolves when nothing is in flight for one session, or for all. */
  idle?(clientId?: string): Promise<void>;
  /** Before a handover: completes the work that the next owner cannot repeat. The caller limits the time. */
  finish?(clientId: string): Promise<void>;
  /** This node lost the session: from this instant nothing more of it is written or announced. */
  abort?(clientId: string): void;
  /** The session is deleted, given away or lost: resolves when nothing of it is in flight, and nothing more is written. */
  end?(clientId: string): Promise<void>;
  /** Drops what is cached of the session. */
  forget?(clientId: string): void;
  /** The daemon stops: aborts the work that the next start resumes. */
  stop?(): Promise<void> | void;
}

/**
 * Starts, resumes, ends and stops sessions in all parts of the gateway. The parts are in the order in which data pass
 * through them; a stop goes through them in reverse.
 */
export class Lifecycle {
  readonly #options;
  #restored: Session[] = [];
  /** Ends of sessions that were given away or lost. */
  readonly #leaving = new Map<string, Promise<void>>();

  constructor(options: {
    sessions: SessionRegistry;
    parts: readonly SessionPart[];
    /** Called when this node has dropped a session. */
    onForgotten?: ((clientId: string) => void) | undefined;
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
    for (const part of this.#options.parts) part.started?.();
  }

  /**
   * This node holds the session from now on: resumes what another node left open, and connects.
   * @throws GatewayError store_unavailable, session_elsewhere; the caller then reverts with `drop`
   */
  async adopt(clientId: string): Promise<void> {
    const { sessions, parts } = this.#options;
    await this.#leaving.get(clientId);
    // caches from before another node held the session may be outdated
    for (const part of parts) part.forget?.(clientId);
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

  /** Resolves when nothing of the session is in flight in any part, and nothing more is written. */
  async end(clientId: string): Promise<void> {
    for (const part of this.#options.parts) await part.end?.(clientId);
  }

  forget(clientId: string): void {
    for (const part of this.#options.parts) part.forget?.(clientId);
    this.#options.onForgotten?.(clientId);
  }

  reset(clientId: string): void {
    for (const part of this.#options.parts) part.reset?.(clientId);
  }

  connected(clientId: string): void {
    for (const part of this.#options.parts) part.connected?.(clientId);
  }

  /** Resolves when every received message is recorded and announced, and no file is being stored. */
  async idle(): Promise<void> {
    for (const part of this.#options.parts) await part.idle?.();
  }

  /** Closes the links, so that the network keeps further messages, and finishes those that have arrived. */
  async stop(): Promise<void> {
    for (const part of [...this.#options.parts].reverse()) {
      const stopping = part.stop?.();
      // no await for parts that stop synchronously, so that they stop in the same instant
      if (stopping) await stopping;
    }
  }

  /** Resumes the session's work. Damaged values stop this session only. */
  async #resume(clientId: string): Promise<void> {
    const { sessions, parts } = this.#options;
    try {
      for (const part of parts) await part.resume?.(clientId);
    } catch (error) {
      if (!isGatewayError(error, 'store_damaged') || !sessions.has(clientId)) throw error;
      sessions.quarantine(sessions.find(clientId), error.message);
    }
  }

  async #leave(session: Session): Promise<void> {
    const { clientId } = session;
    const { sessions, parts, clock } = this.#options;
    await session.stop();
    const finished = Promise.all(parts.map((part) => part.finish?.(clientId)));
    await endsWithin(clock, LIMITS.endGraceMs, finished);
    await this.end(clientId);
    if (sessions.release(session)) this.forget(clientId);
  }

  /** Aborts the session in all parts; its new owner announces its events. */
  #abort(clientId: string): void {
    for (const part of this.#options.parts) part.abort?.(clientId);
    this.forget(clientId);
    const ending = this.end(clientId).then(() => this.forget(clientId));
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
