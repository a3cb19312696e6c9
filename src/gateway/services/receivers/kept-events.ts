import type { GatewayEvent } from '../../../contract/events/catalogue.js';
import { type Clock, DAY_MS } from '../../../domain/clock.js';
import { LIMITS } from '../../../domain/limits.js';
import { MultiMap } from '../../../domain/multi-map.js';
import { chatOf, type EventIdentity, eventIdOf } from '../../delivery/event-id.js';
import type { Logger } from '../../log.js';
import type { KeptEventStore, SessionRecord } from '../../store/store.js';
import type { SessionPart } from '../sessions/session-parts.js';

/** The fraction of the bound that one removal frees, so that not every new event causes a removal. */
const FREED_PART = 64;

/** Size and newest time of the kept events of a session. */
interface Known {
  /** Upper bound of their bytes, because prunes are not subtracted; undefined until the events are counted. */
  bytes: number | undefined;
  /** Time of the newest event. */
  newest: number;
  isTrimming: boolean;
}

/** Stores the events of sessions with `keepEvents`, so that they can be sent again. Decision 37 has the details. */
export class KeptEvents implements SessionPart {
  readonly #options;
  readonly #bound: number;
  readonly #known = new Map<string, Known>();
  /** Writes in flight, by session. */
  readonly #work = new MultiMap<Promise<void>>();

  constructor(options: {
    store: KeptEventStore;
    /** Whether this node holds the session. */
    sessions: { has(clientId: string): boolean };
    /** Limit for the kept events of one session, in bytes. */
    bound?: number | undefined;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#bound = options.bound ?? LIMITS.keptEventBytes;
  }

  /**
   * Keeps an event if its session keeps events. A failure is logged: it must not hold up the delivery.
   * @param identity the same for an event that is announced again, which is therefore stored once
   * @returns undefined if the session keeps no events. Never rejects.
   */
  keep(session: SessionRecord, event: GatewayEvent, identity: EventIdentity): Promise<void> | undefined {
    const { clientId, keepEvents } = session;
    if (keepEvents === 0 || !this.#options.sessions.has(clientId)) return undefined;
    const work = this.#keep(event, identity)
      .catch((err: unknown) => {
        this.#options.log.warn({ err, clientId, type: event.type }, 'event could not be kept');
      })
      .finally(() => this.#work.delete(clientId, work));
    this.#work.add(clientId, work);
    return work;
  }

  /** Removes events that are older than the session's `keepEvents`. */
  async prune(clientId: string, days: number): Promise<void> {
    const { store, clock } = this.#options;
    await store.prune(clock.now() - days * DAY_MS, clientId);
  }

  /** Removes all kept events of a session that has turned `keepEvents` off. */
  async removeAll(clientId: string): Promise<void> {
    await this.idle(clientId);
    await this.#options.store.prune(Number.MAX_SAFE_INTEGER, clientId);
    this.#known.delete(clientId);
  }

  async idle(clientId?: string): Promise<void> {
    await Promise.all(clientId === undefined ? this.#work.all() : this.#work.of(clientId));
  }

  end(clientId: string): Promise<void> {
    return this.idle(clientId);
  }

  forget(clientId: string): void {
    this.#known.delete(clientId);
  }

  async #keep(event: GatewayEvent, identity: EventIdentity): Promise<void> {
    const { store, clock } = this.#options;
    const { clientId, type } = event;
    const body = JSON.stringify(event);
    const size = Buffer.byteLength(body) + LIMITS.keptEventRowBytes;
    const known = this.#knownOf(clientId);
    // a different time for each event, so that the events have an order
    known.newest = Math.max(clock.now(), known.newest + 1);
    const isNew = await store.add({
      id: eventIdOf(identity),
      ...{ clientId, at: known.newest, type, chat: chatOf(event) },
      messageId: 'messageId' in event ? event.messageId : '',
      ...{ size, body },
    });
    if (isNew) await this.#count(clientId, known, size);
  }

  /** Adds an event to the size, and removes the oldest events above the bound. */
  async #count(clientId: string, known: Known, size: number): Promise<void> {
    const { store } = this.#options;
    if (known.bytes !== undefined) known.bytes += size;
    const isBelow = known.bytes !== undefined && known.bytes <= this.#bound;
    if (isBelow || known.isTrimming) return;
    known.isTrimming = true;
    try {
      known.bytes = await store.bytes(clientId);
      if (known.bytes <= this.#bound) return;
      const wanted = this.#bound - this.#bound / FREED_PART;
      while (known.bytes > wanted) {
        const removed = await store.removeOldest(clientId, known.bytes - wanted);
        if (removed === 0) break;
        known.bytes -= removed;
      }
    } finally {
      known.isTrimming = false;
    }
  }

  #knownOf(clientId: string): Known {
    const known = this.#known.get(clientId) ?? { bytes: undefined, newest: 0, isTrimming: false };
    this.#known.set(clientId, known);
    return known;
  }
}
