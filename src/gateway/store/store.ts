import type { RestoreTarget } from './port/backup.js';
import type { ClusterStore } from './port/cluster.js';
import type { ContactStore, PictureStore } from './port/contacts.js';
import type { FailedDeliveryStore, KeptEventStore, WaitingDeliveryStore } from './port/deliveries.js';
import type { ExpectedFileStore, FileStore } from './port/files.js';
import type { BackendHistory, HistoryStore, TraceStore } from './port/history.js';
import type { DataKeyStore, JournalStore, KeyStore } from './port/keys.js';
import type { IdempotencyStore, SendStore } from './port/sends.js';
import type { SessionStore } from './port/sessions.js';
import type { VersionStore } from './port/versions.js';

export type * from './port/cluster.js';
export type * from './port/contacts.js';
export type * from './port/deliveries.js';
export type * from './port/files.js';
export type * from './port/history.js';
export type * from './port/keys.js';
export type * from './port/sends.js';
export { heldRecords } from './port/sends.js';
export type * from './port/sessions.js';
export { blankSession } from './port/sessions.js';
export type * from './port/versions.js';

/**
 * The store port: one small interface for each noun, collected in `Store`. Every back end passes `test/contracts/store.ts`.
 * All methods throw `GatewayError('store_unavailable')` if the back end cannot be reached or the store is closed. Methods
 * take and return copies.
 */
export interface Store {
  readonly sessions: SessionStore;
  readonly keys: KeyStore;
  readonly journal: JournalStore;
  readonly contacts: ContactStore;
  readonly sends: SendStore;
  readonly traces: TraceStore;
  readonly history: HistoryStore;
  readonly files: FileStore;
  readonly expectedFiles: ExpectedFileStore;
  readonly pictures: PictureStore;
  readonly idempotency: IdempotencyStore;
  readonly failedDeliveries: FailedDeliveryStore;
  readonly waitingDeliveries: WaitingDeliveryStore;
  readonly keptEvents: KeptEventStore;
  readonly versions: VersionStore;
  /** Undefined if only one daemon at a time can use the store. */
  readonly cluster: ClusterStore | undefined;
  /** Short name for `/config`: `sqlite` or `mongodb`. */
  readonly name: string;
  /** Resolves if the back end takes writes; throws `store_unavailable` otherwise. */
  ping(): Promise<void>;
  /**
   * Deletes all data of a session, in one step if the back end can. Close the session's link first: later writes belong to
   * a new session of the same name.
   */
  forget(clientId: string): Promise<void>;
  close(): Promise<void>;
}

/** A store without encryption, plus the wrapped data keys of the sealing in front of it. Secrets reach it sealed. */
export interface Backend extends Store {
  readonly dataKeys: DataKeyStore;
  readonly history: BackendHistory;
  readonly restore: RestoreTarget;
}
