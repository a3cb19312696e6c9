import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { Boom } from '@hapi/boom';
import type { NumberedEntry, RoomSignal, Tail } from '../../delivery/tail.js';
import type { Clock } from '../../domain/clock.js';
import { beginning } from '../../events/stream-text.js';
import { UntoldRooms } from '../untold-rooms.js';
import type { EntrySink } from './peer-feed.js';
import type { Places } from './places.js';

/** Milliseconds between comments that keep proxies and clients from taking silence for death. */
const KEEP_ALIVE_MS = 15_000;
/** Characters of this node that may wait for a slow client before its stream ends; it comes back with its `Last-Event-ID`. */
const MAX_WAITING = 1024 * 1024;
/** Characters that wait when no more is read from other nodes, where it waits as well. */
const ENOUGH_WAITING = MAX_WAITING / 2;
/** As far back as anybody may ask. */
export const LONGEST_PAST_MS = 24 * 60 * 60 * 1_000;
/** What the log shows for a connection that ended early. */
const CLIENT_GONE = 499;

export interface StreamFilter {
  /** Only this session. */
  clientId?: string;
  /** Entries after the one of this id first, as far as they are kept. */
  lastEventId?: string;
  /** Without that id: entries of so many milliseconds before now first. */
  withinMs?: number;
  /** Signals of rooms too. */
  rooms?: boolean;
}

export interface EventStreamOptions extends StreamFilter {
  tail: Tail;
  clock: Clock;
  /** How far the client has come. */
  places: Places;
  /**
   * Another node reads it: it is told the place at every beginning, and knows by itself that any room may have changed
   * before.
   */
  isForNode: boolean;
}

interface Waiting {
  /** Absent where it is no entry. */
  id?: string;
  text: string;
  /** It came from another node. */
  fromPeer?: boolean;
}

/** One client's stream: what it missed, then what comes. Entries become text only when the client takes them. */
export class EventStream extends Readable implements EntrySink {
  readonly #options: EventStreamOptions;
  readonly #missed: NumberedEntry[];
  /** What the client has not taken yet. */
  readonly #waiting: Waiting[] = [];
  readonly #untoldRooms: UntoldRooms;
  readonly #unlisten: (() => void)[];
  readonly #end = new AbortController();
  /** Those who wait for the client to take something. */
  #untaken: (() => void)[] = [];
  #waitingLength = 0;
  #ownLength = 0;
  #stopKeepAlive: () => void = () => {};
  #hasBegun = false;
  #wanted = false;
  /** Since the last comment. */
  #hasTaken = false;

