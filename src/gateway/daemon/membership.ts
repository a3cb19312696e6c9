import { randomUUID } from 'node:crypto';
import type { MonotonicClock } from '../../domain/clock.js';
import { ClusterMember } from '../cluster/node.js';
import type { NodeAuth } from '../cluster/node-auth.js';
import { type Owners, soleOwner } from '../cluster/owners.js';
import type { Logger } from '../log.js';
import type { Gateway } from '../services/gateway.js';
import type { FailureCounts } from '../services/operations/fleet.js';
import { clusterNodes, soleNode } from '../services/operations/nodes.js';
import type { Nodes } from '../services/services.js';
import { type Ownership, SOLE_OWNERSHIP } from '../services/sessions/ownership.js';
import type { ClusterStore, Store } from '../store/store.js';
import type { LeaseSources, Metrics } from './metrics.js';

interface MembershipOptions {
  store: Pick<Store, 'cluster' | 'sessions'>;
  /** The setting `node-name`. */
  name: string;
  /** Where other nodes reach this one; known once the server listens. */
  address: { readonly nodeUrl: string };
  version: string;
  /** Duration of a lease in milliseconds. */
  leaseMs: number;
  nodeAuth: NodeAuth;
  /** Functions, because these parts depend on each other; both exist before the node starts. */
  gateway(): Gateway;
  failures: Pick<FailureCounts, 'recount'>;
  metrics(): Metrics;
  clock: MonotonicClock;
  log: Logger;
}

/** A daemon's part in the cluster of its store, and the sessions that it holds. */
export interface Membership {
  owners: Owners;
  ownership: Ownership;
  nodes: Nodes;
  /** Lease metrics; undefined without a cluster. */
  leases: LeaseSources | undefined;
  /** Runs before the server listens. */
  prepare(): Promise<void>;
  /** Takes this node's sessions and connects them. */
  start(): Promise<void>;
  /** Hands all sessions over to other nodes, if there are any. Never rejects. */
  drain(): Promise<void>;
  /** Releases all leases: no session may be written afterwards. */
  leave(): Promise<void>;
}

/** Joins the cluster of the store; with a store that cannot be shared, this node holds every session. */
export function joinNodes(options: MembershipOptions): Membership {
  const { cluster } = options.store;
  return cluster ? clusterMember(cluster, options) : soleMember(options);
}

function soleMember({ name, version, gateway, clock }: MembershipOptions): Membership {
  const nothing = async () => undefined;
  return {
    owners: soleOwner(name, (clientId) => gateway().sessions.has(clientId)),
    ownership: SOLE_OWNERSHIP,
    nodes: soleNode({
      podName: name,
      version,
      now: () => clock.now(),
      sessions: () => gateway().sessions.all().length,
    }),
    leases: undefined,
    prepare: () => gateway().lifecycle.restore(),
    start: () => gateway().lifecycle.start(),
    drain: nothing,
    leave: nothing,
  };
}

function clusterMember(shared: ClusterStore, options: MembershipOptions): Membership {
  const cluster = { ...shared, nodes: options.nodeAuth.proven(shared.nodes) };
  const { store, gateway, failures, metrics, leaseMs } = options;
  const nodeId = randomUUID();
  const node = new ClusterMember({
    ...options,
    cluster,
    nodeId,
    sessions: {
      has: (clientId) => gateway().sessions.has(clientId),
      exists: async (clientId) => (await store.sessions.get(clientId)) !== undefined,
      async adopt(clientId) {
        await failures.recount(clientId);
        await gateway().lifecycle.adopt(clientId);
      },
      leave: (clientId) => gateway().lifecycle.leave(clientId),
      drop: (clientId) => gateway().lifecycle.drop(clientId),
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
    ownership: {
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
      await gateway().lifecycle.start();
    },
    drain: () => node.drain(),
    leave: () => node.leave(),
  };
}
