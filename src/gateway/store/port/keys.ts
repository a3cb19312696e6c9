import type { JournalEntry, KeyChange, KeyCommit } from '../../../domain/signal-state.js';
import { collection } from './fields.js';

/** Keys of the Signal state; the credentials are the key with an empty type and id in backups. */
export const KEYS = collection('keys', {
  type: { is: 'text' },
  id: { is: 'text' },
  value: { is: 'bytes', sealed: ['type', 'id'], sealedAs: ['keys'] },
});

/** The records of `JournalEntry`. */
export const JOURNAL = collection('journal', {
  id: { is: 'text' },
  messageId: { is: 'text' },
  plain: { is: 'bytes', sealed: ['id'] },
  stanza: { is: 'bytes', sealed: ['id'] },
  receivedAt: { is: 'number' },
  closedAt: { is: 'number', none: 'absent' },
});

export type KeyName = Pick<KeyChange, 'type' | 'id'>;
export type StoredKey = KeyName & { value: Uint8Array };

/** Network credentials and Signal state of a session, as opaque bytes. */
export interface KeyStore {
  credentials(clientId: string): Promise<Uint8Array | undefined>;
  /** The result holds only ids that exist. */
  get(clientId: string, type: string, ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  /** The next `limit` keys after one, without the credentials, by family and id; the first ones without `after`. */
  page(clientId: string, after: KeyName | undefined, limit: number): Promise<StoredKey[]>;
  /** Writes credentials, keys and journal entries in one atomic step. */
  commit(clientId: string, commit: KeyCommit): Promise<void>;
  /** Deletes credentials and keys, so that the next connection pairs again; the journal stays. */
  clear(clientId: string): Promise<void>;
}

/** Received messages from their decryption until they are recorded and announced. */
export interface JournalStore {
  get(clientId: string, id: string): Promise<JournalEntry | undefined>;
  /** All entries of a network message id, open and closed. */
  ofMessage(clientId: string, messageId: string): Promise<JournalEntry[]>;
  /** The newest `limit` entries that were received at that time or later, open and closed, newest first. */
  since(clientId: string, receivedAt: number, limit: number): Promise<JournalEntry[]>;
  /** Open entries in the order of their commits: the clocks of nodes differ. */
  open(clientId: string): Promise<JournalEntry[]>;
  countOpen(clientId?: string): Promise<number>;
  /** Closes entries. They are kept until pruned, to recognise a redelivery. */
  close(clientId: string, ids: readonly string[], at: number): Promise<void>;
  /** Deletes entries that were closed before the given time; returns the count. */
  prune(closedBefore: number): Promise<number>;
}

/**
 * Wrapped data keys: one for each session, and the store's own under the empty clientId. `Store.forget` deletes the key of
 * the session too, so that no copy of its data can be decrypted.
 */
export interface DataKeyStore {
  get(clientId: string): Promise<Uint8Array | undefined>;
  /** Inserts if absent; returns the stored key. */
  putIfAbsent(clientId: string, wrapped: Uint8Array): Promise<Uint8Array>;
  /** By clientId. */
  list(): Promise<Map<string, Uint8Array>>;
  /** Replaces existing keys, in one step if the back end can; never restores a deleted key. */
  replace(wrapped: ReadonlyMap<string, Uint8Array>): Promise<void>;
}
