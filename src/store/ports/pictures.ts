/** What was last told of somebody's profile picture, so that the network is not asked each time. */
export interface PictureRecord {
  /** Of a person (by the LID where known) or a group. */
  jid: string;
  /** The small one. */
  preview: boolean;
  /** As the network names it; empty when there is none to be seen. */
  version: string;
  /** The network's signed address; it expires in about ten days. */
  url: string;
  /** Id of the stored copy of that version; empty while there is none. */
  fileId: string;
  /** Why there is none to be seen; empty when there is one. */
  reason: string;
  /** Milliseconds since the epoch; 0 when it is known to be out of date. */
  fetchedAt: number;
}

/** Profile pictures: people's and groups', the small and the full one each. */
export interface PictureStore {
  get(clientId: string, jid: string, preview: boolean): Promise<PictureRecord | undefined>;
  /** Inserts or replaces by (clientId, jid, preview). */
  put(clientId: string, picture: PictureRecord): Promise<void>;
}