  constructor(options: EventStreamOptions) {
    super();
    const { tail, clientId, rooms, places } = options;
    this.#options = options;
    const missed = missedOf(options);
    this.#missed = missed.toReversed();
    places.join(tail.idBefore(missed.length));
    this.#untoldRooms = new UntoldRooms(clientId);
    this.#unlisten = [tail.listen((entry) => this.#add(entry))];
    if (rooms) this.#unlisten.push(tail.listenToRooms((signal) => this.addRoom(signal)));
    // each of the other nodes waits for it
    setMaxListeners(0, this.#end.signal);
    // it may be cut before anybody looks at it
    this.on('error', () => {});
    this.#keepAlive();
  }

  /** Aborted when the stream takes nothing more. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** Lets the client have what has come, and what comes. */
  begin(): void {
    if (this.#end.signal.aborted) return;
    const { lastEventId, isForNode, places, rooms, clock } = this.#options;
    this.#hasBegun = true;
    places.forgetGone();
    if (rooms && !isForNode) this.#untoldRooms.addAll(timeOf(clock));
    // no header leaves before the first byte
    this.push(lastEventId && !isForNode ? ': connected\n\n' : beginning(String(places)));
  }

  joined(id: string): void {
    const { places, rooms, clock } = this.#options;
    places.join(id);
    if (rooms && this.#hasBegun) this.#untoldRooms.addAll(timeOf(clock));
    if (this.#wanted) this.#flush();
  }

  left(id: string): void {
    this.#options.places.leave(id);
  }

  addEntry(id: string, text: string): void {
    this.#enqueue({ id, text, fromPeer: true });
  }

  addRoom(signal: RoomSignal): void {
    const { clientId } = this.#options;
    if (clientId !== undefined && signal.clientId !== clientId) return;
    this.#untoldRooms.add(signal);
    if (this.#wanted) this.#flush();
  }

  async taken(): Promise<void> {
    while (this.#waitingLength > ENOUGH_WAITING && !this.#end.signal.aborted) {
      await new Promise<void>((resolve) => this.#untaken.push(resolve));
    }
  }

  override _read(): void {
    this.#wanted = true;
    this.#flush();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#stopListening();
    callback(error);
  }

  /** Ends after what is there; at once for a client that does not even take that. */
  finish(): void {
    this.#stopListening();
    // nobody may have read yet from a stream that was opened just now
    this.#wanted ||= this.readableLength < this.readableHighWaterMark;
    this.#flush();
    if (this.#wanted) this.push(null);
    else this.#cut();
  }

  #stopListening(): void {
    for (const unlisten of this.#unlisten) unlisten();
    this.#stopKeepAlive();
    this.#end.abort();
    this.#letRead();
  }

  #add(numbered: NumberedEntry): void {
    if (!this.#concerns(numbered)) return;
    this.#enqueue({ id: numbered.id, text: textOf(numbered) });
    if (this.#ownLength > MAX_WAITING && this.#hasBegun) this.#cut();
  }

  #enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#count(waiting, 1);
    if (this.#wanted) this.#flush();
  }

  #count({ text, fromPeer }: Waiting, sign: 1 | -1): void {
    this.#waitingLength += sign * text.length;
    if (!fromPeer) this.#ownLength += sign * text.length;
  }

  /** Closes the connection: a regular end would wait for a client that does not read. */
  #cut(): void {
    this.destroy(new Boom('the client does not read', { statusCode: CLIENT_GONE }));
  }

  #flush(): void {
    while (this.#wanted) {
      const text = this.#next();
      if (text === undefined) break;
      this.#hasTaken = true;
      this.#wanted = false;
      if (this.push(text)) this.#wanted = true;
    }
    if (this.#waitingLength <= ENOUGH_WAITING) this.#letRead();
  }

  #letRead(): void {
    for (const resolve of this.#untaken.splice(0)) resolve();
  }

  #next(): string | undefined {
    for (let missed = this.#missed.pop(); missed; missed = this.#missed.pop()) {
      if (this.#concerns(missed)) return this.#numbered(missed.id, textOf(missed));
    }
    const waiting = this.#waiting.shift();
    if (!waiting) return this.#nextRoom();
    this.#count(waiting, -1);
    return waiting.id === undefined ? waiting.text : this.#numbered(waiting.id, waiting.text);
  }

  /** With the client's place at all nodes, which is told from now on. */
  #numbered(id: string, text: string): string {
    const { places } = this.#options;
    places.advance(id);
    return `id: ${places}\n${text}`;
  }

  #nextRoom(): string | undefined {
    const signal = this.#untoldRooms.take();
    // without an id of its own: who comes back names the last entry
    return signal && `event: ${signal.kind}\ndata: ${JSON.stringify(signal)}\n\n`;
  }

  #concerns({ entry }: NumberedEntry): boolean {
    const { clientId } = this.#options;
    return clientId === undefined || entry.clientId === clientId;
  }

  #keepAlive(): void {
    this.#stopKeepAlive = this.#options.clock.after(KEEP_ALIVE_MS, () => {
      // a client that has not taken what is there needs no comment
      if (this.#wanted) this.#enqueue({ text: ': keep-alive\n\n' });
      else if (this.#untaken.length > 0 && !this.#hasTaken) return this.#cut();
      this.#hasTaken = false;
      this.#keepAlive();
    });
  }
}

function missedOf({ tail, clock, lastEventId, withinMs }: EventStreamOptions): NumberedEntry[] {
  if (lastEventId) return tail.since(lastEventId);
  return withinMs ? tail.from(clock.now() - withinMs) : [];
}

function timeOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** JSON holds no line breaks, so that one `data` line is enough. */
function textOf({ entry }: NumberedEntry): string {
  return `event: ${entry.kind}\ndata: ${JSON.stringify(entry)}\n\n`;
}
