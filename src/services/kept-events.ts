import { chatOf, type EventIdentity, eventIdOf } from '../delivery/event-id.js';
import { type Clock, DAY_MS } from '../domain/clock.js';
import { LIMITS } from '../domain/limits.js';
import { MultiMap } from '../domain/multi-map.js';
import type { GatewayEvent } from '../events/catalogue.js';
import type { Logger } from '../log.js';
import type { KeptEventStore, SessionRecord } from '../store/store.js';
import type { SessionPart } from './lifecycle.js';

/** The part of the bound that is freed at once, so that not each event has to remove another one. */
const FREED_PART = 64;

/** What is known of the events of a session. */
interface Known {
  /** Their bytes, or more: prunes are not subtracted. Undefined until they are counted. */
  bytes: number | undefined;
  /** When the newest one was announced. */
  newest: number;
  isTrimming: boolean;
}

/** Keeps the events of sessions with `keepEvents`, so that they can be sent again. Decision 37 has the details. */
export class KeptEvents implements SessionPart {
  readonly #options;
  readonly #bound: number;
  readonly #known = new Map<string, Known>();
  /** By session: writes under way. */
  readonly #work = new MultiMap<Promise<void>>();

  constructor(options: {
    store: KeptEventStore;
    /** Whether this node holds the session. */
    isHere(clientId: string): boolean;
    /** Bytes of the events of one session. */
    bound?: number | undefined;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#bound = options.bound ?? LIMITS.keptEventBytes;
  }

  /**
   * Keeps an event if its session keeps events. A failure is logged: it must not hold up the delivery.
   * @param identity an event that is announced again has the same one, and is kept once
   * @returns undefined for a session that keeps none. Never rejects.
   */
  keep(session: SessionRecord, event: GatewayEvent, identity: EventIdentity): Promise<void> | undefined {
    const { clientId, keepEvents } = session;
    if (keepEvents === 0 || !this.#options.isHere(clientId)) return undefined;
    const work = this.#keep(event, identity)
      .catch((err: unknown) => {
        this.#options.log.warn({ err, clientId, type: event.type }, 'event could not be kept');
      })
      .finally(() => this.#work.delete(clientId, work));
    this.#work.add(clientId, work);
    return work;
  }

  /** Removes what is older than the session keeps it. */
  async prune(clientId: string, days: number): Promise<void> {
    const { store, clock } = this.#options;
    await store.prune(clock.now() - days * DAY_MS, clientId);
  }

  /** The session keeps no events any more. */
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
    // different for each event, so that they have an order
    known.newest = Math.max(clock.now(), known.newest + 1);
    const isNew = await store.add({
      id: eventIdOf(identity),
      ...{ clientId, at: known.newest, type, chat: chatOf(event) },
      messageId: 'messageId' in event ? event.messageId : '',
      ...{ size, body },
    });
    if (isNew) await this.#count(clientId, known, size);
  }

  /** Counts an event, and removes the oldest ones above the bound. */
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
