import PQueue from 'p-queue';
import type { MonotonicClock } from '../domain/clock.js';
import { GatewayError } from '../domain/errors.js';
import { LIMITS } from '../domain/limits.js';
import type { Logger } from '../log.js';
import type { ClusterStore, SeenNode } from '../store/store.js';
import { Entries } from './entries.js';
import { ForeignOwners } from './foreign-owners.js';
import { LeaseKeeper } from './lease-keeper.js';
import type { Owner, Owners, PeerNode } from './owners.js';
import { placement } from './placement.js';

/** Milliseconds between two looks at the cluster. */
const LOOK_MS = 1_000;
/** Free sessions that are looked for at once. */
const FREE_AT_ONCE = 200;
/** Sessions that are taken up, or given away, at the same time. */
const AT_ONCE = 4;

/** The sessions of a node, as its place in the cluster makes them come and go. */
export interface Residents {
  /** Whether it is here. */
  has(clientId: string): boolean;
  exists(clientId: string): Promise<boolean>;
  /** Takes up what another node has left of it, and connects it; nothing happens when there is no such session. */
  adopt(clientId: string): Promise<void>;
  /** Closes it, finishes what is under way, and writes nothing of it afterwards. */
  leave(clientId: string): Promise<void>;
  /** It is lost: ends it at this instant. */
  drop(clientId: string): void;
  /** A session that was here once does not exist any more. */
  gone(clientId: string): void;
}

/** What is counted. */
export interface ClusterObserver {
  sessionTaken(): void;
  sessionGiven(): void;
  leaseLost(): void;
}

export interface ClusterOptions {
  cluster: ClusterStore;
  /** Another one at each start. */
  nodeId: string;
  name: string;
  /** Where other nodes reach this one; known once it listens. */
  url(): string;
  version: string;
  /** Milliseconds that a lease lasts when it is not renewed. */
  leaseMs: number;
  residents: Residents;
  observer: ClusterObserver;
  clock: MonotonicClock;
  log: Logger;
}

/**
 * A node's part in the cluster: says that it is there, claims its share of the sessions and keeps their leases, gives
 * sessions to nodes that have room for them, and knows who holds the others.
 */
export class Cluster implements Owners {
  readonly #options: ClusterOptions;
  readonly #keeper: LeaseKeeper;
  readonly #foreign: ForeignOwners;
  readonly #entries = new Entries();
  /** Sessions that are being taken up, by clientId; true when they have become this node's. */
  readonly #taking = new Map<string, Promise<boolean>>();
  /** Sessions that are being given away. */
  readonly #giving = new Map<string, Promise<void>>();
  readonly #giver = new PQueue({ concurrency: AT_ONCE });
  readonly #taker = new PQueue({ concurrency: AT_ONCE });
  #draining = false;
  #stopping = false;
  #look: Promise<void> = Promise.resolve();
  #cancelLook: () => void = () => undefined;
  #fails = false;

