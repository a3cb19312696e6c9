import type { MonotonicClock } from '../domain/clock.js';
import type { ClusterStore, SeenNode } from '../store/store.js';
import type { Owner, PeerNode } from './owners.js';

/** Milliseconds for which it is believed who holds a session. */
const BELIEVED_MS = 1_000;

export interface ForeignOwnersOptions {
  cluster: ClusterStore;
  /** The nodeId of this node. */
  selfId: string;
  /** Milliseconds after which a node that says nothing counts as gone. */
  aliveMs: number;
  clock: MonotonicClock;
}

/** Which of the other nodes holds a session, asked of the store and believed for a moment. */
export class ForeignOwners {
  readonly #options: ForeignOwnersOptions;
  readonly #found = new Map<string, { owner: Promise<Owner>; until: number }>();
  #nodes: readonly SeenNode[] = [];

  constructor(options: ForeignOwnersOptions) {
    this.#options = options;
  }

  /** Looks which nodes are there, and forgets what is not believed any more. @throws GatewayError store_unavailable */
  async look(): Promise<readonly SeenNode[]> {
    const { cluster, aliveMs, clock } = this.#options;
    this.#nodes = await cluster.nodes.list(aliveMs);
    const now = clock.monotonic();
    for (const [clientId, { until }] of this.#found) if (until <= now) this.#found.delete(clientId);
    return this.#nodes;
  }

  /** @throws GatewayError store_unavailable */
  find(clientId: string): Promise<Owner> {
    const now = this.#options.clock.monotonic();
    const known = this.#found.get(clientId);
    if (known && known.until > now) return known.owner;
    const owner = this.#ask(clientId);
    this.#found.set(clientId, { owner, until: now + BELIEVED_MS });
    // neither a failure nor an absence is worth remembering
    const forget = () => {
      if (this.#found.get(clientId)?.owner === owner) this.#found.delete(clientId);
    };
    owner.then(({ at }) => at !== 'peer' && forget(), forget);
    return owner;
  }

  /** The next `find` asks the store. */
  distrust(clientId: string): void {
    this.#found.delete(clientId);
  }

  /** The other nodes that are there. @throws GatewayError store_unavailable */
  async others(): Promise<PeerNode[]> {
    const nodes = await this.#options.cluster.nodes.list(this.#options.aliveMs);
    return nodes.filter(({ nodeId }) => nodeId !== this.#options.selfId).map(peerOf);
  }

  async #ask(clientId: string): Promise<Owner> {
    const { cluster, selfId } = this.#options;
    const lease = await cluster.leases.holder(clientId);
    // a lease of this node that it does not count on any more: it is about to run out, or was claimed at this instant
    if (!lease || lease.nodeId === selfId) return { at: 'nobody' };
    const isHolder = ({ nodeId }: SeenNode) => nodeId === lease.nodeId;
    const node = this.#nodes.find(isHolder) ?? (await this.look()).find(isHolder);
    // one that holds a session and says nothing is gone: its lease runs out
    return node ? { at: 'peer', node: peerOf(node) } : { at: 'nobody' };
  }
}

function peerOf({ nodeId, name, url }: SeenNode): PeerNode {
  return { nodeId, name, url };
}
