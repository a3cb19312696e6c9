/** The newest client version that a node has found. All nodes of a store share it. */
export interface VersionStore {
  /** `2.3000.1043857760`; empty if none was found yet. */
  get(): Promise<string>;
  put(version: string): Promise<void>;
}
