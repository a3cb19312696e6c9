/** A node as it is shown. */
export interface NodeView {
  nodeId: string;
  podName: string;
  /** Where other nodes reach it; empty for one that has no others. */
  url: string;
  /** The one that answers. */
  self: boolean;
  version: string;
  /** It gives its sessions away and takes no more. */
  draining: boolean;
  /** Since it started. */
  ageSeconds: number;
  /** Since it last said that it is there. */
  silentSeconds: number;
  /** How many it holds. */
  sessions: number;
}

/** Which node holds a session. */
export interface LeaseView {
  clientId: string;
  podName: string;
  nodeId: string;
  /** One more each time that a node has taken the session. */
  epoch: number;
  /** Since that. */
  ageSeconds: number;
  /** Until it runs out unless it is renewed. */
  leftSeconds: number;
}

/** The nodes that share the store, and who holds what. All throw store_unavailable. */
export interface Nodes {
  /** By name. */
  list(): Promise<NodeView[]>;
  /** By clientId; only of one session when it is named. None where there is only one node. */
  leases(clientId?: string): Promise<LeaseView[]>;
  /** Sessions that no node holds, so many at most. */
  unheld(limit: number): Promise<string[]>;
  /**
   * Has a node give its sessions away and take no more, or ends that. It goes on answering and passing requests on.
   * @param name of the node, or its nodeId
   * @throws node_unknown, node_ambiguous where several have that name, nodes_unsupported where there is only one
   */
  drain(name: string, draining: boolean): Promise<NodeView>;
}
