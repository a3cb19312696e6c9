import type { JournalEntry, KeyCommit } from '../../src/domain/signal-state.js';
import type { LinkKeys } from '../../src/gateway/link/link.js';

/** A link's keys in memory, atomic as a store's are; can be told to fail. */
export class MemoryLinkKeys implements LinkKeys {
  readonly journal = new Map<string, JournalEntry>();
  readonly commits: KeyCommit[] = [];
  /** While set, every access fails with it. */
  outage: Error | undefined;
  #families = new Map<string, Map<string, Uint8Array>>();
  #credentials: Uint8Array | undefined;
  readonly #watchers = new Set<() => void>();
  /** Runs when a commit has taken effect, before whoever asked for it learns so. */
  onCommit: (commit: KeyCommit) => Promise<void> | void = () => undefined;
  /** Runs before a read is answered. */
  onGet: (type: string) => Promise<void> | void = () => undefined;

  async credentials(): Promise<Uint8Array | undefined> {
    this.#check();
    return this.#credentials;
  }

  async get(type: string, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    this.#check();
    await this.onGet(type);
    const family = this.#families.get(type);
    return new Map(
      ids.flatMap((id) => {
        const value = family?.get(id);
        return value ? [[id, value] as const] : [];
      }),
    );
  }

  async commit(commit: KeyCommit): Promise<void> {
    this.#check();
    this.commits.push(commit);
    if (commit.credentials) this.#credentials = commit.credentials;
    for (const { type, id, value } of commit.keys ?? []) {
      const family = this.#families.get(type) ?? new Map<string, Uint8Array>();
      this.#families.set(type, family);
      if (value) family.set(id, value);
      else family.delete(id);
    }
    for (const entry of commit.journal ?? []) this.journal.set(entry.id, entry);
    for (const watcher of [...this.#watchers]) watcher();
    await this.onCommit(commit);
  }

  /** Resolves when something holds, now or after a commit to come. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds()) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  async journalEntry(id: string): Promise<JournalEntry | undefined> {
    this.#check();
    return this.journal.get(id);
  }

  async journalEntriesOf(messageId: string): Promise<JournalEntry[]> {
    this.#check();
    return [...this.journal.values()].filter((entry) => entry.messageId === messageId);
  }

  /** Entries that nobody has closed. */
  openEntries(): JournalEntry[] {
    return [...this.journal.values()].filter(({ closedAt }) => closedAt === undefined);
  }

  close(ids: readonly string[], at: number): void {
    for (const id of ids) {
      const entry = this.journal.get(id);
      if (entry) this.journal.set(id, { ...entry, closedAt: at });
    }
  }

  /** Remembers the keys as they are; the returned function brings them back. */
  snapshot(): () => void {
    const copy = () => new Map([...kept].map(([type, family]) => [type, new Map(family)]));
    let kept = this.#families;
    kept = copy();
    return () => {
      this.#families = copy();
    };
  }

  #check(): void {
    if (this.outage) throw this.outage;
  }
}
