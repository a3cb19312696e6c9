/** A node that can be asked. */
export interface PeerNode {
  nodeId: string;
  /** The setting `node-name`. */
  name: string;
  /** Without a slash at its end. */
  url: string;
}

/** Where a session is. */
export type Owner =
  /** This node holds it and takes requests. */
  | { at: 'here' }
  /** This node holds it and is about to give it away: it takes no more requests. */
  | { at: 'moving' }
  | { at: 'peer'; node: PeerNode }
  /** Nobody holds it: it does not exist, or a node that held it is gone, and another one will take it in a moment. */
  | { at: 'nobody' };

/** Which node holds a session, for whoever has a request for it. */
export interface Owners {
  /** This node. */
  readonly self: PeerNode;
  /**
   * Answers from memory for this node's own sessions, and for others for a moment.
   * @throws GatewayError `store_unavailable`
   */
  find(clientId: string): Promise<Owner>;
  /** What was found did not hold: the next `find` asks the store. */
  distrust(clientId: string): void;
  /** Whether there is such a session, wherever it is. @throws GatewayError `store_unavailable` */
  exists(clientId: string): Promise<boolean>;
  /**
   * Makes this node the owner of a session that nobody holds, and connects it if it exists.
   * @returns false when another node was quicker, or when this one takes no more
   * @throws GatewayError `store_unavailable`
   */
  take(clientId: string): Promise<boolean>;
  /**
   * A request for a session begins here; the returned function ends it. A session is only given away when none is under way.
   * @returns undefined when this node does not hold the session, or is about to give it away
   */
  enter(clientId: string): (() => void) | undefined;
  /** The other nodes that are there. @throws GatewayError `store_unavailable` */
  others(): Promise<PeerNode[]>;
}

/** Owns everything: a node that nobody shares its store with. */
export function soleOwner(name: string, has: (clientId: string) => boolean): Owners {
  return {
    self: { nodeId: name, name, url: '' },
    find: async () => ({ at: 'here' }),
    distrust: () => undefined,
    exists: async (clientId) => has(clientId),
    take: async () => true,
    enter: () => () => undefined,
    others: async () => [],
  };
}
