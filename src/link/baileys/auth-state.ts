import {
  type AuthenticationCreds,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from '@whiskeysockets/baileys';
import type { JournalEntry, KeyChange } from '../../domain/signal-state.js';
import type { LinkKeys } from '../link.js';
import { CommitBatch } from './commit-batch.js';
import { isFinishedPairing } from './identity.js';
import { decodeCredentials, decodeKey, encodeCredentials, encodeKey } from './key-codec.js';

/** The key family under which journal entries travel through the library's transactions. */
const INBOX = 'inbox';

/** A write to the key store that carries journal entries with it. */
export type JournalledDataSet = SignalDataSet & { [INBOX]: Record<string, JournalEntry> };

/** Wraps a journal entry so that it joins the transaction that is being collected. */
export function journalled(entry: JournalEntry): JournalledDataSet {
  return { [INBOX]: { [entry.id]: entry } };
}

/** The stored credentials of a finished pairing, or fresh ones: half-finished pairings cannot be continued. */
export async function loadCredentials(keys: LinkKeys): Promise<AuthenticationCreds> {
  const stored = decodeCredentials(await keys.credentials());
  return stored && isFinishedPairing(stored) ? stored : initAuthCreds();
}

/**
 * A link's keys that tell of every read or write that failed, before whoever asked learns of it: the connection must be
 * gone before the library can acknowledge a message that could not be kept.
 */
export function watchKeys(keys: LinkKeys, onFailure: (error: unknown) => void): LinkKeys {
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      onFailure(error);
      throw error;
    }
  };
  return {
    credentials: () => watched(keys.credentials()),
    get: (type, ids) => watched(keys.get(type, ids)),
    commit: (commit) => watched(keys.commit(commit)),
    journalEntry: (id) => watched(keys.journalEntry(id)),
  };
}

/**
 * The library's key store over a link's keys. Each `set` is written in one commit, whatever families it touches.
 * @param onSessionsDeleted told before a commit that deletes sessions
 */
export function makeKeyStore(keys: LinkKeys, onSessionsDeleted: () => void): SignalKeyStore {
  const batch = new CommitBatch(keys);
  return {
    async get<T extends keyof SignalDataTypeMap>(type: T, ids: string[]) {
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      if (ids.length === 0) return found;
      for (const [id, bytes] of await keys.get(type, ids)) found[id] = decodeKey(type, bytes);
      return found;
    },
    set(data) {
      if (Object.values(data.session ?? {}).includes(null)) onSessionsDeleted();
      return batch.add(changesIn(data), INBOX in data ? entriesIn(data) : []);
    },
  };
}

function changesIn(data: SignalDataSet): KeyChange[] {
  const changes: KeyChange[] = [];
  for (const [type, values] of Object.entries(data)) {
    if (type === INBOX) continue;
    for (const [id, value] of Object.entries(values ?? {})) {
      changes.push({ type, id, value: value == null ? null : encodeKey(type, value) });
    }
  }
  return changes;
}

function entriesIn(data: SignalDataSet): JournalEntry[] {
  const entries: Record<string, JournalEntry> = Reflect.get(data, INBOX);
  return Object.values(entries);
}

/**
 * Writes credentials in order, one commit at a time; changes that come while one is being written are written together
 * by the next. Credentials of an unfinished pairing are never written.
 */
export class CredentialSaver {
  readonly #keys: LinkKeys;
  readonly #creds: AuthenticationCreds;
  #changed = false;
  #failed = false;
  #writing: Promise<void> | undefined;

  constructor(keys: LinkKeys, creds: AuthenticationCreds) {
    this.#keys = keys;
    this.#creds = creds;
  }

  /** Notes that the credentials changed. */
  save(): void {
    if (!isFinishedPairing(this.#creds)) return;
    this.#changed = true;
    this.#writing ??= this.#write();
  }

  /** Resolves when everything noted so far is written: true, or false when a write failed. */
  async flush(): Promise<boolean> {
    await this.#writing;
    return !this.#failed;
  }

  async #write(): Promise<void> {
    try {
      while (this.#changed) {
        this.#changed = false;
        await this.#keys.commit({ credentials: encodeCredentials(this.#creds) });
      }
    } catch {
      this.#failed = true;
    } finally {
      this.#writing = undefined;
    }
  }
}
