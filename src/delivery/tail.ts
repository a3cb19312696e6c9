import { randomInt } from 'node:crypto';
import type { GatewayEvent } from '../events/catalogue.js';

/** What a tail shows, live. */
export type TailEntry =
  | { kind: 'event'; at: string; clientId: string; event: GatewayEvent }
  | ({ kind: 'attempt'; at: string; clientId: string } & AttemptReport)
  | { kind: 'dropped'; at: string; clientId: string; deliveryId: string; type: string; reason: string };

/**
 * Something changed in a room of the hosted inbox: a message came, changed, got further or went; the name, the picture or
 * the unread count is another one. It says where to look again, and is not kept for those who come back.
 */
export interface RoomSignal {
  kind: 'room';
  at: string;
  /** Empty where rooms of any session may have changed. */
  clientId: string;
  /** Empty where any room may have changed. */
  chatRoomId: string;
  /** Where it is about one message. */
  messageId?: string;
  /** The id that the room had before, when it got another one. */
  formerId?: string;
}

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
  /** `<epoch>-<number>`: each start has an epoch of its own, so that an old id resumes from the whole buffer. */
  id: string;
  entry: TailEntry;
}

/** How far somebody has come in the stream of one node. */
export interface TailPlace {
  epoch: string;
  number: number;
}

/** What stands between the places of several nodes in one id. */
export const BETWEEN_PLACES = '.';

const PLACE = /^([0-9a-z]{1,16})-([0-9]{1,15})$/;

/** The places that an id names, each node's once; of what is no id none. */
export function placesIn(id: string): TailPlace[] {
  return id.split(BETWEEN_PLACES).flatMap((text) => {
    const [, epoch, number] = PLACE.exec(text) ?? [];
    return epoch === undefined ? [] : [{ epoch, number: Number(number) }];
  });
}

/** Tells nodes apart that start in the same millisecond. */
const EPOCH_SUFFIX = { base: 36, digits: 4 };

/** Entries kept for those who come back with a `Last-Event-ID`. */
const BUFFER_SIZE = 2_000;
/** Characters of text in the entries kept; the newest is kept whatever its size. */
const BUFFER_CHARACTERS = 16 * 1024 * 1024;

type Listener<Told> = (told: Told) => void;

/** The live stream of events and attempts: a bounded buffer and its listeners. */
export class Tail {
  readonly #epoch: string;
  readonly #buffer: NumberedEntry[] = [];
  readonly #listeners = new Set<Listener<NumberedEntry>>();
  readonly #roomListeners = new Set<Listener<RoomSignal>>();
  #count = 0;
  #characters = 0;

  /** @param startedAt milliseconds since the epoch, heads the ids. */
  constructor(startedAt: number) {
    const { base, digits } = EPOCH_SUFFIX;
    const suffix = randomInt(base ** digits).toString(base);
    this.#epoch = startedAt.toString(base) + suffix.padStart(digits, '0');
  }

  /** Of the newest entry; before the first one an id that `since` takes as well. */
  get lastId(): string {
    return this.idBefore(0);
  }

  /** The id after which so many entries have come. */
  idBefore(entries: number): string {
    return `${this.#epoch}-${this.#count - entries}`;
  }

  publish(entry: TailEntry): void {
    this.#count += 1;
    const numbered = { id: this.lastId, entry };
    this.#keep(numbered);
    tellAll(this.#listeners, numbered);
  }

  /** Tells those who listen to rooms. An import of thousands of messages must not push the events out of the buffer. */
  signal(signal: RoomSignal): void {
    tellAll(this.#roomListeners, signal);
  }

  /** Calls back for every entry from now on; the returned function ends it. */
  listen(listener: Listener<NumberedEntry>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Likewise, for every signal of a room. */
  listenToRooms(listener: Listener<RoomSignal>): () => void {
    this.#roomListeners.add(listener);
    return () => this.#roomListeners.delete(listener);
  }

  /** What came after the entry of that id; the whole buffer when the id names none of this node. */
  since(id: string): NumberedEntry[] {
    const place = placesIn(id).find(({ epoch }) => epoch === this.#epoch);
    if (!place || place.number > this.#count) return [...this.#buffer];
    const forgotten = this.#count - this.#buffer.length;
    return this.#buffer.slice(Math.max(0, place.number - forgotten));
  }

  /** What came at that time or later, as far as it is kept. @param from milliseconds since the epoch */
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

/** One that fails loses its place, and nobody else theirs: its reader comes back with the last id that it has. */
function tellAll<Told>(listeners: Set<Listener<Told>>, told: Told): void {
  for (const listener of listeners) {
    try {
      listener(told);
    } catch {
      listeners.delete(listener);
    }
  }
}

/** The texts of an entry, without the few fields of bounded length. */
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
