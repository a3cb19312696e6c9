/** A session that is held by a node. */
export interface LeaseRecord {
  clientId: string;
  nodeId: string;
  /** One more with every claim of the session, for ever: what an older epoch writes does not count any more. */
  epoch: number;
  /** Milliseconds since it was claimed. */
  ageMs: number;
  /** Milliseconds until it runs out; not positive when it has. */
  leftMs: number;
}

/**
 * Which node holds which session. A store through which a session was claimed writes its credentials and keys only until the
 * next claim, its journal, history and record only while that lease lasts, by the store's clock: what comes later, or after
 * `release`, is refused with `session_elsewhere` and changes nothing. A store through which a session was never claimed writes as if there were no
 * leases: that is how tools work. All times are measured by the store's own clock: the clocks of nodes are never compared,
 * neither with each other nor with the store's.
 */
export interface LeaseStore {
  /**
   * Takes a session for a node, unless a lease of it has not run out yet.
   * @param lastsMs milliseconds
   * @returns the new epoch; undefined when the session is held, be it by the same node
   */
  claim(clientId: string, nodeId: string, lastsMs: number): Promise<number | undefined>;
  /**
   * Makes all leases of a node that have not run out last that long from now on.
   * @returns the epochs of the sessions that it holds
   */
  renew(nodeId: string, lastsMs: number): Promise<ReadonlyMap<string, number>>;
  /**
   * Ends a lease, if it is that node's and of that epoch. From its call on this store refuses to write for the session; it
   * waits until what it was asked to write before has ended, and leaves the lease to run out where that is not known.
   * @param gone the session does not exist any more: it is not among the `free` ones
   */
  release(clientId: string, nodeId: string, epoch: number, gone?: boolean): Promise<void>;
  /** Who holds a session; undefined when nobody does. */
  holder(clientId: string): Promise<LeaseRecord | undefined>;
  /** All leases that have not run out, by clientId. */
  list(): Promise<LeaseRecord[]>;
  /** Sessions that exist and that nobody holds, in no order. */
  free(limit: number): Promise<string[]>;
  /** How many sessions each node holds, by nodeId; nodes that hold none are not in it. */
  counts(): Promise<ReadonlyMap<string, number>>;
  /** Makes sessions `free` of which no node has ever known: those that were there before there were leases. */
  seed(): Promise<void>;
}

/** A running daemon, as others see it. */
export interface NodeRecord {
  /** Another one at each start. */
  nodeId: string;
  /** The setting `node-name`. */
  name: string;
  /** Where other nodes reach it, without a slash at its end. */
  url: string;
  /** `<year>-<month>` */
  version: string;
}

/** A node with its times by the store's clock. */
export interface SeenNode extends NodeRecord {
  /** It gives its sessions away and takes no more. */
  draining: boolean;
  /** Milliseconds since it first said that it is there, or did so again after a long silence. */
  ageMs: number;
  /** Milliseconds since it last said so. */
  silentMs: number;
}

/** The nodes of a cluster. */
export interface NodeStore {
  /**
   * Says that a node is there, and what it is.
   * @param lapseMs a node that was silent for longer counts as one that has just begun
   * @returns whether it shall be drained
   */
  announce(node: NodeRecord, lapseMs: number): Promise<{ draining: boolean }>;
  /** Nodes that said so within that time, by name and then id. */
  list(withinMs: number): Promise<SeenNode[]>;
  /** Says that a node shall be drained, or not any more. False when there is no such node. */
  drain(nodeId: string, draining: boolean): Promise<boolean>;
  leave(nodeId: string): Promise<void>;
}

/** What several nodes on one store need of it. */
export interface ClusterStore {
  readonly leases: LeaseStore;
  readonly nodes: NodeStore;
}
