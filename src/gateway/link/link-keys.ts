import type { JournalEntry, KeyCommit } from '../../domain/signal-state.js';

/** The Signal state of one session, given to a link. Bytes in, bytes out; `commit` is one atomic step. */
export interface LinkKeys {
  credentials(): Promise<Uint8Array | undefined>;
  get(type: string, ids: readonly string[]): Promise<Map<string, Uint8Array>>;
  commit(commit: KeyCommit): Promise<void>;
  journalEntry(id: string): Promise<JournalEntry | undefined>;
  /** The entries of a message, by its id: closed ones too, until they are pruned. */
  journalEntriesOf(messageId: string): Promise<JournalEntry[]>;
}
