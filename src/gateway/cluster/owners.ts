import type { MonotonicClock } from '../../domain/clock.js';
import type { ClusterStore, SeenNode } from '../store/store.js';

/** The address of a node. */
export interface PeerNode {
  nodeId: string;
  /** The setting `node-name`. */
  name: string;
  /** Without a trailing slash. */
  url: string;
}

/** The node that holds a session. */
export type Owner =
  /** This node, which accepts requests. */
  | { at: 'here' }
  /** This node, which is handing it over and accepts no requests. */
  | { at: 'moving' }
  | { at: 'peer'; node: PeerNode }
  /** No node: the session does not exist, or its node has gone and another one is about to take it. */
  | { at: 'nobody' };

/** Finds the node that holds a session. */
export interface Owners {
  readonly self: PeerNode;
  /**
   * Answers from memory for this node's own sessions, and from a short-lived cache for others.
   * @throws GatewayError `store_unavailable`
   */
  find(clientId: string): Promise<Owner>;
  /** Drops the cached answer: the next `find` asks the store. */
  distrust(clientId: string): void;
  /** Whether the session exists on any node. @throws GatewayError `store_unavailable` */
  exists(clientId: string): Promise<boolean>;
  /**
   * Claims a session that no node holds, and connects it if it exists.
   * @returns false if another node was faster, or if this node takes no more sessions
   * @throws GatewayError `store_unavailable`
   */
  take(clientId: string): Promise<boolean>;
  /**
   * Begins a request; the returned function ends it. A session is handed over only when no request is active.
   * @returns undefined if this node does not hold the session or is handing it over
   */
  enter(clientId: string): (() => void) | undefined;
  /** The other live nodes. @throws GatewayError `store_unavailable` */
  others(): Promise<PeerNode[]>;
}

/** `Owners` of a node that does not share its store. */
export function soleOwner(name: string, has: (clientId: string) => boolean): Owners {
  return {
    self: { nodeId: name, name, url: '' },
    find: async () => ({ at: 'here' }),
    distrust: () => undefined,
    exists: async (clientId) => has(clientId),
    take: async () => true,
    enter: () => () => undefined,
    others: async () => [],
  };
}

/** Milliseconds that an answer is cached. */
const CACHED_MS = 1_000;

interface ForeignOwnersOptions {
  cluster: ClusterStore;
  /** This node's nodeId. */
  selfId: string;
  /** Milliseconds without a heartbeat after which a node counts as gone. */
  aliveMs: number;
  clock: MonotonicClock;
}

/** Asks the store which other node holds a session, with a short-lived cache. */
export class ForeignOwners {
  readonly #options: ForeignOwnersOptions;
  readonly #found = new Map<string, { owner: Promise<Owner>; until: number }>();
  #nodes: readonly SeenNode[] = [];

  constructor(options: ForeignOwnersOptions) {
    this.#options = options;
  }

  /** Reads the live nodes, and drops expired cache entries. @throws GatewayError `store_unavailable` */
  async refresh(): Promise<readonly SeenNode[]> {
    const { cluster, aliveMs, clock } = this.#options;
    this.#nodes = await cluster.nodes.list(aliveMs);
    const now = clock.monotonic();
    for (const [clientId, { until }] of this.#found) if (until <= now) this.#found.delete(clientId);
    return this.#nodes;
  }

  /** @throws GatewayError `store_unavailable` */
  find(clientId: string): Promise<Owner> {
    const now = this.#options.clock.monotonic();
    const known = this.#found.get(clientId);
    if (known && known.until > now) return known.owner;
    const owner = this.#ask(clientId);
    this.#found.set(clientId, { owner, until: now + CACHED_MS });
    // do not cache failures and absences
    const forget = () => {
      if (this.#found.get(clientId)?.owner === owner) this.#found.delete(clientId);
    };
    owner.then(({ at }) => at !== 'peer' && forget(), forget);
    return owner;
  }

  distrust(clientId: string): void {
    this.#found.delete(clientId);
  }

  async others(): Promise<PeerNode[]> {
    const nodes = await this.#options.cluster.nodes.list(this.#options.aliveMs);
    return nodes.filter(({ nodeId }) => nodeId !== this.#options.selfId).map(peerOf);
  }

  async #ask(clientId: string): Promise<Owner> {
    const { cluster, selfId } = this.#options;
    const lease = await cluster.leases.holder(clientId);
    // this node's own lease is about to expire or was claimed just now
    if (!lease || lease.nodeId === selfId) return { at: 'nobody' };
    const isHolder = ({ nodeId }: SeenNode) => nodeId === lease.nodeId;
    const node = this.#nodes.find(isHolder) ?? (await this.refresh()).find(isHolder);
    // a node without heartbeats has gone, and its lease will expire
    return node ? { at: 'peer', node: peerOf(node) } : { at: 'nobody' };
  }
}

function peerOf({ nodeId, name, url }: SeenNode): PeerNode {
  return { nodeId, name, url };
}
