import type { StreamItem, SwitchboardClient } from '../client/client.js';

/** Milliseconds of the past to read; longer than a gateway of a test has run when the feed begins. */
const WITHIN_MS = 60_000;
/** Number of entries that the feed keeps. */
const MOST_ENTRIES = 10_000;

/** The live stream of a test's gateway from its start on: events, and attempts to deliver them. */
export class Feed {
  readonly entries: StreamItem[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #ended = new AbortController();
  readonly #reading: Promise<void>;
  /** The reason why the feed has ended. */
  #problem: unknown = new Error('the world was closed');

  constructor(client: SwitchboardClient) {
    this.#reading = this.#read(client);
  }

  /** Resolves with the first matching entry, past or future. @throws Error if the feed is closed before */
  async until(fits: (entry: StreamItem) => boolean): Promise<StreamItem> {
    for (;;) {
      const found = this.entries.find(fits);
      if (found) return found;
      if (this.#ended.signal.aborted) throw this.#problem;
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#reading;
  }

  async #read(client: SwitchboardClient): Promise<void> {
    try {
      for await (const entry of client.events({ withinMs: WITHIN_MS, signal: this.#ended.signal })) {
        this.entries.push(entry);
        if (this.entries.length > MOST_ENTRIES) this.entries.shift();
        this.#wake();
      }
    } catch (error) {
      this.#problem = error;
    }
    this.#ended.abort();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
