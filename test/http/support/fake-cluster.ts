import { createServer, type RequestListener } from 'node:http';
import type { ClusterStore } from '../../../src/store/store.js';
import { LeaseTable } from '../../cluster/support/lease-table.js';
import { NodeTable } from '../../cluster/support/node-table.js';

/** What of a node is not as usual. */
interface NodeChanges {
  name?: string;
  draining?: boolean;
  ageMs?: number;
  silentMs?: number;
}

/** What nodes share, in memory. */
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

  /** Whether a node has been told to give its sessions away. */
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

/** Something that answers requests at a free port. */
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
