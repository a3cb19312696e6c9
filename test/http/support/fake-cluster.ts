import { createServer, type RequestListener } from 'node:http';
import type { ClusterStore, NodeRecord, NodeStore, SeenNode } from '../../../src/store/store.js';
import { LeaseTable } from '../../cluster/support/lease-table.js';

/** Nodes in memory; what they say of themselves never gets old. */
class NodeTable implements NodeStore {
  readonly rows = new Map<string, SeenNode>();

  async announce(node: NodeRecord): Promise<{ draining: boolean }> {
    const row = { draining: false, ageMs: 0, silentMs: 0, ...this.rows.get(node.nodeId), ...node };
    this.rows.set(node.nodeId, row);
    return row;
  }

  async list(withinMs: number): Promise<SeenNode[]> {
    return [...this.rows.values()].filter(({ silentMs }) => silentMs < withinMs);
  }

  async drain(nodeId: string, draining: boolean): Promise<boolean> {
    const row = this.rows.get(nodeId);
    if (row) this.rows.set(nodeId, { ...row, draining });
    return row !== undefined;
  }

  async leave(nodeId: string): Promise<void> {
    this.rows.delete(nodeId);
  }
}

/** What nodes share, in memory. */
export class FakeCluster implements ClusterStore {
  readonly leases = new LeaseTable();
  readonly nodes = new NodeTable();

  /** A node that has been there for an hour. */
  add(nodeId: string, url = '', more: Partial<SeenNode> = {}): void {
    const row = { nodeId, name: nodeId, url, version: '2026-11', draining: false };
    this.nodes.rows.set(nodeId, { ...row, ageMs: 3_600_000, silentMs: 400, ...more });
  }

  /** Has a node hold a session, for 20 seconds from now on. */
  hold(nodeId: string, clientId: string): void {
    if (this.leases.claimNow(clientId, nodeId, 20_000) === undefined) throw new Error(`${clientId} is held`);
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
