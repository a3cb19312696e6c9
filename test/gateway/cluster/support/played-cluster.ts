import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { GatewayError } from '../../../../src/domain/errors.js';
import type { NodeSessions } from '../../../../src/gateway/cluster/handover.js';
import { ClusterMember } from '../../../../src/gateway/cluster/node.js';
import type { ClusterStore } from '../../../../src/gateway/store/store.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { LeaseTable, NodeTable } from './tables.js';

export const LEASE_MS = 15_000;

/** A node of a played cluster: real decisions over sessions that are only names. */
export class PlayedNode implements NodeSessions {
  readonly cluster: ClusterMember;
  readonly clock = new ManualClock();
  readonly here = new Set<string>();
  /** The events of its sessions, in order. */
  readonly story: string[] = [];
  /** The node runs: its time passes. */
  runs = true;
  /** The node cannot take these up. */
  readonly unable = new Set<string>();
  /** Runs before a session is taken up, and before it is given away. */
  beforeAdopt: (() => Promise<void>) | undefined;
  beforeLeave: (() => Promise<void>) | undefined;
  /** The node reaches the store. */
  isConnected = true;
  readonly #played: PlayedCluster;

  constructor(played: PlayedCluster, name: string) {
    this.#played = played;
    this.cluster = new ClusterMember({
      cluster: this.#reach(played.store),
      nodeId: name,
      name,
      address: { nodeUrl: `http://${name}` },
      version: '2026-11',
      leaseMs: LEASE_MS,
      sessions: this,
      observer: { sessionTaken() {}, sessionGiven() {}, leaseLost() {} },
      clock: this.clock,
      log: pino({ level: 'silent' }),
    });
  }

  has(clientId: string): boolean {
    return this.here.has(clientId);
  }

  async exists(clientId: string): Promise<boolean> {
    return this.#played.sessions.has(clientId);
  }

  async adopt(clientId: string): Promise<void> {
    if (!this.#played.sessions.has(clientId)) return;
    if (this.unable.has(clientId)) throw new GatewayError('store_unavailable', 'damaged');
    if (this.beforeAdopt) await this.beforeAdopt();
    this.here.add(clientId);
    this.story.push(`takes ${clientId}`);
  }

  async leave(clientId: string): Promise<void> {
    if (this.beforeLeave) await this.beforeLeave();
    this.here.delete(clientId);
    this.story.push(`gives ${clientId}`);
  }

  drop(clientId: string): void {
    this.here.delete(clientId);
    this.story.push(`loses ${clientId}`);
  }

  gone(): void {}

  /** The store, for as long as it can be reached. */
  #reach(store: ClusterStore): ClusterStore {
    const through = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== 'function') return method;
          return async (...given: unknown[]) => {
            if (!this.isConnected) throw new GatewayError('store_unavailable', 'cut off');
            return Reflect.apply(method, target, given);
          };
        },
      });
    return { leases: through(store.leases), nodes: through(store.nodes) };
  }
}

/** Nodes on one store in memory, whose time passes as a test wants. */
export class PlayedCluster {
  readonly leases = new LeaseTable();
  readonly store: ClusterStore = { leases: this.leases, nodes: new NodeTable(this.leases) };
  /** The sessions that exist. */
  readonly sessions = new Set<string>();
  readonly nodes: PlayedNode[] = [];

  /** Sessions without a holder. */
  async add(...clientIds: string[]): Promise<void> {
    for (const clientId of clientIds) {
      this.sessions.add(clientId);
      const epoch = this.leases.claimNow(clientId, 'nobody', LEASE_MS);
      if (epoch) this.leases.releaseNow(clientId, 'nobody', epoch);
    }
  }

  async join(name: string): Promise<PlayedNode> {
    const node = this.enlist(name);
    await node.cluster.start();
    return node;
  }

  /** A node that has not started yet. */
  enlist(name: string): PlayedNode {
    const node = new PlayedNode(this, name);
    this.nodes.push(node);
    return node;
  }

  /** Advances the clocks second by second. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.leases.now += 1_000;
      for (const node of this.nodes) if (node.runs) node.clock.advance(1_000);
      // all that follows happens in memory: a few rounds of the event loop end it
      for (let round = 0; round < 5; round++) await setImmediate();
    }
  }

  /** How many sessions each node has. */
  spread(): number[] {
    return this.nodes.map(({ here }) => here.size);
  }
}
