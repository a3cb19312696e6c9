import PQueue from 'p-queue';
import { type Clock, endsWithin, type MonotonicClock, wait } from '../../domain/clock.js';
import { LIMITS } from '../../domain/limits.js';
import { longestPause } from '../../domain/retry.js';
import type { Logger } from '../log.js';
import type { LeaseKeeper } from './leases.js';

/** Opens and closes sessions as their leases come and go. */
export interface NodeSessions {
  /** Whether the session is open on this node. */
  has(clientId: string): boolean;
  exists(clientId: string): Promise<boolean>;
  /** Resumes the session and connects it; does nothing if it does not exist. */
  adopt(clientId: string): Promise<void>;
  /** Finishes work in flight and closes the session; writes nothing afterwards. */
  leave(clientId: string): Promise<void>;
  /** Lease lost: close immediately. */
  drop(clientId: string): void;
  /** Called when another node has deleted the session. */
  gone(clientId: string): void;
}

/** Sessions that are taken, or given, at the same time. */
const AT_ONCE = 4;
/** Pause before this node tries again to take a session; until then other nodes may take it. */
const RETAKE = { pausesMs: [30_000], endless: true } as const;
/** Milliseconds for a session to close before it is dropped: an unreachable store would delay it for ever. */
const CLOSE_MS = 20_000;

/** Counts handovers. */
export interface MovesObserver {
  sessionTaken(): void;
  sessionGiven(): void;
}

interface MovesOptions {
  keeper: LeaseKeeper;
  sessions: NodeSessions;
  observer: MovesObserver;
  clock: MonotonicClock;
  log: Logger;
}

/** Takes free sessions and gives sessions to other nodes. A session moves only while no request for it is active. */
export class Handover {
  readonly #options: MovesOptions;
  readonly #requests = new ActiveRequests();
  /** Sessions that are being taken, by clientId; true if this node got them. */
  readonly #taking = new Map<string, Promise<boolean>>();
  /** Sessions that are being given. */
  readonly #giving = new Map<string, Promise<void>>();
  /** Sessions that could not be taken, with the time of the next attempt, by the monotonic clock. */
  readonly #failed = new Map<string, number>();
  readonly #taker = new PQueue({ concurrency: AT_ONCE });
  readonly #giver = new PQueue({ concurrency: AT_ONCE });
  #takesNoMore = false;

  constructor(options: MovesOptions) {
    this.#options = options;
  }

  /** Sessions that this node holds and is not giving. */
  staying(): string[] {
    return this.#options.keeper.sessions().filter((clientId) => !this.#giving.has(clientId));
  }

  get isGiving(): boolean {
    return this.#giving.size > 0;
  }

