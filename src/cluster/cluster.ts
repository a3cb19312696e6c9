import type { MonotonicClock } from '../domain/clock.js';
import { GatewayError } from '../domain/errors.js';
import type { Logger } from '../log.js';
import type { ClusterStore } from '../store/store.js';
import { ForeignOwners } from './foreign-owners.js';
import { LeaseKeeper } from './lease-keeper.js';
import { Moves, type MovesObserver } from './moves.js';
import type { Owner, Owners, PeerNode } from './owners.js';
import { placement, type Taker } from './placement.js';
import type { Residents } from './residents.js';

/** Milliseconds between two looks at the cluster. */
const LOOK_MS = 1_000;
/** Looks after which a session that is still free is anybody's. */
const OVERDUE_LOOKS = 5;
/** Free sessions that are looked for at once. */
const FREE_AT_ONCE = 200;

/** What is counted. */
export interface ClusterObserver extends MovesObserver {
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
  readonly #moves: Moves;
  readonly #foreign: ForeignOwners;
  /** At how many looks each session was free, one after the other. */
  #seenFree = new Map<string, number>();
  #draining = false;
  /** It takes no sessions any more, and is still there. */
  #stopping = false;
  #left = false;
  #look: Promise<void> = Promise.resolve();
  #cancelLook: () => void = () => undefined;
  #isBlind = false;

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
    this.#moves = new Moves({ ...options, keeper: this.#keeper });
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
    // a node that says nothing while it takes up thousands would count as gone
    this.#lookLater();
    await this.#moves.taken();
  }

  /** Gives all sessions to other nodes, as long as there are any, and takes no more. What others hold is still found. */
  async drain(): Promise<void> {
    await this.#takeNoMore();
    const { cluster, nodeId, log } = this.#options;
    try {
      await cluster.nodes.drain(nodeId, true);
      if ((await this.#takers()).length === 0) return;
      log.info({ sessions: this.held }, 'giving all sessions to other nodes');
      await this.#moves.give(this.#keeper.sessions());
    } catch (error) {
      log.warn({ err: error }, 'sessions could not be given to other nodes in good order');
    }
  }

  /** Leaves the cluster. No session may be served any more; those that are still held are free for others at once. */
  async leave(): Promise<void> {
    this.#left = true;
    this.#cancelLook();
    await this.#takeNoMore();
    const released = this.#keeper.sessions().map((clientId) => this.#keeper.release(clientId));
    await Promise.allSettled(released);
    this.#keeper.stop();
    const { cluster, nodeId } = this.#options;
    await cluster.nodes.leave(nodeId).catch(() => undefined);
  }

  /** Whether this node may act for a session at this instant. */
  holds(clientId: string): boolean {
    return this.#keeper.holds(clientId);
  }

  /** Asks the store whether this node holds a session. @throws GatewayError `session_elsewhere`, `store_unavailable` */
  async confirm(clientId: string): Promise<void> {
    const { cluster, nodeId } = this.#options;
    const lease = await cluster.leases.holder(clientId);
    if (lease?.nodeId !== nodeId) throw elsewhere(clientId);
  }

  async find(clientId: string): Promise<Owner> {
    const at = await this.#moves.placeOf(clientId);
    return at ? { at } : this.#foreign.find(clientId);
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

  async take(clientId: string): Promise<boolean> {
    const mayTake = this.holds(clientId) || !(this.#draining || this.#stopping);
    const isTaken = mayTake && (await this.#moves.take(clientId));
    if (!isTaken) this.distrust(clientId);
    return isTaken;
  }

  enter(clientId: string): (() => void) | undefined {
    return this.#moves.enter(clientId);
  }

  others(): Promise<PeerNode[]> {
    return this.#foreign.others();
  }

  /** @throws GatewayError `session_elsewhere`, `store_unavailable` */
  async acquire(clientId: string): Promise<void> {
    if (await this.take(clientId)) return;
    throw elsewhere(clientId);
  }

  /** The session has been deleted: nobody needs to hold it. Never rejects. */
  async ended(clientId: string): Promise<void> {
    await this.#keeper.release(clientId, true).catch((error: unknown) => {
      this.#options.log.warn({ err: error, clientId }, 'the lease of a deleted session runs out by itself');
    });
  }

  async #takeNoMore(): Promise<void> {
    this.#stopping = true;
    this.#moves.takeNoMore();
    await this.#look;
  }

  #lookLater(): void {
    if (this.#left) return;
    this.#cancelLook = this.#options.clock.after(LOOK_MS, () => {
      this.#look = this.#lookOnce()
        .then(() => this.#noteSight(undefined))
        .catch((error: unknown) => this.#noteSight(error))
        .finally(() => this.#lookLater());
    });
  }

  async #lookOnce(): Promise<void> {
    const { cluster, nodeId, name, url, version, leaseMs } = this.#options;
    const { draining } = await cluster.nodes.announce({ nodeId, name, url: url(), version }, leaseMs);
    this.#draining = draining;
    // others must go on finding what it still holds
    if (this.#stopping) return;
    const [takers, counts, found] = await Promise.all([
      this.#takers(),
      cluster.leases.counts(),
      cluster.leases.free(FREE_AT_ONCE),
    ]);
    const free = found.filter((clientId) => !this.#moves.hasFailed(clientId));
    const own = this.#moves.staying();
    const overdue = this.#noteFree(free);
    const view = { self: nodeId, draining, held: own.length, takers, counts, free, overdue };
    const { take, give } = placement(view);
    if (give > 0 && (draining || !this.#moves.isGiving)) void this.#moves.give(own, give);
    this.#moves.takeSome(take);
    for (const clientId of this.#moves.unused()) await this.#letGo(clientId);
  }

  /** Holds a session no longer that was not created, or not as far as this node knows: then anybody may take it. */
  async #letGo(clientId: string): Promise<void> {
    const exists = await this.#options.residents.exists(clientId);
    if (!this.#moves.unused().includes(clientId)) return;
    if (exists) await this.#keeper.release(clientId);
    else await this.ended(clientId);
  }

  /** @returns those that have been free for long */
  #noteFree(free: readonly string[]): Set<string> {
    this.#seenFree = new Map(free.map((clientId) => [clientId, (this.#seenFree.get(clientId) ?? 0) + 1]));
    return new Set(free.filter((clientId) => (this.#seenFree.get(clientId) ?? 0) > OVERDUE_LOOKS));
  }

  /** The nodes that are there and take sessions. @throws GatewayError store_unavailable */
  async #takers(): Promise<Taker[]> {
    const { leaseMs } = this.#options;
    return (await this.#foreign.look())
      .filter(({ draining }) => !draining)
      .map(({ nodeId, ageMs }) => ({ nodeId, settled: ageMs >= leaseMs }));
  }

  /** Tells of an outage once, not once a second. */
  #noteSight(error: unknown): void {
    const { log } = this.#options;
    if (error && !this.#isBlind) log.warn({ err: error }, 'the other nodes cannot be seen');
    if (!error && this.#isBlind) log.info('the other nodes can be seen again');
    this.#isBlind = error !== undefined;
  }
}

function elsewhere(clientId: string): GatewayError {
  return new GatewayError('session_elsewhere', `another node holds session ${clientId}; ask again`);
}
