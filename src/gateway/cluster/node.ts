import type { MonotonicClock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import type { Logger } from '../log.js';
import type { ClusterStore } from '../store/store.js';
import { Handover, type MovesObserver, type NodeSessions } from './handover.js';
import { LeaseKeeper } from './leases.js';
import { ForeignOwners, type Owner, type Owners, type PeerNode } from './owners.js';
import { placement, type Taker } from './placement.js';

/** Milliseconds between two heartbeats. */
const HEARTBEAT_MS = 1_000;
/** Heartbeats after which any node may claim a session that is still free. */
const OVERDUE_BEATS = 5;
/** Free sessions read at once. */
const FREE_AT_ONCE = 200;

/** Counts handovers and lost leases. */
export interface ClusterObserver extends MovesObserver {
  leaseLost(): void;
}

interface ClusterOptions {
  cluster: ClusterStore;
  /** Id of this run, new at each start. */
  nodeId: string;
  name: string;
  /** URL where other nodes reach this one; known once the server listens. */
  address: { readonly nodeUrl: string };
  version: string;
  /** Duration of a lease in milliseconds. */
  leaseMs: number;
  sessions: NodeSessions;
  observer: ClusterObserver;
  clock: MonotonicClock;
  log: Logger;
}

/**
 * A node of the cluster: sends heartbeats, claims its share of the sessions and renews their leases, hands sessions over to
 * nodes with fewer, and finds the nodes that hold the others.
 */
export class ClusterMember implements Owners {
  readonly #options: ClusterOptions;
  readonly #keeper: LeaseKeeper;
  readonly #handover: Handover;
  readonly #foreign: ForeignOwners;
  /** Consecutive heartbeats at which each session was free. */
  #seenFree = new Map<string, number>();
  #draining = false;
  /** True while the node takes no more sessions but still sends heartbeats. */
  #stopping = false;
  #left = false;
  #beating: Promise<void> = Promise.resolve();
  #cancelBeat: () => void = () => undefined;
  #isBlind = false;

  constructor(options: ClusterOptions) {
    const { cluster, nodeId, leaseMs, sessions, observer } = options;
    this.#options = options;
    this.#foreign = new ForeignOwners({ ...options, selfId: nodeId, aliveMs: leaseMs });
    this.#keeper = new LeaseKeeper({
      ...options,
      leases: cluster.leases,
      lastsMs: leaseMs,
      onLost: (clientId) => {
        observer.leaseLost();
        sessions.drop(clientId);
      },
    });
    this.#handover = new Handover({ ...options, keeper: this.#keeper });
  }

  get self(): PeerNode {
    const { nodeId, name, address } = this.#options;
    return { nodeId, name, url: address.nodeUrl };
  }

  get held(): number {
    return this.#keeper.sessions().length;
  }

  /** Milliseconds since the leases were last renewed. */
  get renewedAgoMs(): number {
    return this.#keeper.renewedAgoMs;
  }

  /**
   * Joins the cluster and takes this node's first share of the sessions.
   * @throws GatewayError `store_unavailable`
   */
  async start(): Promise<void> {
    await this.#options.cluster.leases.seed();
    this.#keeper.start();
    await this.#beat();
    // start heartbeats first: without them, a node that is busy taking thousands of sessions would count as gone
    this.#beatLater();
    await this.#handover.taken();
  }

  /** Hands all sessions over to other nodes, if there are any, and takes no new ones. Still finds the nodes of sessions. */
  async drain(): Promise<void> {
    await this.#takeNoMore();
    const { cluster, nodeId, log } = this.#options;
    try {
      await cluster.nodes.drain(nodeId, true);
      if ((await this.#takers()).length === 0) return;
      log.info({ sessions: this.held }, 'handing all sessions over to other nodes');
      await this.#handover.give(this.#keeper.sessions());
    } catch (error) {
      log.warn({ err: error }, 'handing the sessions over failed');
    }
  }

  /** Leaves the cluster and releases all leases. No session may be served afterwards. */
  async leave(): Promise<void> {
    this.#left = true;
    this.#cancelBeat();
    await this.#takeNoMore();
    const released = this.#keeper.sessions().map((clientId) => this.#keeper.release(clientId));
    await Promise.allSettled(released);
    this.#keeper.stop();
    const { cluster, nodeId } = this.#options;
    await cluster.nodes.leave(nodeId).catch(() => undefined);
  }

  /** Whether this node may act for a session now. */
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
    const at = await this.#handover.placeOf(clientId);
    return at ? { at } : this.#foreign.find(clientId);
  }

  distrust(clientId: string): void {
    this.#foreign.distrust(clientId);
  }

  async exists(clientId: string): Promise<boolean> {
    const { sessions } = this.#options;
    const exists = await sessions.exists(clientId);
    if (!exists) sessions.gone(clientId);
    return exists;
  }

  async take(clientId: string): Promise<boolean> {
    const mayTake = this.holds(clientId) || !(this.#draining || this.#stopping);
    const isTaken = mayTake && (await this.#handover.take(clientId));
    if (!isTaken) this.distrust(clientId);
    return isTaken;
  }

  enter(clientId: string): (() => void) | undefined {
    return this.#handover.enter(clientId);
  }

  others(): Promise<PeerNode[]> {
    return this.#foreign.others();
  }

  /** @throws GatewayError `session_elsewhere`, `store_unavailable` */
  async acquire(clientId: string): Promise<void> {
    if (await this.take(clientId)) return;
    throw elsewhere(clientId);
  }

  /** Releases the lease of a deleted session. Never rejects. */
  async ended(clientId: string): Promise<void> {
    await this.#keeper.release(clientId, true).catch((error: unknown) => {
      this.#options.log.warn(
        { err: error, clientId },
        'the lease of a deleted session could not be released; it expires by itself',
      );
    });
  }

  async #takeNoMore(): Promise<void> {
    this.#stopping = true;
    this.#handover.takeNoMore();
    await this.#beating;
  }

  #beatLater(): void {
    if (this.#left) return;
    this.#cancelBeat = this.#options.clock.after(HEARTBEAT_MS, () => {
      this.#beating = this.#beat()
        .then(() => this.#noteOutage(undefined))
        .catch((error: unknown) => this.#noteOutage(error))
        .finally(() => this.#beatLater());
    });
  }

  async #beat(): Promise<void> {
    const { cluster, nodeId, name, address, version, leaseMs } = this.#options;
    const { draining } = await cluster.nodes.announce(
      { nodeId, name, url: address.nodeUrl, version },
      leaseMs,
    );
    this.#draining = draining;
    // heartbeats continue: other nodes must find the sessions that are still here
    if (this.#stopping) return;
    const [takers, counts, found] = await Promise.all([
      this.#takers(),
      cluster.leases.counts(),
      cluster.leases.free(FREE_AT_ONCE),
    ]);
    const free = found.filter((clientId) => !this.#handover.hasFailed(clientId));
    const own = this.#handover.staying();
    const overdue = this.#noteFree(free);
    const view = { self: nodeId, draining, held: own.length, takers, counts, free, overdue };
    const { take, give } = placement(view);
    if (give > 0 && (draining || !this.#handover.isGiving)) void this.#handover.give(own, give);
    this.#handover.takeSome(take);
    for (const clientId of this.#handover.unused()) await this.#releaseUnused(clientId);
  }

  /** Releases a session whose creation failed. */
  async #releaseUnused(clientId: string): Promise<void> {
    const exists = await this.#options.sessions.exists(clientId);
    if (!this.#handover.unused().includes(clientId)) return;
    if (exists) await this.#keeper.release(clientId);
    else await this.ended(clientId);
  }

  /** @returns sessions that have been free for long */
  #noteFree(free: readonly string[]): Set<string> {
    this.#seenFree = new Map(free.map((clientId) => [clientId, (this.#seenFree.get(clientId) ?? 0) + 1]));
    return new Set(free.filter((clientId) => (this.#seenFree.get(clientId) ?? 0) > OVERDUE_BEATS));
  }

  /** The live nodes that take sessions. @throws GatewayError `store_unavailable` */
  async #takers(): Promise<Taker[]> {
    const { leaseMs } = this.#options;
    return (await this.#foreign.refresh())
      .filter(({ draining }) => !draining)
      .map(({ nodeId, ageMs }) => ({ nodeId, settled: ageMs >= leaseMs }));
  }

  /** Logs an outage once, not every second. */
  #noteOutage(error: unknown): void {
    const { log } = this.#options;
    if (error && !this.#isBlind) log.warn({ err: error }, 'the nodes of the store cannot be read');
    if (!error && this.#isBlind) log.info('the nodes of the store can be read again');
    this.#isBlind = error !== undefined;
  }
}

function elsewhere(clientId: string): GatewayError {
  return new GatewayError('session_elsewhere', `another node holds session ${clientId}; ask again`);
}
