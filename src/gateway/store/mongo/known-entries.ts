import type { Collection } from 'mongodb';
import type { CommitLog } from './commits.js';
import { HeldCache } from './held-cache.js';
import type { StoredEntry } from './stored-changes.js';

/** Entries of one session beyond which their messages are not kept in memory. */
const ENTRIES = 20_000;
/** Bytes for the message ids of all sessions, and of one id, about. */
const MAX_BYTES = 32 * 1024 * 1024;
const ID_BYTES = 100;

/** Number of journal entries by message id; null if there are too many. */
type Counts = Map<string, number> | null;

const KEY = 'journal';
/** An entry that is stored, among others perhaps. */
const STORED = Number.POSITIVE_INFINITY;

/**
 * Knows which messages have entries in the journal of a session that this process holds, so that nothing is read for a message
 * that is new.
 */
export class KnownEntries {
  readonly #journal: Collection<{ clientId: string; messageId: string }>;
  readonly #log: CommitLog;
  readonly #held: HeldCache<Counts>;

  constructor(journal: Collection<{ clientId: string; messageId: string }>, log: CommitLog) {
    this.#journal = journal;
    this.#log = log;
    this.#held = new HeldCache(log, MAX_BYTES, (counts) => (counts?.size ?? 0) * ID_BYTES);
  }

  /** Call it when entries were committed. */
  note(clientId: string, entries: readonly StoredEntry[]): void {
    const counts = entries.length > 0 ? this.#held.get(clientId, KEY) : undefined;
    if (!counts) return;
    for (const { messageId } of entries) counts.set(messageId, (counts.get(messageId) ?? 0) + 1);
    this.#held.set(clientId, KEY, counts.size > ENTRIES ? null : counts);
  }

  /** All entries of a message if none of them is in the collection yet; undefined if it must be read. */
  async onlyUnapplied(clientId: string, messageId: string): Promise<StoredEntry[] | undefined> {
    if (!this.#log.knowledgeOf(clientId)) return undefined;
    if (this.#held.get(clientId, KEY) === undefined) await this.#load(clientId);
    return this.#log.readBeside(clientId, async (_, unapplied) => {
      const counts = this.#held.get(clientId, KEY);
      if (!counts) return undefined;
      const found = new Map<string, StoredEntry>();
      let written = 0;
      for (const { changes } of unapplied) {
        for (const entry of changes.journal) {
          if (entry.messageId !== messageId) continue;
          written += 1;
          found.set(entry.id, entry);
        }
        for (const { ids, at } of changes.closed ?? []) {
          for (const id of ids) {
            const entry = found.get(id);
            if (entry && entry.closedAt === undefined) found.set(id, { ...entry, closedAt: at });
          }
        }
      }
      // otherwise some are applied already, or one was committed twice
      const isAll = written === (counts.get(messageId) ?? 0) && written === found.size;
      return isAll ? [...found.values()] : undefined;
    });
  }

  #load(clientId: string): Promise<void> {
    return this.#log.read(clientId, async () => {
      const shown = { projection: { _id: 0, messageId: 1 }, limit: ENTRIES + 1 };
      const stored = await this.#journal.find({ clientId }, shown).toArray();
      const counts = new Map(stored.map(({ messageId }) => [messageId, STORED]));
      this.#held.set(clientId, KEY, stored.length > ENTRIES ? null : counts);
    });
  }
}