  /** Whether a session is here or moving; undefined if this node does not hold it. Waits while it is being taken. */
  async placeOf(clientId: string): Promise<'here' | 'moving' | undefined> {
    const isTaken = await this.#taking.get(clientId)?.catch(() => false);
    if (!isTaken && !this.#options.keeper.holds(clientId)) return undefined;
    return this.#giving.has(clientId) ? 'moving' : 'here';
  }

  /** Begins a request; undefined if the session is not here or is moving. */
  enter(clientId: string): (() => void) | undefined {
    const isHere = this.#options.keeper.holds(clientId);
    if (!isHere || this.#giving.has(clientId) || this.#taking.has(clientId)) return undefined;
    return this.#requests.enter(clientId);
  }

  /** Takes free sessions, unless earlier ones still wait. Never rejects. */
  takeSome(clientIds: readonly string[]): void {
    // sessions that still wait are listed as free again
    if (this.#takesNoMore || this.#taker.size + this.#taker.pending > 0) return;
    for (const clientId of clientIds) void this.#taker.add(() => this.#tryTake(clientId));
  }

  /** Stops taking sessions, also waiting ones. */
  takeNoMore(): void {
    this.#takesNoMore = true;
    this.#taker.clear();
  }

  /** Resolves once all waiting sessions are taken. */
  async taken(): Promise<void> {
    await this.#taker.onIdle();
  }

  /** Whether taking the session failed recently. */
  hasFailed(clientId: string): boolean {
    const until = this.#failed.get(clientId);
    if (until === undefined) return false;
    if (this.#options.clock.monotonic() < until) return true;
    this.#failed.delete(clientId);
    return false;
  }

  /**
   * Takes a session that no node holds.
   * @returns false if another node was faster, or if the session is being given
   * @throws GatewayError `store_unavailable`
   */
  take(clientId: string): Promise<boolean> {
    const underWay = this.#taking.get(clientId);
    if (underWay) return underWay;
    // refuse even if the lease was lost meanwhile: the session must be closed before it is opened again
    if (this.#giving.has(clientId)) return Promise.resolve(false);
    if (this.#options.keeper.holds(clientId)) return Promise.resolve(true);
    const taking = this.#take(clientId).finally(() => this.#taking.delete(clientId));
    this.#taking.set(clientId, taking);
    return taking;
  }

  /** Gives `count` of the sessions to other nodes, starting with those that have the fewest active requests. Never rejects. */
  async give(clientIds: readonly string[], count = clientIds.length): Promise<void> {
    const byBusyness = clientIds.toSorted((a, b) => this.#requests.count(a) - this.#requests.count(b));
    await Promise.all(byBusyness.slice(0, count).map((clientId) => this.#give(clientId)));
  }

  /** Sessions that this node claimed for a creation that then failed. */
  unused(): string[] {
    const isUsed = (clientId: string) =>
      this.#options.sessions.has(clientId) ||
      this.#taking.has(clientId) ||
      this.#requests.count(clientId) > 0;
    return this.staying().filter((clientId) => !isUsed(clientId));
  }

  async #take(clientId: string): Promise<boolean> {
    const { keeper, sessions, observer, log } = this.#options;
    const epoch = await keeper.claim(clientId);
    if (epoch === undefined) return false;
    if (this.#takesNoMore) {
      await keeper.release(clientId);
      return false;
    }
    try {
      await sessions.adopt(clientId);
    } catch (error) {
      sessions.drop(clientId);
      await keeper.release(clientId).catch(() => undefined);
      throw error;
    }
    if (!keeper.holds(clientId)) {
      // the node lost the lease while the session was opening
      sessions.drop(clientId);
      return false;
    }
    observer.sessionTaken();
    log.info({ clientId, epoch }, 'this node holds the session now');
    return true;
  }

  async #tryTake(clientId: string): Promise<void> {
    await this.take(clientId).catch((error: unknown) => {
      const { clock, log } = this.#options;
      this.#failed.set(clientId, clock.monotonic() + longestPause(RETAKE));
      log.warn({ err: error, clientId }, 'a session could not be taken; it is tried again later');
    });
  }

  #give(clientId: string): Promise<void> {
    const underWay = this.#giving.get(clientId);
    if (underWay) return underWay;
    const giving = this.#giver
      .add(() => this.#giveNow(clientId))
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error, clientId }, 'handing a session over failed');
      })
      .finally(() => this.#giving.delete(clientId));
    this.#giving.set(clientId, giving);
    return giving;
  }

  async #giveNow(clientId: string): Promise<void> {
    const { keeper, observer, clock, log } = this.#options;
    await endsWithin(clock, CLOSE_MS, Promise.allSettled([this.#taking.get(clientId)]));
    await this.#requests.idle(clientId, clock, LIMITS.handOverMs);
    if (!keeper.holds(clientId)) return;
    await this.#leave(clientId);
    await keeper.release(clientId);
    observer.sessionGiven();
    log.info({ clientId }, 'this node has released the session');
  }

  /** Closes the session, by force after `CLOSE_MS`: its lease must not be held while no node serves it. Never rejects. */
  async #leave(clientId: string): Promise<void> {
    const { sessions, clock, log } = this.#options;
    try {
      if (await endsWithin(clock, CLOSE_MS, sessions.leave(clientId))) return;
      log.warn({ clientId }, 'a session does not close in time for its handover and is dropped');
    } catch (err) {
      log.warn({ err, clientId }, 'a session could not be closed for its handover and is dropped');
    }
    sessions.drop(clientId);
  }
}

/** Counts the active requests of each session. */
class ActiveRequests {
  readonly #open = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Begins a request; the returned function ends it, and may be called more than once. */
  enter(clientId: string): () => void {
    this.#open.set(clientId, this.count(clientId) + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#leave(clientId);
    };
  }

  count(clientId: string): number {
    return this.#open.get(clientId) ?? 0;
  }

  /** Resolves once the session has no active request, or after `longestMs` milliseconds. */
  async idle(clientId: string, clock: Clock, longestMs: number): Promise<void> {
    if (this.count(clientId) === 0) return;
    const done = new AbortController();
    const waiting = this.#waiting.get(clientId) ?? [];
    waiting.push(() => done.abort());
    this.#waiting.set(clientId, waiting);
    await wait(clock, longestMs, done.signal);
  }

  #leave(clientId: string): void {
    const left = this.count(clientId) - 1;
    if (left > 0) {
      this.#open.set(clientId, left);
      return;
    }
    this.#open.delete(clientId);
    const waiting = this.#waiting.get(clientId) ?? [];
    this.#waiting.delete(clientId);
    for (const resolve of waiting) resolve();
  }
}
