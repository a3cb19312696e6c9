import type { NodeRecord, NodeStore, SeenNode } from '../../../src/store/store.js';
import type { LeaseTable } from './lease-table.js';

interface Row extends NodeRecord {
  draining: boolean;
  startedAt: number;
  seenAt: number;
}

/** Nodes in memory, under the clock of a table of leases. */
export class NodeTable implements NodeStore {
  readonly #leases: LeaseTable;
  readonly #rows = new Map<string, Row>();

  constructor(leases: LeaseTable) {
    this.#leases = leases;
  }

  async announce(node: NodeRecord, lapseMs: number): Promise<{ draining: boolean }> {
    const { now } = this.#leases;
    const { startedAt: before = now, seenAt = now, draining = false } = this.#rows.get(node.nodeId) ?? {};
    const startedAt = now - seenAt > lapseMs ? now : before;
    this.#rows.set(node.nodeId, { ...node, draining, startedAt, seenAt: now });
    return { draining };
  }

  async list(withinMs: number): Promise<SeenNode[]> {
    const { now } = this.#leases;
    return [...this.#rows.values()]
      .map(({ startedAt, seenAt, ...node }) => ({ ...node, ageMs: now - startedAt, silentMs: now - seenAt }))
      .filter(({ silentMs }) => silentMs < withinMs);
  }

  async drain(nodeId: string, draining: boolean): Promise<boolean> {
    const row = this.#rows.get(nodeId);
    if (row) row.draining = draining;
    return row !== undefined;
  }

  async leave(nodeId: string): Promise<void> {
    this.#rows.delete(nodeId);
  }
}
