import { createServer, type RequestListener } from 'node:http';
import { type Owner, type Owners, type PeerNode, soleOwner } from '../../../../src/gateway/cluster/owners.js';
import type { Membership } from '../../../../src/gateway/daemon/membership.js';
import { clusterNodes } from '../../../../src/gateway/services/operations/nodes.js';
import type { ClusterStore } from '../../../../src/gateway/store/store.js';
import { LeaseTable, NodeTable } from '../../cluster/support/tables.js';

/** Owners of sessions, set by the test. */
export class ScriptedOwners implements Owners {
  readonly self: PeerNode;
  /** Sessions that are held here. */
  readonly held = new Set<string>();
  /** Sessions that exist. */
  readonly known = new Set<string>();
  /** Recorded calls, in order. */
  readonly calls: string[] = [];
  /** Requests under way here, and how many there have been. */
  underWay = 0;
  entered = 0;
  peers: PeerNode[] = [];
  /** Asked for sessions that are not held here. */
  script: (clientId: string) => Owner = () => ({ at: 'nobody' });
  /** Whether a session is taken when that is asked for. */
  takes: (clientId: string) => boolean = () => false;
  failure: Error | undefined;

  constructor(name: string) {
    this.self = { nodeId: `id-of-${name}`, name, url: '' };
  }

  /** Holds nothing, and knows of nothing. */
  reset(): void {
    Object.assign(this, new ScriptedOwners(this.self.name), { self: this.self });
  }

  async find(clientId: string): Promise<Owner> {
    this.calls.push('find');
    if (this.failure) throw this.failure;
    return this.held.has(clientId) ? { at: 'here' } : this.script(clientId);
  }

  distrust(): void {
    this.calls.push('distrust');
  }

  async exists(clientId: string): Promise<boolean> {
    return this.known.has(clientId);
  }

  async take(clientId: string): Promise<boolean> {
    this.calls.push('take');
    const isTaken = this.takes(clientId);
    if (isTaken) this.held.add(clientId);
    return isTaken;
  }

  enter(clientId: string): (() => void) | undefined {
    if (!this.held.has(clientId)) return undefined;
    this.underWay += 1;
    this.entered += 1;
    return () => {
      this.underWay -= 1;
    };
  }

  async others(): Promise<PeerNode[]> {
    return this.peers;
  }
}

/** The unusual properties of a node. */
interface NodeChanges {
  name?: string;
  draining?: boolean;
  ageMs?: number;
  silentMs?: number;
}

/** The shared state of nodes, in memory. */
export class FakeCluster implements ClusterStore {
  readonly leases = new LeaseTable();
  readonly nodes = new NodeTable(this.leases);

  /** A node that has been there for an hour. */
  add(
    nodeId: string,
    url = '',
    { name = nodeId, draining, ageMs = 3_600_000, silentMs = 400 }: NodeChanges = {},
  ): void {
    const { now } = this.leases;
    for (const agoMs of [ageMs, silentMs]) {
      this.leases.now = now - agoMs;
      void this.nodes.announce({ nodeId, name, url, version: '2026-11' }, Number.POSITIVE_INFINITY);
    }
    this.leases.now = now;
    if (draining) void this.nodes.drain(nodeId, true);
  }

  /** A session that a node has given away, and that none holds now. */
  release(clientId: string): void {
    const epoch = this.leases.claimNow(clientId, 'former', 1);
    if (epoch !== undefined) this.leases.releaseNow(clientId, 'former', epoch);
  }

  /** Whether a node is draining. */
  async isDraining(nodeId: string): Promise<boolean | undefined> {
    const nodes = await this.nodes.list(Number.POSITIVE_INFINITY);
    return nodes.find((node) => node.nodeId === nodeId)?.draining;
  }

  /** Has a node hold a session, for 20 seconds from some milliseconds ago on. */
  hold(nodeId: string, clientId: string, agoMs = 0): void {
    this.leases.now -= agoMs;
    if (this.leases.claimNow(clientId, nodeId, 20_000) === undefined) throw new Error(`${clientId} is held`);
    this.leases.now += agoMs;
  }
}

/** A server at a free port. */
export async function answeringServer(
  listener: RequestListener,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The place of `node-1` in a cluster; it holds the sessions that its registry has. */
export function memberOf(cluster: FakeCluster): Membership {
  cluster.add('node-1', 'http://127.0.0.1:3000');
  let has: (clientId: string) => boolean = () => false;
  return {
    owners: soleOwner('node-1', (clientId) => has(clientId)),
    ownership: {
      shared: true,
      holds: () => true,
      confirm: async () => undefined,
      acquire: async () => undefined,
      ended: async () => undefined,
    },
    nodes: clusterNodes({ cluster, selfId: 'node-1', aliveMs: 10_000 }),
    leases: undefined,
    async prepare({ sessions }) {
      has = (clientId) => sessions.has(clientId);
    },
    start: async () => undefined,
    drain: async () => undefined,
    leave: async () => undefined,
  };
}
