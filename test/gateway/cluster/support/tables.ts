import type {
  LeaseRecord,
  LeaseStore,
  NodeRecord,
  NodeStore,
  SeenNode,
} from '../../../../src/gateway/store/store.js';

interface LeaseRow {
  nodeId: string;
  epoch: number;
  claimedAt: number;
  expiresAt: number;
  gone?: boolean;
}

/** Leases in memory under a clock of their own: the same rules as a store's, to be explored step by step. */
export class LeaseTable implements LeaseStore {
  /** Milliseconds by the store's clock. */
  now = 1_000_000;
  /** Sessions that were there before there were leases. */
  readonly sessions = new Set<string>();
  readonly #rows = new Map<string, LeaseRow>();

  /** Like `claim`, but synchronous. */
  claimNow(clientId: string, nodeId: string, lastsMs: number): number | undefined {
    const row = this.#rows.get(clientId);
    if (row && row.expiresAt > this.now) return undefined;
    const epoch = (row?.epoch ?? 0) + 1;
    this.#rows.set(clientId, { nodeId, epoch, claimedAt: this.now, expiresAt: this.now + lastsMs });
    return epoch;
  }

  /** Like `renew`, but synchronous. */
  renewNow(nodeId: string, lastsMs: number): ReadonlyMap<string, number> {
    const held = this.#valid().filter(([, row]) => row.nodeId === nodeId);
    for (const [, row] of held) row.expiresAt = this.now + lastsMs;
    return new Map(held.map(([clientId, { epoch }]) => [clientId, epoch]));
  }

  /** Like `release`, but synchronous. */
  releaseNow(clientId: string, nodeId: string, epoch: number): void {
    const row = this.#rows.get(clientId);
    if (row?.nodeId === nodeId && row.epoch === epoch) row.expiresAt = this.now;
  }

  /** The last epoch that was given out; 0 before the first. */
  epochOf(clientId: string): number {
    return this.#rows.get(clientId)?.epoch ?? 0;
  }

  async claim(clientId: string, nodeId: string, lastsMs: number): Promise<number | undefined> {
    return this.claimNow(clientId, nodeId, lastsMs);
  }

  async renew(nodeId: string, lastsMs: number): Promise<ReadonlyMap<string, number>> {
    return this.renewNow(nodeId, lastsMs);
  }

  async release(clientId: string, nodeId: string, epoch: number, gone = false): Promise<void> {
    this.releaseNow(clientId, nodeId, epoch);
    const row = this.#rows.get(clientId);
    if (gone && row?.nodeId === nodeId && row.epoch === epoch) row.gone = true;
  }

  async free(limit: number): Promise<string[]> {
    const free = [...this.#rows].filter(([, { expiresAt, gone }]) => expiresAt <= this.now && !gone);
    return free.slice(0, limit).map(([clientId]) => clientId);
  }

  async counts(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const [, { nodeId }] of this.#valid()) counts.set(nodeId, (counts.get(nodeId) ?? 0) + 1);
    return counts;
  }

  async seed(): Promise<void> {
    for (const clientId of this.sessions) {
      if (this.#rows.has(clientId)) continue;
      this.#rows.set(clientId, { nodeId: '', epoch: 0, claimedAt: 0, expiresAt: 0 });
    }
  }

  async holder(clientId: string): Promise<LeaseRecord | undefined> {
    return (await this.list()).find((lease) => lease.clientId === clientId);
  }

  async list(): Promise<LeaseRecord[]> {
    return this.#valid()
      .map(([clientId, { nodeId, epoch, claimedAt, expiresAt }]) => ({
        clientId,
        nodeId,
        epoch,
        ageMs: this.now - claimedAt,
        leftMs: expiresAt - this.now,
      }))
      .sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
  }

  #valid(): [string, LeaseRow][] {
    return [...this.#rows].filter(([, { expiresAt }]) => expiresAt > this.now);
  }
}

interface NodeRow extends NodeRecord {
  draining: boolean;
  startedAt: number;
  seenAt: number;
}

/** Nodes in memory, under the clock of a table of leases. */
export class NodeTable implements NodeStore {
  readonly #leases: LeaseTable;
  readonly #rows = new Map<string, NodeRow>();

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