  constructor(options: ClusterOptions) {
    const { cluster, nodeId, leaseMs, residents, observer } = options;
    this.#options = options;
    this.#foreign = new ForeignOwners({ ...options, selfId: nodeId, aliveMs: leaseMs });
    this.#keeper = new LeaseKeeper({
      ...options,
      leases: cluster.leases,
      lastsMs: leaseMs,
      onLost: (clientId) => {
        observer.leaseLost();
        residents.drop(clientId);
      },
    });
  }

  get self(): PeerNode {
    const { nodeId, name, url } = this.#options;
    return { nodeId, name, url: url() };
  }

  /** How many sessions this node holds. */
  get held(): number {
    return this.#keeper.sessions().length;
  }

  /** Milliseconds since the leases were last renewed. */
  get renewedAgoMs(): number {
    return this.#keeper.renewedAgoMs;
  }

  /**
   * Joins the cluster, and takes up this node's first share.
   * @throws GatewayError `store_unavailable`
   */
  async start(): Promise<void> {
    await this.#options.cluster.leases.seed();
    this.#keeper.start();
    await this.#lookOnce();
    await this.#taker.onIdle();
    this.#lookLater();
  }

  /** Gives all sessions to other nodes, as long as there are any, and takes no more. What others hold is still found. */
  async drain(): Promise<void> {
    this.#stopping = true;
    this.#cancelLook();
    await this.#look;
    const { cluster, nodeId, log } = this.#options;
    try {
      await cluster.nodes.drain(nodeId, true);
      if ((await this.#takers()).length === 0) return;
      log.info({ sessions: this.held }, 'giving all sessions to other nodes');
      await Promise.all(this.#keeper.sessions().map((clientId) => this.#give(clientId)));
    } catch (error) {
      log.warn({ err: error }, 'sessions could not be given to other nodes in good order');
    }
  }

  /** Leaves the cluster. No session may be served any more; those that are still held are free for others at once. */
  async leave(): Promise<void> {
    this.#stopping = true;
    this.#cancelLook();
    await this.#look;
    const { cluster, nodeId } = this.#options;
    const released = this.#keeper.sessions().map((clientId) => this.#keeper.release(clientId));
    await Promise.allSettled(released);
    this.#keeper.stop();
    await cluster.nodes.leave(nodeId).catch(() => undefined);
  }

  /** Whether this node may act for a session at this instant. */
  holds(clientId: string): boolean {
    return this.#keeper.holds(clientId);
  }

  async find(clientId: string): Promise<Owner> {
    const taken = await this.#taking.get(clientId)?.catch(() => false);
    if (taken || this.holds(clientId)) return { at: this.#giving.has(clientId) ? 'moving' : 'here' };
    return this.#foreign.find(clientId);
  }

  distrust(clientId: string): void {
    this.#foreign.distrust(clientId);
  }

  async exists(clientId: string): Promise<boolean> {
    const { residents } = this.#options;
    const exists = await residents.exists(clientId);
    if (!exists) residents.gone(clientId);
    return exists;
  }

  take(clientId: string): Promise<boolean> {
    const underWay = this.#taking.get(clientId);
    if (underWay) return underWay;
    if (this.holds(clientId)) return Promise.resolve(!this.#giving.has(clientId));
    if (this.#draining || this.#stopping) return Promise.resolve(false);
    const taking = this.#take(clientId).finally(() => this.#taking.delete(clientId));
    this.#taking.set(clientId, taking);
    return taking;
  }

  enter(clientId: string): (() => void) | undefined {
    if (!this.holds(clientId) || this.#giving.has(clientId) || this.#taking.has(clientId)) return undefined;
    return this.#entries.enter(clientId);
  }

  others(): Promise<PeerNode[]> {
    return this.#foreign.others();
  }

  /** @throws GatewayError `session_elsewhere`, `store_unavailable` */
  async acquire(clientId: string): Promise<void> {
    if (await this.take(clientId)) return;
    throw new GatewayError('session_elsewhere', `another node holds session ${clientId}; ask again`);
  }

  /** The session has been deleted: nobody needs to hold it. Never rejects. */
  async ended(clientId: string): Promise<void> {
    await this.#keeper.release(clientId, true).catch((error: unknown) => {
      this.#options.log.warn({ err: error, clientId }, 'the lease of a deleted session runs out by itself');
    });
  }

  async #take(clientId: string): Promise<boolean> {
    const { residents, observer, log } = this.#options;
    const epoch = await this.#keeper.claim(clientId);
    if (epoch === undefined) {
      this.distrust(clientId);
      return false;
    }
    try {
      await residents.adopt(clientId);
    } catch (error) {
      residents.drop(clientId);
      await this.#keeper.release(clientId).catch(() => undefined);
      throw error;
    }
    // lost again while it was being taken up
    if (!this.holds(clientId)) return false;
    observer.sessionTaken();
    log.info({ clientId, epoch }, 'this node holds the session now');
    return true;
  }

  /** Never rejects. */
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
    const { residents, observer, clock, log } = this.#options;
    await this.#taking.get(clientId)?.catch(() => undefined);
    await this.#entries.idle(clientId, clock, LIMITS.handOverMs);
    if (!this.holds(clientId)) return;
    await residents.leave(clientId);
    await this.#keeper.release(clientId);
    observer.sessionGiven();
    log.info({ clientId }, 'this node has given the session away');
  }

  #lookLater(): void {
    if (this.#stopping) return;
    this.#cancelLook = this.#options.clock.after(LOOK_MS, () => {
      this.#look = this.#lookOnce()
        .then(() => this.#noteFailure(undefined))
        .catch((error: unknown) => this.#noteFailure(error))
        .finally(() => this.#lookLater());
    });
  }

  async #lookOnce(): Promise<void> {
    const { cluster, nodeId, name, url, version } = this.#options;
    const { draining } = await cluster.nodes.announce({ nodeId, name, url: url(), version });
    this.#draining = draining;
    const [takers, counts, free] = await Promise.all([
      this.#takers(),
      cluster.leases.counts(),
      cluster.leases.free(FREE_AT_ONCE),
    ]);
    const given = new Set(this.#giving.keys());
    const own = this.#keeper.sessions().filter((clientId) => !given.has(clientId));
    const view = { self: nodeId, draining, held: own.length, takers, counts, free };
    const { take, give } = placement(view, Math.random());
    if (give > 0 && (draining || given.size === 0)) this.#giveSome(own, give);
    // what waits to be taken up is seen as free again and again
    if (this.#taker.size + this.#taker.pending > 0) return;
    for (const clientId of take) void this.#taker.add(() => this.#tryTake(clientId));
    for (const clientId of own) await this.#releaseUnused(clientId);
  }

  /** A session that was to be created here, and then was not. */
  async #releaseUnused(clientId: string): Promise<void> {
    const isUsed = this.#options.residents.has(clientId) || this.#taking.has(clientId);
    if (!isUsed && this.#entries.count(clientId) === 0) await this.ended(clientId);
  }

  /** Those with the fewest requests under way. */
  #giveSome(own: readonly string[], count: number): void {
    const byBusyness = own.toSorted((a, b) => this.#entries.count(a) - this.#entries.count(b));
    for (const clientId of byBusyness.slice(0, count)) void this.#give(clientId);
  }

  async #tryTake(clientId: string): Promise<void> {
    await this.take(clientId).catch((error: unknown) => {
      this.#options.log.warn({ err: error, clientId }, 'a session could not be taken up; it is tried again');
    });
  }

  /** The nodes that are there and take sessions. @throws GatewayError store_unavailable */
  async #takers(): Promise<{ nodeId: string; settled: boolean }[]> {
    const nodes: readonly SeenNode[] = await this.#foreign.look();
    const { leaseMs } = this.#options;
    return nodes
      .filter(({ draining }) => !draining)
      .map(({ nodeId, ageMs }) => ({ nodeId, settled: ageMs >= leaseMs }));
  }

  /** Once for each outage, not once a second. */
  #noteFailure(error: unknown): void {
    if (error && !this.#fails) {
      this.#options.log.warn({ err: error }, 'the other nodes cannot be seen');
    }
    if (!error && this.#fails) this.#options.log.info('the other nodes can be seen again');
    this.#fails = error !== undefined;
  }
}
