/** Which sessions are this node's. */
export interface Residence {
  /** Other nodes may hold sessions of the same store. */
  readonly shared: boolean;
  /** Whether this node may serve the session at this instant. */
  holds(clientId: string): boolean;
  /**
   * Makes the session this node's, if nobody has it.
   * @throws GatewayError `session_elsewhere`, `store_unavailable`
   */
  acquire(clientId: string): Promise<void>;
  /** The session has been deleted. Never rejects. */
  ended(clientId: string): Promise<void>;
}

/** Of a node that shares its store with nobody: all sessions are its own. */
export const SOLE_RESIDENCE: Residence = {
  shared: false,
  holds: () => true,
  acquire: async () => undefined,
  ended: async () => undefined,
};
