import { randomInt } from 'node:crypto';
import type { RoomSignal, TailEntry } from '../../contract/events/stream-entry.js';

/** An entry with its id. */
export interface NumberedEntry {
  /** `<epoch>-<number>`: each start has its own epoch, so an id of an earlier run resumes from the whole buffer. */
  id: string;
  entry: TailEntry;
}

/** A position in the stream of one node. */
interface TailPlace {
  epoch: string;
  number: number;
}

/** Separates the positions of several nodes in one id. */
export const BETWEEN_PLACES = '.';

const PLACE = /^([0-9a-z]{1,16})-([0-9]{1,15})$/;

/** The positions in an id, one for each node; none if the text is not an id. */
export function placesIn(id: string): TailPlace[] {
  return id.split(BETWEEN_PLACES).flatMap((text) => {
    const [, epoch, number] = PLACE.exec(text) ?? [];
    return epoch === undefined ? [] : [{ epoch, number: Number(number) }];
  });
}

/** Distinguishes nodes that start in the same millisecond. */
const EPOCH_SUFFIX = { base: 36, digits: 4 };

/** Entries buffered for clients that reconnect with a `Last-Event-ID`. */
const BUFFER_SIZE = 2_000;
/** Characters of text in the buffer; the newest entry is always kept. */
const BUFFER_CHARACTERS = 16 * 1024 * 1024;

type Listener<Item> = (item: Item) => void;

/** The live stream of events and attempts: a bounded buffer and its listeners. */
export class Tail {
  readonly #epoch: string;
  readonly #buffer: NumberedEntry[] = [];
  readonly #listeners = new Set<Listener<NumberedEntry>>();
  readonly #roomListeners = new Set<Listener<RoomSignal>>();
  #count = 0;
  #characters = 0;

  /** @param startedAt milliseconds since the epoch; the ids begin with it */
  constructor(startedAt: number) {
    const { base, digits } = EPOCH_SUFFIX;
    const suffix = randomInt(base ** digits).toString(base);
    this.#epoch = startedAt.toString(base) + suffix.padStart(digits, '0');
  }

  /** The id of the newest entry; before the first, an id that `since` accepts too. */
  get lastId(): string {
    return this.idBefore(0);
  }

  /** The id that is this many entries before the newest. */
  idBefore(entries: number): string {
    return `${this.#epoch}-${this.#count - entries}`;
  }

  publish(entry: TailEntry): void {
    this.#count += 1;
    const numbered = { id: this.lastId, entry };
    this.#keep(numbered);
    notifyAll(this.#listeners, numbered);
  }

  /** Sends a room signal. It is not buffered: an import of thousands of messages would push the events out. */
  signal(signal: RoomSignal): void {
    notifyAll(this.#roomListeners, signal);
  }

  /** Calls back for every new entry; the returned function ends that. */
  listen(listener: Listener<NumberedEntry>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls back for every room signal; the returned function ends that. */
  listenToRooms(listener: Listener<RoomSignal>): () => void {
    this.#roomListeners.add(listener);
    return () => this.#roomListeners.delete(listener);
  }

  /** The entries after that id; the whole buffer if the id is not of this run. */
  since(id: string): NumberedEntry[] {
    const place = placesIn(id).find(({ epoch }) => epoch === this.#epoch);
    if (!place || place.number > this.#count) return [...this.#buffer];
    const forgotten = this.#count - this.#buffer.length;
    return this.#buffer.slice(Math.max(0, place.number - forgotten));
  }

  /** The buffered entries from that time on. @param from milliseconds since the epoch */
  from(from: number): NumberedEntry[] {
    const before = this.#buffer.findLastIndex(({ entry }) => Date.parse(entry.at) < from);
    return this.#buffer.slice(before + 1);
  }

  #keep(numbered: NumberedEntry): void {
    this.#buffer.push(numbered);
    this.#characters += charactersIn(numbered.entry);
    while (
      this.#buffer.length > BUFFER_SIZE ||
      (this.#characters > BUFFER_CHARACTERS && this.#buffer.length > 1)
    ) {
      const oldest = this.#buffer.shift();
      if (oldest) this.#characters -= charactersIn(oldest.entry);
    }
  }
}

/** Drops a listener that throws: its reader reconnects with its last id. */
function notifyAll<Item>(listeners: Set<Listener<Item>>, item: Item): void {
  for (const listener of listeners) {
    try {
      listener(item);
    } catch {
      listeners.delete(listener);
    }
  }
}

/** Characters in an entry's texts, without fields of bounded length. */
function charactersIn(entry: TailEntry): number {
  if (entry.kind !== 'event') return entry.reason.length;
  return lengthOf(entry.event);
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const part of Object.values(value)) length += lengthOf(part);
  return length;
}
