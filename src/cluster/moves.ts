import PQueue from 'p-queue';
import { endsWithin, type MonotonicClock } from '../domain/clock.js';
import { LIMITS } from '../domain/limits.js';
import type { Logger } from '../log.js';
import { Entries } from './entries.js';
import type { LeaseKeeper } from './lease-keeper.js';
import type { Residents } from './residents.js';

/** Sessions that are taken up, or given away, at the same time. */
const AT_ONCE = 4;
/** Milliseconds for which a session that could not be taken up is left to others. */
const LEFT_MS = 30_000;
/** Milliseconds after which a session that does not end by itself is broken off: a store that is away keeps it waiting. */
const LEAVING_MS = 20_000;

/** What is counted. */
export interface MovesObserver {
  sessionTaken(): void;
  sessionGiven(): void;
}

export interface MovesOptions {
  keeper: LeaseKeeper;
  residents: Residents;
  observer: MovesObserver;
  clock: MonotonicClock;
  log: Logger;
}

/** The sessions that a node takes and gives away. Each has one place at a time, and moves only between two requests. */
export class Moves {
  readonly #options: MovesOptions;
  readonly #entries = new Entries();
  /** Sessions that are being taken up, by clientId; true when they have become this node's. */
  readonly #taking = new Map<string, Promise<boolean>>();
  /** Sessions that are being given away. */
  readonly #giving = new Map<string, Promise<void>>();
  /** Sessions that could not be taken up, and until when they are left alone, by the monotonic clock. */
  readonly #failed = new Map<string, number>();
  readonly #taker = new PQueue({ concurrency: AT_ONCE });
  readonly #giver = new PQueue({ concurrency: AT_ONCE });
  #takesNoMore = false;

  constructor(options: MovesOptions) {
    this.#options = options;
  }

  /** Sessions that this node holds and is not giving away. */
  staying(): string[] {
    return this.#options.keeper.sessions().filter((clientId) => !this.#giving.has(clientId));
  }

  /** Whether anything is being given away. */
  get isGiving(): boolean {
    return this.#giving.size > 0;
  }

  /** Where a session of this node is on its way; undefined when it is another's. Waits while it is being taken up. */
  async placeOf(clientId: string): Promise<'here' | 'moving' | undefined> {
    const isTaken = await this.#taking.get(clientId)?.catch(() => false);
    if (!isTaken && !this.#options.keeper.holds(clientId)) return undefined;
    return this.#giving.has(clientId) ? 'moving' : 'here';
  }

  /** A request begins; undefined when the session is not here, or not for long. */
  enter(clientId: string): (() => void) | undefined {
    const isHere = this.#options.keeper.holds(clientId);
    if (!isHere || this.#giving.has(clientId) || this.#taking.has(clientId)) return undefined;
    return this.#entries.enter(clientId);
  }

  /** Takes free sessions, as far as none wait to be taken. Never rejects. */
  takeSome(clientIds: readonly string[]): void {
    // what waits to be taken up is seen as free again and again
    if (this.#takesNoMore || this.#taker.size + this.#taker.pending > 0) return;
    for (const clientId of clientIds) void this.#taker.add(() => this.#tryTake(clientId));
  }

  /** Nothing is taken any more, also not what waits to be. */
  takeNoMore(): void {
    this.#takesNoMore = true;
    this.#taker.clear();
  }

  /** Resolves when nothing waits to be taken up. */
  async taken(): Promise<void> {
    await this.#taker.onIdle();
  }

  /** Whether a session could not be taken up lately. */
  hasFailed(clientId: string): boolean {
    const until = this.#failed.get(clientId);
    if (until === undefined) return false;
    if (this.#options.clock.monotonic() < until) return true;
    this.#failed.delete(clientId);
    return false;
  }

  /**
   * Takes a session that nobody holds.
   * @returns false when another node was quicker, or when it is being given away
   * @throws GatewayError `store_unavailable`
   */
  take(clientId: string): Promise<boolean> {
    const underWay = this.#taking.get(clientId);
    if (underWay) return underWay;
    // also when it is lost meanwhile: what ends it must not meet it again
    if (this.#giving.has(clientId)) return Promise.resolve(false);
    if (this.#options.keeper.holds(clientId)) return Promise.resolve(true);
    const taking = this.#take(clientId).finally(() => this.#taking.delete(clientId));
    this.#taking.set(clientId, taking);
    return taking;
  }

  /** Gives so many of the sessions away, those with the fewest requests first. Resolves when that is done. Never rejects. */
  async give(clientIds: readonly string[], count = clientIds.length): Promise<void> {
    const byBusyness = clientIds.toSorted((a, b) => this.#entries.count(a) - this.#entries.count(b));
    await Promise.all(byBusyness.slice(0, count).map((clientId) => this.#give(clientId)));
  }

  /** Sessions that were to be created here, and then were not. */
  unused(): string[] {
    const isUsed = (clientId: string) =>
      this.#options.residents.has(clientId) ||
      this.#taking.has(clientId) ||
      this.#entries.count(clientId) > 0;
    return this.staying().filter((clientId) => !isUsed(clientId));
  }

  async #take(clientId: string): Promise<boolean> {
    const { keeper, residents, observer, log } = this.#options;
    const epoch = await keeper.claim(clientId);
    if (epoch === undefined) return false;
    if (this.#takesNoMore) {
      await keeper.release(clientId);
      return false;
    }
    try {
      await residents.adopt(clientId);
    } catch (error) {
      residents.drop(clientId);
      await keeper.release(clientId).catch(() => undefined);
      throw error;
    }
    if (!keeper.holds(clientId)) {
      // it was lost before there was anything to end
      residents.drop(clientId);
      return false;
    }
    observer.sessionTaken();
    log.info({ clientId, epoch }, 'this node holds the session now');
    return true;
  }

  async #tryTake(clientId: string): Promise<void> {
    await this.take(clientId).catch((error: unknown) => {
      const { clock, log } = this.#options;
      this.#failed.set(clientId, clock.monotonic() + LEFT_MS);
      log.warn({ err: error, clientId }, 'a session could not be taken up; it is tried again in a while');
    });
  }

  #give(clientId: string): Promise<void> {
    const underWay = this.#giving.get(clientId);
    if (underWay) return underWay;
    const giving = this.#giver
      .add(() => this.#giveNow(clientId))
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error, clientId }, 'a session was not given away in good order');
      })
      .finally(() => this.#giving.delete(clientId));
    this.#giving.set(clientId, giving);
    return giving;
  }

  async #giveNow(clientId: string): Promise<void> {
    const { keeper, observer, clock, log } = this.#options;
    await endsWithin(clock, LEAVING_MS, Promise.allSettled([this.#taking.get(clientId)]));
    await this.#entries.idle(clientId, clock, LIMITS.handOverMs);
    if (!keeper.holds(clientId)) return;
    await this.#leave(clientId);
    await keeper.release(clientId);
    observer.sessionGiven();
    log.info({ clientId }, 'this node has given the session away');
  }

  /** Ends the session here, in good order if it can be: a lease must not be kept for what nobody serves. Never rejects. */
  async #leave(clientId: string): Promise<void> {
    const { residents, clock, log } = this.#options;
    try {
      if (await endsWithin(clock, LEAVING_MS, residents.leave(clientId))) return;
      log.warn({ clientId }, 'a session that is given away does not end: it is broken off');
    } catch (err) {
      log.warn({ err, clientId }, 'a session that is given away did not end in good order: it is broken off');
    }
    residents.drop(clientId);
  }
}
