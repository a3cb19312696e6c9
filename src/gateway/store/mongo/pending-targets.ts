import type { Collection } from 'mongodb';
import type { CommitLog } from './commits.js';
import { HeldCache } from './held-cache.js';

/** Messages of one session beyond which they are not kept in memory. */
const TARGETS = 2_000;
/** Bytes for those of all sessions, and of one, about. */
const MAX_BYTES = 8 * 1024 * 1024;
const TARGET_BYTES = 150;

const KEY = 'pending';

/** What names the message that a change waits for. */
interface Target {
  chatRoomId: string;
  targetId: string;
}

/**
 * Knows for which messages of a held session changes wait, so that nothing is read for the others: mostly there are none. A
 * message for which changes no longer wait may still be named.
 */
export class PendingTargets {
  readonly #changes: Collection<Target & { clientId: string }>;
  readonly #log: CommitLog;
  readonly #held: HeldCache<Set<string> | null>;
  /** Counts writes, so that a reading sees that one came in between. */
  #writes = 0;

  constructor(changes: Collection<Target & { clientId: string }>, log: CommitLog) {
    this.#changes = changes;
    this.#log = log;
    this.#held = new HeldCache(log, MAX_BYTES, (targets) => (targets?.size ?? 0) * TARGET_BYTES);
  }

  /** True if no change waits for the message; false if this must be read. */
  async isNone(clientId: string, target: Target): Promise<boolean> {
    if (!this.#log.knowledgeOf(clientId)) return false;
    if (this.#held.get(clientId, KEY) === undefined) await this.#load(clientId);
    return this.#held.get(clientId, KEY)?.has(idOf(target)) === false;
  }

  /** Runs the write of a change that waits for a message. */
  async writing<T>(clientId: string, target: Target, write: () => Promise<T>): Promise<T> {
    this.#note(clientId, target);
    try {
      return await write();
    } finally {
      this.#note(clientId, target);
    }
  }

  #note(clientId: string, target: Target): void {
    this.#writes += 1;
    const targets = this.#held.get(clientId, KEY)?.add(idOf(target));
    if (targets) this.#held.set(clientId, KEY, targets.size > TARGETS ? null : targets);
  }

  #load(clientId: string): Promise<void> {
    const writes = this.#writes;
    return this.#log.readBeside(clientId, async () => {
      const shown = { projection: { _id: 0, chatRoomId: 1, targetId: 1 }, limit: TARGETS + 1 };
      const found = await this.#changes.find({ clientId }, shown).toArray();
      if (writes !== this.#writes) return;
      const targets = new Set(found.map(idOf));
      this.#held.set(clientId, KEY, found.length > TARGETS ? null : targets);
    });
  }
}

function idOf({ chatRoomId, targetId }: Target): string {
  return `${chatRoomId} ${targetId}`;
}
