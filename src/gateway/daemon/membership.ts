import { randomUUID } from 'node:crypto';
import type { MonotonicClock } from '../../domain/clock.js';
import type { NodeSessions } from '../cluster/handover.js';
import { ClusterMember, type ClusterObserver } from '../cluster/node.js';
import type { NodeAuth } from '../cluster/node-auth.js';
import { type Owners, soleOwner } from '../cluster/owners.js';
import type { Logger } from '../log.js';
import type { Lifecycle } from '../services/lifecycle.js';
import type { FailureCounts } from '../services/operations/fleet.js';
import { clusterNodes, type Nodes, soleNode } from '../services/operations/nodes.js';
import { type Ownership, SOLE_OWNERSHIP } from '../services/sessions/ownership.js';
import type { SessionRegistry } from '../services/sessions/registry.js';
import type { ClusterStore, Store } from '../store/store.js';
import type { LeaseSources } from './metrics.js';

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
  failures: Pick<FailureCounts, 'recount'>;
  observer: ClusterObserver;
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
  /** Runs before the server listens. @param own opens and closes the sessions that this node gets and loses */
  prepare(own: OwnSessions): Promise<void>;
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
  return cluster ? new ClusterMembership(cluster, options) : new SoleMember(options);
}

/** The sessions of a node, and what opens and closes them. */
interface OwnSessions {
  sessions: SessionRegistry;
  lifecycle: Lifecycle;
}

/** @throws TypeError for a node that starts before `prepare` */
function requirePrepared(own: OwnSessions | undefined): OwnSessions {
  if (own) return own;
  throw new TypeError('the node has no sessions yet');
}

/** A node that shares its store with nobody. */
class SoleMember implements Membership {
  readonly owners: Owners;
  readonly ownership = SOLE_OWNERSHIP;
  readonly nodes: Nodes;
  readonly leases = undefined;
  #own: OwnSessions | undefined;

  constructor({ name, version, clock }: MembershipOptions) {
    this.owners = soleOwner(name, (clientId) => this.#own?.sessions.has(clientId) ?? false);
    const sessions = () => this.#own?.sessions.all().length ?? 0;
    this.nodes = soleNode({ podName: name, version, now: () => clock.now(), sessions });
  }

  async prepare(own: OwnSessions): Promise<void> {
    this.#own = own;
    await own.lifecycle.restore();
  }

  async start(): Promise<void> {
    await requirePrepared(this.#own).lifecycle.start();
  }

  async drain(): Promise<void> {}

  async leave(): Promise<void> {}
}

/** A node of a cluster. */
class ClusterMembership implements Membership {
  readonly owners: Owners;
  readonly ownership: Ownership;
  readonly nodes: Nodes;
  readonly leases: LeaseSources;
  readonly #options: MembershipOptions;
  readonly #node: ClusterMember;
  #own: OwnSessions | undefined;

  constructor(shared: ClusterStore, options: MembershipOptions) {
    this.#options = options;
    const cluster = { ...shared, nodes: options.nodeAuth.proven(shared.nodes) };
    const nodeId = randomUUID();
    const node = new ClusterMember({ ...options, cluster, nodeId, sessions: this.#sessions() });
    this.#node = node;
    this.owners = node;
    this.ownership = {
      shared: true,
      holds: (clientId) => node.holds(clientId),
      confirm: (clientId) => node.confirm(clientId),
      acquire: (clientId) => node.acquire(clientId),
      ended: (clientId) => node.ended(clientId),
    };
    this.nodes = clusterNodes({ cluster, selfId: nodeId, aliveMs: options.leaseMs });
    this.leases = { held: () => node.held, renewedAgoMs: () => node.renewedAgoMs };
  }

  async prepare(own: OwnSessions): Promise<void> {
    this.#own = own;
  }

  async start(): Promise<void> {
    await this.#node.start();
    await requirePrepared(this.#own).lifecycle.start();
  }

  drain(): Promise<void> {
    return this.#node.drain();
  }

  leave(): Promise<void> {
    return this.#node.leave();
  }

  /** The sessions as the cluster sees them; none before `prepare`. */
  #sessions(): NodeSessions {
    const { store, failures } = this.#options;
    return {
      has: (clientId) => this.#own?.sessions.has(clientId) ?? false,
      exists: async (clientId) => (await store.sessions.get(clientId)) !== undefined,
      adopt: async (clientId) => {
        await failures.recount(clientId);
        await requirePrepared(this.#own).lifecycle.adopt(clientId);
      },
      leave: async (clientId) => this.#own?.lifecycle.leave(clientId),
      drop: (clientId) => this.#own?.lifecycle.drop(clientId),
      gone: (clientId) => this.#own?.sessions.forgetElsewhere(clientId),
    };
  }
}
