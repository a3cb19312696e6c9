import { randomUUID } from 'node:crypto';
import { Cluster } from './cluster/cluster.js';
import { type Owners, soleOwner } from './cluster/owners.js';
import type { MonotonicClock } from './domain/clock.js';
import type { Logger } from './log.js';
import type { LeaseSources, Metrics } from './metrics.js';
import type { FailureCounts } from './services/fleet/failure-counts.js';
import type { Gateway } from './services/gateway.js';
import { clusterNodes, soleNode } from './services/nodes.js';
import type { Nodes } from './services/services.js';
import { type Residence, SOLE_RESIDENCE } from './services/sessions/residence.js';
import type { ClusterStore, Store } from './store/store.js';

export interface MembershipOptions {
  store: Pick<Store, 'cluster' | 'sessions'>;
  /** The setting `node-name`. */
  name: string;
  /** Where other nodes reach this one; known once it listens. */
  url(): string;
  version: string;
  /** Milliseconds that a lease lasts. */
  leaseMs: number;
  /** Both are there before the node starts. */
  gateway(): Gateway;
  failures: Pick<FailureCounts, 'recount'>;
  metrics(): Metrics;
  clock: MonotonicClock;
  log: Logger;
}

/** A daemon's place among the nodes of its store, and the sessions that come with it. */
export interface Membership {
  owners: Owners;
  residence: Residence;
  nodes: Nodes;
  /** What the metrics tell of leases; undefined where there are none. */
  leases: LeaseSources | undefined;
  /** Before anybody can ask. */
  prepare(): Promise<void>;
  /** Takes up this node's sessions, and connects them. */
  start(): Promise<void>;
  /** Gives sessions to other nodes, if there are any. Never rejects. */
  drain(): Promise<void>;
  /** Nothing of a session is written any more. */
  leave(): Promise<void>;
}

/** Joins the nodes of the store where it can be shared; otherwise this node has everything. */
export function joinNodes(options: MembershipOptions): Membership {
  const { cluster } = options.store;
  return cluster ? clusterMember(cluster, options) : soleMember(options);
}

function soleMember({ name, version, gateway, clock }: MembershipOptions): Membership {
  const nothing = async () => undefined;
  return {
    owners: soleOwner(name, (clientId) => gateway().sessions.has(clientId)),
    residence: SOLE_RESIDENCE,
    nodes: soleNode({
      podName: name,
      version,
      now: () => clock.now(),
      sessions: () => gateway().sessions.all().length,
    }),
    leases: undefined,
    prepare: () => gateway().restore(),
    start: () => gateway().start(),
    drain: nothing,
    leave: nothing,
  };
}

function clusterMember(cluster: ClusterStore, options: MembershipOptions): Membership {
  const { store, gateway, failures, metrics, leaseMs } = options;
  const nodeId = randomUUID();
  const node = new Cluster({
    ...options,
    cluster,
    nodeId,
    residents: {
      has: (clientId) => gateway().sessions.has(clientId),
      exists: async (clientId) => (await store.sessions.get(clientId)) !== undefined,
      async adopt(clientId) {
        await failures.recount(clientId);
        await gateway().adopt(clientId);
      },
      leave: (clientId) => gateway().leave(clientId),
      drop: (clientId) => gateway().drop(clientId),
      gone: (clientId) => gateway().sessions.forgetElsewhere(clientId),
    },
    observer: {
      sessionTaken: () => metrics().sessionTaken(),
      sessionGiven: () => metrics().sessionGiven(),
      leaseLost: () => metrics().leaseLost(),
    },
  });
  return {
    owners: node,
    residence: {
      shared: true,
      holds: (clientId) => node.holds(clientId),
      confirm: (clientId) => node.confirm(clientId),
      acquire: (clientId) => node.acquire(clientId),
      ended: (clientId) => node.ended(clientId),
    },
    nodes: clusterNodes({ cluster, selfId: nodeId, aliveMs: leaseMs }),
    leases: { held: () => node.held, renewedAgoMs: () => node.renewedAgoMs },
    prepare: async () => undefined,
    async start() {
      await node.start();
      await gateway().start();
    },
    drain: () => node.drain(),
    leave: () => node.leave(),
  };
}
