import type { GatewayEvent } from '../events/catalogue.js';

/** What a tail shows, live. */
export type TailEntry =
  | { kind: 'event'; at: string; clientId: string; event: GatewayEvent }
  | ({ kind: 'attempt'; at: string; clientId: string } & AttemptReport)
  | { kind: 'dropped'; at: string; clientId: string; deliveryId: string; type: string; reason: string };

/** One POST to a receiver and what came of it. */
export interface AttemptReport {
  deliveryId: string;
  /** The event's type and message. */
  type: string;
  messageId: string;
  url: string;
  /** 1 to 4. */
  attempt: number;
  outcome: 'delivered' | 'rejected' | 'failed';
  /** The receiver's HTTP status; 0 when there was no answer. */
  status: number;
  /** Why it failed, for people; empty when delivered. */
  reason: string;
  durationMs: number;
}

/** An entry with its place in the stream. */
export interface NumberedEntry {
  /** `<epoch>-<number>`: the epoch changes with each start, so that an old id resumes from the whole buffer. */
  id: string;
  entry: TailEntry;
}

/** Entries kept for those who come back with a `Last-Event-ID`. */
const BUFFER_SIZE = 2_000;

type Listener = (entry: NumberedEntry) => void;

/** The live stream of events and attempts: a bounded buffer and its listeners. */
export class Tail {
  readonly #epoch: string;
  readonly #buffer: NumberedEntry[] = [];
  readonly #listeners = new Set<Listener>();
  #count = 0;

  /** @param startedAt milliseconds since the epoch, heads the ids. */
  constructor(startedAt: number) {
    this.#epoch = startedAt.toString(36);
  }

  publish(entry: TailEntry): void {
    const numbered = { id: `${this.#epoch}-${++this.#count}`, entry };
    this.#buffer.push(numbered);
    if (this.#buffer.length > BUFFER_SIZE) this.#buffer.shift();
    for (const listener of this.#listeners) listener(numbered);
  }

  /** Calls back for every entry from now on; the returned function ends it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What came after the entry of that id; the whole buffer when the id is not in it. */
  since(id: string): NumberedEntry[] {
    const index = this.#buffer.findIndex((numbered) => numbered.id === id);
    return this.#buffer.slice(index + 1);
  }
}
