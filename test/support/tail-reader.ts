import { createParser } from 'eventsource-parser';
import type { TailEntry } from '../../src/contract/events/stream-entry.js';

/** A test's ear on a daemon's live stream. With `rooms` among what is asked for, its entries are also those of rooms. */
export class TailReader<Entry extends { kind: string } = TailEntry> {
  readonly entries: Entry[] = [];
  readonly #abort = new AbortController();
  readonly #listeners = new Set<(entry: Entry) => void>();
  #ended: Promise<void> = Promise.resolve();

  /** Opens the stream; resolves when it is open. */
  async open(url: string, token: string, query = ''): Promise<this> {
    const response = await fetch(new URL(`/events${query}`, url), {
      headers: { authorization: `Bearer ${token}` },
      signal: this.#abort.signal,
    });
    if (!response.body) throw new Error('the stream has no body');
    this.#ended = this.#read(response.body).catch(() => undefined);
    return this;
  }

  /** The first entry that fits, seen already or still to come. */
  next(fits: (entry: Entry) => boolean): Promise<Entry> {
    const seen = this.entries.find(fits);
    if (seen) return Promise.resolve(seen);
    return new Promise((resolve) => {
      const listener = (entry: Entry) => {
        if (!fits(entry)) return;
        this.#listeners.delete(listener);
        resolve(entry);
      };
      this.#listeners.add(listener);
    });
  }

  /** Resolves when the condition holds; it is asked now and after each entry that concerns it. */
  async until(concerns: (entry: Entry) => boolean, condition: () => Promise<boolean>): Promise<void> {
    let wake: () => void = () => undefined;
    const listener = (entry: Entry) => {
      if (concerns(entry)) wake();
    };
    this.#listeners.add(listener);
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (await condition()) return;
        await woken;
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#ended;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = createParser({
      onEvent: ({ data }) => {
        const entry: Entry = JSON.parse(data);
        this.entries.push(entry);
        for (const listener of this.#listeners) listener(entry);
      },
    });
    const decoder = new TextDecoder();
    for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
  }
}
