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

/** A key store that knows the keys that were used last. */
interface KnownKeys {
  keys: KeyStore;
  /** Knows nothing more of a session: its keys were deleted. */
  drop(clientId: string): void;
  /** Knows nothing more: every read asks the store, which may be closed. */
  close(): void;
}

/**
 * Keeps the keys that were read or written last in memory: each message reads the same few again, from the database and
 * decrypted. Only for a store whose keys nobody else writes.
 */
export function knownKeys(keys: KeyStore): KnownKeys {
  const known = new LRUCache<string, Known>({
    maxSize: KNOWN_BYTES,
    sizeCalculation: ({ value }, name) => AROUND + name.length + (value?.byteLength ?? 0),
  });
  const note = (name: string, value: Uint8Array | null | undefined) =>
    known.set(name, value ? { value: Uint8Array.from(value) } : {});
  const underWay = new CommitsUnderWay();

  function drop(clientId: string): void {
    const isOurs = (name: string) => name.startsWith(`${clientId} `);
    for (const name of known.keys()) if (isOurs(name)) known.delete(name);
    underWay.overlap(isOurs);
  }

  return {
    drop,
    close() {
      underWay.overlap(() => true);
      known.clear();
    },
    keys: {
      ...keys,
      async get(clientId, type, ids) {
        const found = new Map<string, Uint8Array>();
        const unknown: string[] = [];
        for (const id of ids) {
          const one = known.get(nameOf(clientId, { type, id }));
          if (!one) unknown.push(id);
          // a copy, because who reads a key may change its bytes
          else if (one.value) found.set(id, Uint8Array.from(one.value));
        }
        if (ids.length > 0 && unknown.length === 0) return found;
        const before = underWay.changes;
        const read = await keys.get(clientId, type, unknown);
        for (const id of unknown) {
          const value = read.get(id);
          if (value) found.set(id, value);
          const name = nameOf(clientId, { type, id });
          if (underWay.changes === before && !underWay.has(name)) note(name, value);
        }
        return found;
      },
      async commit(clientId, commit) {
        const changes = new Map(commit.keys?.map((change) => [nameOf(clientId, change), change.value]));
        for (const name of changes.keys()) {
          known.delete(name);
          underWay.begin(name);
        }
        try {
          await keys.commit(clientId, commit);
        } catch (error) {
          for (const name of changes.keys()) underWay.end(name);
          throw error;
        }
        for (const [name, value] of changes) if (underWay.end(name)) note(name, value);
      },
      async clear(clientId) {
        underWay.overlap(() => false);
        await keys.clear(clientId).finally(() => drop(clientId));
      },
    },
  };
}

/** Commits that have not ended, by the name of each key that they write. */
class CommitsUnderWay {
  /** Changes when a write begins or ends: a read at the same time may bring what was there before. */
  changes = 0;
  readonly #commits = new Map<string, { count: number; overlapped: boolean }>();

  has(name: string): boolean {
    return this.#commits.has(name);
  }

  begin(name: string): void {
    this.changes += 1;
    const others = this.#commits.get(name);
    this.#commits.set(name, { count: (others?.count ?? 0) + 1, overlapped: others !== undefined });
  }

  /** @returns true if nothing else wrote the key meanwhile: of two writes at once it is not known here which one was the last */
  end(name: string): boolean {
    this.changes += 1;
    const { count = 1, overlapped = false } = this.#commits.get(name) ?? {};
    if (count > 1) this.#commits.set(name, { count: count - 1, overlapped: true });
    else this.#commits.delete(name);
    return count === 1 && !overlapped;
  }

  /** Another write of these keys begins or ends. */
  overlap(isMeant: (name: string) => boolean): void {
    this.changes += 1;
    for (const [name, commit] of this.#commits) if (isMeant(name)) commit.overlapped = true;
  }
}

function nameOf(clientId: string, { type, id }: KeyName): string {
  return `${clientId} ${type} ${id}`;
}
