import type { SessionHealth } from '../../../contract/index.js';
import type { SessionEvent } from './session.js';

/** Facts of a session's health that its parts know. */
type PartHealth = Pick<SessionHealth, 'openJournal' | 'history' | 'restriction' | 'warning'>;

/** A part of the gateway that holds something of each session. A part has only the members that concern it. */
export interface SessionPart {
  /** Something happened to a session that this node holds. Must not throw. */
  hear?(event: SessionEvent): void;
  /** What the part tells of the session's health. */
  health?(clientId: string): Partial<PartHealth>;
  /** Events that wait in the store for the webhook or another receiver; undefined if there are none. */
  waiting?(clientId: string, receiverId?: string): SessionHealth['waiting'];
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
 * The parts of the gateway, in the order in which data pass through them. Sessions and parts speak through it: an event of
 * a session goes to all parts.
 */
export class SessionParts {
  readonly #parts: SessionPart[] = [];

  add(...parts: readonly SessionPart[]): void {
    this.#parts.push(...parts);
  }

  /** Tells all parts what happened, in their order. */
  tell(event: SessionEvent): void {
    for (const part of this.#parts) part.hear?.(event);
    if (event.type !== 'status') return;
    const { clientId, record } = event.session;
    if (record.status === 'qr') for (const part of this.#parts) part.reset?.(clientId);
    if (record.status === 'connected') for (const part of this.#parts) part.connected?.(clientId);
  }

  health(clientId: string): PartHealth {
    const health: PartHealth = { openJournal: 0 };
    for (const part of this.#parts) Object.assign(health, part.health?.(clientId));
    return health;
  }

  waiting(clientId: string, receiverId?: string): SessionHealth['waiting'] {
    for (const part of this.#parts) {
      const waiting = part.waiting?.(clientId, receiverId);
      if (waiting) return waiting;
    }
    return undefined;
  }

  started(): void {
    for (const part of this.#parts) part.started?.();
  }

  async resume(clientId: string): Promise<void> {
    for (const part of this.#parts) await part.resume?.(clientId);
  }

  /** Resolves when every received message is recorded and announced, and no file is being stored. */
  async idle(): Promise<void> {
    for (const part of this.#parts) await part.idle?.();
  }

  async finish(clientId: string): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.finish?.(clientId)));
  }

  abort(clientId: string): void {
    for (const part of this.#parts) part.abort?.(clientId);
  }

  /** Resolves when nothing of the session is in flight in any part, and nothing more is written. */
  async end(clientId: string): Promise<void> {
    for (const part of this.#parts) await part.end?.(clientId);
  }

  forget(clientId: string): void {
    for (const part of this.#parts) part.forget?.(clientId);
  }

  /** Stops the last part first. */
  async stop(): Promise<void> {
    for (const part of [...this.#parts].reverse()) {
      const stopping = part.stop?.();
      // no await for parts that stop synchronously, so that they stop in the same instant
      if (stopping) await stopping;
    }
  }
}
