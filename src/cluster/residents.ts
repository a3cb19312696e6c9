/** The sessions of a node, as its place in the cluster makes them come and go. */
export interface Residents {
  /** Whether it is here. */
  has(clientId: string): boolean;
  exists(clientId: string): Promise<boolean>;
  /** Takes up what another node has left of it, and connects it; nothing happens when there is no such session. */
  adopt(clientId: string): Promise<void>;
  /** Closes it, finishes what is under way, and writes nothing of it afterwards. */
  leave(clientId: string): Promise<void>;
  /** It is lost: ends it at this instant. */
  drop(clientId: string): void;
  /** A session that was here once does not exist any more. */
  gone(clientId: string): void;
}
