/** The lease of a session. */
export interface LeaseRecord {
  clientId: string;
  nodeId: string;
  /** Grows by one with every claim of the session, for ever. Writes under an older epoch are refused. */
  epoch: number;
  /** Milliseconds since the claim. */
  ageMs: number;
  /** Milliseconds until the lease expires; zero or negative if it has expired. */
  leftMs: number;
}

/**
 * Which node holds which session. A store object that claimed a session writes credentials and keys only until the next
 * claim, and journal, history and record only while its lease lasts; later writes, and writes after `release`, change
 * nothing and fail with `session_elsewhere`. A store object that never claimed the session writes without a lease: tools
 * work like this. All times use the store's own clock, never the clock of a node.
 */
export interface LeaseStore {
  /**
   * Takes a session for a node, unless its lease has not expired.
   * @param lastsMs milliseconds
   * @returns the new epoch; undefined if the session is held, even by the same node
   */
  claim(clientId: string, nodeId: string, lastsMs: number): Promise<number | undefined>;
  /**
   * Extends all valid leases of a node to `lastsMs` from now.
   * @returns the epochs by clientId
   */
  renew(nodeId: string, lastsMs: number): Promise<ReadonlyMap<string, number>>;
  /**
   * Ends a lease if node and epoch match. Refuses new writes for the session at once and waits for writes in flight; if
   * their outcome stays unknown, the lease expires by itself instead.
   * @param gone the session was deleted: `free` leaves it out
   */
  release(clientId: string, nodeId: string, epoch: number, gone?: boolean): Promise<void>;
  /** The valid lease of a session. */
  holder(clientId: string): Promise<LeaseRecord | undefined>;
  /** All valid leases, by clientId. */
  list(): Promise<LeaseRecord[]>;
  /** Existing sessions without a valid lease, in no order. */
  free(limit: number): Promise<string[]>;
  /** Number of sessions by nodeId; nodes without sessions are left out. */
  counts(): Promise<ReadonlyMap<string, number>>;
  /** Makes sessions `free` that were created before there were leases. */
  seed(): Promise<void>;
}

/** A running daemon. */
export interface NodeRecord {
  /** New at each start. */
  nodeId: string;
  /** The setting `node-name`. */
  name: string;
  /** Base URL for other nodes, without a trailing slash. */
  url: string;
  /** `<year>-<month>` */
  version: string;
  /** Proves that a node of the cluster wrote this address; absent in the rows of older releases. */
  proof?: string;
}

/** A node with its times by the store's clock. */
export interface SeenNode extends NodeRecord {
  /** The node hands its sessions over and takes no new ones. */
  draining: boolean;
  /** Milliseconds since its first heartbeat, or the first one after a long silence. */
  ageMs: number;
  /** Milliseconds since its last heartbeat. */
  silentMs: number;
}

/** The nodes of a cluster. */
export interface NodeStore {
  /**
   * Writes the heartbeat of a node.
   * @param lapseMs after a longer silence the node counts as newly started
   * @returns whether an operator wants the node drained
   */
  announce(node: NodeRecord, lapseMs: number): Promise<{ draining: boolean }>;
  /** Nodes with a heartbeat in that time, by name and then id. */
  list(withinMs: number): Promise<SeenNode[]>;
  /** Sets whether a node is drained. False if there is no such node. */
  drain(nodeId: string, draining: boolean): Promise<boolean>;
  leave(nodeId: string): Promise<void>;
}

/** What several nodes on one store need. */
export interface ClusterStore {
  readonly leases: LeaseStore;
  readonly nodes: NodeStore;
}
