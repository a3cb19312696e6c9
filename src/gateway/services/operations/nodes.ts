import type { Lease, Node } from '../../../contract/index.js';
import type { EpochMs } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import type { ClusterStore, LeaseRecord, SeenNode } from '../../store/store.js';

/** The nodes that share the store, and the leases of sessions. All methods throw store_unavailable. */
export interface Nodes {
  /** Lists the nodes, sorted by name. */
  list(): Promise<Node[]>;
  /** Lists the leases, sorted by clientId, or only that of one session. Empty if the store has only one node. */
  leases(clientId?: string): Promise<Lease[]>;
  /** Sessions that no node holds, at most `limit`. */
  unheld(limit: number): Promise<string[]>;
  /**
   * Starts or ends a drain: the node gives its sessions away and takes no new ones, but still answers and forwards
   * requests.
   * @param name of the node, or its nodeId
   * @throws node_unknown, node_ambiguous where several have that name, nodes_unsupported where there is only one
   */
  drain(name: string, draining: boolean): Promise<Node>;
}

/** Milliseconds without a heartbeat after which a node may be gone: living nodes send one every second. */
const SILENT_MS = 5_000;

interface SoleNodeOptions {
  podName: string;
  version: string;
  now(): EpochMs;
  /** Number of sessions of this node. */
  sessions(): number;
}

/** The node list of a store that nodes cannot share. */
export function soleNode({ podName, version, now, sessions }: SoleNodeOptions): Nodes {
  const startedAt = now();
  return {
    list: async () => [
      {
        nodeId: podName,
        podName,
        url: '',
        self: true,
        version,
        draining: false,
        ageSeconds: seconds(now() - startedAt),
        silentSeconds: 0,
        sessions: sessions(),
      },
    ],
    leases: async () => [],
    unheld: async () => [],
    async drain() {
      throw new GatewayError(
        'nodes_unsupported',
        'there is only one node: several need MongoDB as their store; see docs/clustering.md',
      );
    },
  };
}

interface ClusterNodesOptions {
  cluster: ClusterStore;
  /** The nodeId of this node. */
  selfId: string;
  /** Milliseconds without a heartbeat after which a node counts as gone. */
  aliveMs: number;
}

/** The nodes that share the store. */
export function clusterNodes({ cluster, selfId, aliveMs }: ClusterNodesOptions): Nodes {
  const { nodes, leases } = cluster;
  const alive = () => nodes.list(aliveMs);

  function show(node: SeenNode, counts: ReadonlyMap<string, number>): Node {
    const { nodeId, name, url, version, draining, ageMs, silentMs } = node;
    return {
      nodeId,
      podName: name,
      url,
      self: nodeId === selfId,
      version,
      draining,
      ageSeconds: seconds(ageMs),
      silentSeconds: seconds(silentMs),
      sessions: counts.get(nodeId) ?? 0,
    };
  }

  async function held(clientId: string | undefined): Promise<LeaseRecord[]> {
    if (clientId === undefined) return leases.list();
    const lease = await leases.holder(clientId);
    return lease ? [lease] : [];
  }

  return {
    async list() {
      const [seen, counts] = await Promise.all([alive(), leases.counts()]);
      return seen.map((node) => show(node, counts));
    },
    async leases(clientId) {
      const [seen, found] = await Promise.all([alive(), held(clientId)]);
      const names = new Map(seen.map(({ nodeId, name }) => [nodeId, name]));
      return found.map((lease) => showLease(lease, names.get(lease.nodeId) ?? ''));
    },
    unheld: (limit) => leases.free(limit),
    async drain(name, draining) {
      const node = theOne(name, await alive());
      if (!(await nodes.drain(node.nodeId, draining))) throw unknown(name, []);
      return show({ ...node, draining }, await leases.counts());
    },
  };
}

function showLease({ clientId, nodeId, epoch, ageMs, leftMs }: LeaseRecord, podName: string): Lease {
  return { clientId, podName, nodeId, epoch, ageSeconds: seconds(ageMs), leftSeconds: seconds(leftMs) };
}

/** @throws GatewayError node_unknown, node_ambiguous */
function theOne(name: string, nodes: readonly SeenNode[]): SeenNode {
  const byId = nodes.find(({ nodeId }) => nodeId === name);
  const named = byId ? [byId] : living(nodes.filter((node) => node.name === name));
  const [node, ...others] = named;
  if (!node) throw unknown(name, nodes);
  if (others.length === 0) return node;
  const ids = named.map(({ nodeId }) => nodeId).join(', ');
  throw new GatewayError(
    'node_ambiguous',
    `${named.length} nodes are called ${name}: name one by its id: ${ids}`,
  );
}

/** Drops dead twins: a node that was killed and started again is listed twice for a while, and only one has heartbeats. */
function living(twins: readonly SeenNode[]): readonly SeenNode[] {
  const speaking = twins.filter(({ silentMs }) => silentMs < SILENT_MS);
  return speaking.length > 0 ? speaking : twins;
}

function unknown(name: string, nodes: readonly SeenNode[]): GatewayError {
  const names = nodes.map((node) => node.name).join(', ');
  const there = names ? `; there are: ${names}` : '; no node is live';
  return new GatewayError('node_unknown', `there is no node ${name}${there}`);
}

/** Milliseconds to whole seconds, rounded down, at least 0. */
function seconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1_000));
}
