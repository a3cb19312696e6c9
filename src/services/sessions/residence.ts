/** Which sessions are this node's. */
export interface Residence {
  /** Other nodes may hold sessions of the same store. */
  readonly shared: boolean;
  /** Whether this node may serve the session at this instant. */
  holds(clientId: string): boolean;
  /**
   * The same by the store's word. A machine that was suspended may not know that its lease is over, and a login of its would
   * replace the connection of whoever has the session now.
   * @throws GatewayError `session_elsewhere`, `store_unavailable`
   */
  confirm(clientId: string): Promise<void>;
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
  confirm: async () => undefined,
  acquire: async () => undefined,
  ended: async () => undefined,
};
