/** A file that a stored message names and that is not stored yet. */
export interface ExpectedFile {
  /** The id that it will have: a UUID. */
  id: string;
  clientId: string;
  chatRoomId: string;
  messageId: string;
  /** Milliseconds since the epoch: when it was expected first. */
  since: number;
  /** It belongs to a message of the past: it may wait, and nobody is asked for what the network does not have any more. */
  past: boolean;
}

/** Files that are to be stored: what a crash left undone is found here. */
export interface ExpectedFileStore {
  /** Inserts unless there is one of that id. */
  add(file: ExpectedFile): Promise<void>;
  get(id: string): Promise<ExpectedFile | undefined>;
  /** Those of a session, oldest first. */
  list(clientId: string): Promise<ExpectedFile[]>;
  remove(id: string): Promise<void>;
}
