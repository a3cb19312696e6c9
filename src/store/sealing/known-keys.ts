import { LRUCache } from 'lru-cache';
import type { KeyName, KeyStore } from '../store.js';

/** Bytes of the known keys of all sessions together, with their names. */
const KNOWN_BYTES = 8 * 1024 * 1024;
/** Bytes of an entry beside the key and its name, about. */
const AROUND = 200;

/** What is known of a key; without a value it does not exist. */
interface Known {
  value?: Uint8Array;
}

/**
 * Keeps the keys that were read or written last in memory: each message reads the same few again, from the database and
 * decrypted. Only for a store whose keys nobody else writes.
 */
export class KnownKeys implements KeyStore {
  readonly #keys: KeyStore;
  readonly #known = new LRUCache<string, Known>({
    maxSize: KNOWN_BYTES,
    sizeCalculation: ({ value }, name) => AROUND + name.length + (value?.byteLength ?? 0),
  });
  /** Commits that have not ended, by the name of each key that they write. */
  readonly #underWay = new Map<string, { commits: number; overlapped: boolean }>();
  /** Changes when a write begins or ends: a read at the same time may bring what was there before. */
  #writes = 0;

  constructor(keys: KeyStore) {
    this.#keys = keys;
  }

  credentials(clientId: string): Promise<Uint8Array | undefined> {
    return this.#keys.credentials(clientId);
  }

  page(...asked: Parameters<KeyStore['page']>): ReturnType<KeyStore['page']> {
    return this.#keys.page(...asked);
  }

  async get(clientId: string, type: string, ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    const unknown: string[] = [];
    for (const id of ids) {
      const known = this.#known.get(nameOf(clientId, { type, id }));
      if (!known) unknown.push(id);
      // a copy, because who reads a key may change its bytes
      else if (known.value) found.set(id, Uint8Array.from(known.value));
    }
    if (ids.length > 0 && unknown.length === 0) return found;
    const before = this.#writes;
    const read = await this.#keys.get(clientId, type, unknown);
    for (const id of unknown) {
      const value = read.get(id);
      if (value) found.set(id, value);
      const name = nameOf(clientId, { type, id });
      if (this.#writes === before && !this.#underWay.has(name)) this.#note(name, value);
    }
    return found;
  }

  async commit(...[clientId, commit]: Parameters<KeyStore['commit']>): Promise<void> {
    const changes = new Map(commit.keys?.map((change) => [nameOf(clientId, change), change.value]));
    this.#writes += 1;
    for (const name of changes.keys()) this.#begin(name);
    try {
      await this.#keys.commit(clientId, commit);
    } catch (error) {
      for (const name of changes.keys()) this.#end(name);
      throw error;
    }
    for (const [name, value] of changes) if (this.#end(name)) this.#note(name, value);
  }

  async clear(clientId: string): Promise<void> {
    this.#writes += 1;
    try {
      await this.#keys.clear(clientId);
    } finally {
      this.drop(clientId);
    }
  }

  /** Knows nothing more of a session: its keys were deleted. */
  drop(clientId: string): void {
    this.#writes += 1;
    const isOurs = (name: string) => name.startsWith(`${clientId} `);
    for (const name of this.#known.keys()) if (isOurs(name)) this.#known.delete(name);
    for (const [name, commit] of this.#underWay) if (isOurs(name)) commit.overlapped = true;
  }

  /** Knows nothing more: every read asks the store, which may be closed. */
  close(): void {
    this.#writes += 1;
    this.#known.clear();
  }

  #note(name: string, value: Uint8Array | null | undefined): void {
    this.#known.set(name, value ? { value: Uint8Array.from(value) } : {});
  }

  #begin(name: string): void {
    this.#known.delete(name);
    const others = this.#underWay.get(name);
    this.#underWay.set(name, { commits: (others?.commits ?? 0) + 1, overlapped: others !== undefined });
  }

  /** @returns true if no other commit wrote the key meanwhile: of two at once it is not known here which one was the last */
  #end(name: string): boolean {
    this.#writes += 1;
    const { commits = 1, overlapped = false } = this.#underWay.get(name) ?? {};
    if (commits > 1) this.#underWay.set(name, { commits: commits - 1, overlapped: true });
    else this.#underWay.delete(name);
    return commits === 1 && !overlapped;
  }
}

function nameOf(clientId: string, { type, id }: KeyName): string {
  return `${clientId} ${type} ${id}`;
}
