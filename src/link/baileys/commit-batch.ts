import type { JournalEntry, KeyChange } from '../../domain/signal-state.js';
import type { LinkKeys } from '../link.js';

interface Batch {
  keys: KeyChange[];
  journal: JournalEntry[];
  written: Promise<void>;
}

/**
 * Commits of one link. Steps that are ready at the same moment, as those for the devices of one message are, share one
 * commit: each is still written wholly or not at all, and nobody waits longer than for the work that is at hand.
 */
export class CommitBatch {
  readonly #keys: LinkKeys;
  #open: Batch | undefined;

  constructor(keys: LinkKeys) {
    this.#keys = keys;
  }

  /** Resolves when the step is written. */
  add(changes: readonly KeyChange[], entries: readonly JournalEntry[]): Promise<void> {
    const batch = this.#open ?? this.#begin();
    batch.keys.push(...changes);
    batch.journal.push(...entries);
    return batch.written;
  }

  #begin(): Batch {
    const batch: Batch = { keys: [], journal: [], written: Promise.resolve() };
    this.#open = batch;
    batch.written = new Promise((resolve, reject) => {
      // after everything that can go on without waiting for the outside
      process.nextTick(() => {
        this.#open = undefined;
        this.#keys.commit({ keys: batch.keys, journal: batch.journal }).then(resolve, reject);
      });
    });
    return batch;
  }
}
