/** Decides which sessions this node holds. */
export interface Ownership {
  /** Other nodes may hold sessions of the same store. */
  readonly shared: boolean;
  /** Whether this node may serve the session at this instant, by its own clock. */
  holds(clientId: string): boolean;
  /**
   * Like `holds`, but asks the store. After a suspension this machine may not know that its lease has expired; its login
   * would replace the connection of the session's new node.
   * @throws GatewayError `session_elsewhere`, `store_unavailable`
   */
  confirm(clientId: string): Promise<void>;
  /**
   * Takes the session, if no node has it.
   * @throws GatewayError `session_elsewhere`, `store_unavailable`
   */
  acquire(clientId: string): Promise<void>;
  /** The session has been deleted. Never rejects. */
  ended(clientId: string): Promise<void>;
}

/** Ownership of the only node of a store: it has all sessions. */
export const SOLE_OWNERSHIP: Ownership = {
  shared: false,
  holds: () => true,
  confirm: async () => undefined,
  acquire: async () => undefined,
  ended: async () => undefined,
};
