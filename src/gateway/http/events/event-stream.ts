import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import { Boom } from '@hapi/boom';
import type { RoomSignal } from '../../../contract/events/stream-entry.js';
import type { Clock } from '../../../domain/clock.js';
import { LIMITS } from '../../../domain/limits.js';
import type { NumberedEntry, Tail } from '../../delivery/tail.js';
import type { EntrySink } from './peer-feed.js';
import { beginning } from './stream.js';
import type { StreamCursor } from './stream-cursor.js';

/** Milliseconds between comments, so that proxies and clients keep a silent connection. */
const KEEP_ALIVE_MS = 15_000;
const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');
/** Waiting bytes above which other nodes are not read any further. */
const ENOUGH_WAITING = LIMITS.streamWaitingBytes / 2;
/** Status in the log when the client closed the connection. */
const CLIENT_GONE = 499;

export interface StreamFilter {
  /** Limits the stream to this session. */
  clientId?: string;
  /** Start with the buffered entries after this id. */
  lastEventId?: string;
  /** If there is no `lastEventId`: start with the entries of the last `withinMs` milliseconds. */
  withinMs?: number;
  /** Includes room signals. */
  rooms?: boolean;
}

interface EventStreamOptions extends StreamFilter {
  tail: Tail;
  clock: Clock;
  /** The client's position. */
  places: StreamCursor;
  /** Another node reads the stream: it starts with the position of this node, and without the signal that rooms may have changed before. */
  isForNode: boolean;
  /** Called when the number of bytes that wait for the client changes, with the difference. */
  waits(bytes: number): void;
  /** Called when the stream is closed because its client does not read. */
  onCut(): void;
}

interface Waiting {
  /** Id of the entry; absent for other data. */
  id?: string;
  bytes: Buffer;
  /** True for an entry of another node. */
  fromPeer?: boolean;
}

/** One client's stream: missed entries, then new ones. An entry is encoded once for all streams. */
export class EventStream extends Readable implements EntrySink {
  readonly #options: EventStreamOptions;
  readonly #missed: NumberedEntry[];
  /** Entries that the client has not read. */
  readonly #waiting: Waiting[] = [];
  readonly #pendingRooms: PendingRoomSignals;
  readonly #unlisten: (() => void)[];
  readonly #end = new AbortController();
  /** Callers of `taken`, which wait until the client has read more. */
  #untaken: (() => void)[] = [];
  #waitingBytes = 0;
  #ownBytes = 0;
  #stopKeepAlive: () => void = () => {};
  #hasBegun = false;
  #wanted = false;
  #isPushing = false;
  /** True if the client has read data since the last comment. */
  #hasTaken = false;

  constructor(options: EventStreamOptions) {
    super();
    const { tail, clientId, rooms, places } = options;
    this.#options = options;
    const missed = missedOf(options);
    this.#missed = missed.toReversed();
    places.join(tail.idBefore(missed.length));
    this.#pendingRooms = new PendingRoomSignals(clientId);
    this.#unlisten = [tail.listen((entry) => this.#add(entry))];
    if (rooms) this.#unlisten.push(tail.listenToRooms((signal) => this.addRoom(signal)));
    // the feed of each other node adds a listener
    setMaxListeners(0, this.#end.signal);
    // the connection may break before a listener is added
    this.on('error', () => {});
    this.#keepAlive();
  }

  /** Aborts when the stream ends. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** Bytes that wait for the client. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Starts sending. */
  begin(): void {
    if (this.#end.signal.aborted) return;
    const { lastEventId, isForNode, places, rooms, clock } = this.#options;
    this.#hasBegun = true;
    places.forgetGone();
    if (rooms && !isForNode) this.#pendingRooms.addAll(timeOf(clock));
    // the headers leave with the first byte
    this.push(lastEventId && !isForNode ? ': connected\n\n' : beginning(String(places)));
  }

  joined(id: string): void {
    const { places, rooms, clock } = this.#options;
    places.join(id);
    if (rooms && this.#hasBegun) this.#pendingRooms.addAll(timeOf(clock));
    if (this.#wanted) this.#flush();
  }

  left(id: string): void {
    this.#options.places.leave(id);
  }

  addEntry(id: string, text: string): void {
    this.#enqueue({ id, bytes: Buffer.from(text), fromPeer: true });
  }

  addRoom(signal: RoomSignal): void {
    const { clientId } = this.#options;
    if (clientId !== undefined && signal.clientId !== clientId) return;
    this.#pendingRooms.add(signal);
    if (this.#wanted) this.#flush();
  }

  async taken(): Promise<void> {
    while (this.#waitingBytes > ENOUGH_WAITING && !this.#end.signal.aborted) {
      await new Promise<void>((resolve) => this.#untaken.push(resolve));
    }
  }

  override _read(): void {
    this.#wanted = true;
    this.#flush();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#stopListening();
    this.#options.waits(-this.#waitingBytes);
    this.#waitingBytes = 0;
    this.#waiting.length = 0;
    callback(error);
  }

  /** Ends the stream after the waiting entries, or at once if the client does not read. */
  finish(): void {
    this.#stopListening();
    // a stream that was opened just now may not have been read yet
    this.#wanted ||= this.readableLength < this.readableHighWaterMark;
    this.#flush();
    if (this.#wanted) this.push(null);
    else this.cut();
  }

  #stopListening(): void {
    for (const unlisten of this.#unlisten) unlisten();
    this.#stopKeepAlive();
    this.#end.abort();
    this.#letRead();
  }

  #add(numbered: NumberedEntry): void {
    if (!this.#concerns(numbered)) return;
    this.#enqueue({ id: numbered.id, bytes: encoded(numbered) });
    if (this.#ownBytes > LIMITS.streamWaitingBytes && this.#hasBegun) this.cut();
  }

  #enqueue(waiting: Waiting): void {
    if (this.destroyed) return;
    this.#waiting.push(waiting);
    this.#count(waiting, 1);
    if (this.#wanted) this.#flush();
  }

  #count({ bytes, fromPeer }: Waiting, sign: 1 | -1): void {
    const change = sign * bytes.length;
    this.#waitingBytes += change;
    if (!fromPeer) this.#ownBytes += change;
    this.#options.waits(change);
  }

  /** Closes the connection: a regular end would wait for a client that does not read. */
  cut(): void {
    if (this.destroyed) return;
    this.#options.onCut();
    this.destroy(new Boom('the client does not read', { statusCode: CLIENT_GONE }));
  }

  #flush(): void {
    // a read between the parts of an entry would mix two entries
    while (this.#wanted && !this.#isPushing && !this.destroyed) {
      const parts = this.#next();
      if (parts === undefined) break;
      this.#hasTaken = true;
      this.#wanted = false;
      this.#isPushing = true;
      let wantsMore = true;
      for (const part of parts) wantsMore = this.push(part);
      this.#isPushing = false;
      this.#wanted ||= wantsMore;
    }
    if (this.#waitingBytes <= ENOUGH_WAITING) this.#letRead();
  }

  #letRead(): void {
    for (const resolve of this.#untaken.splice(0)) resolve();
  }

  /** The parts of the next entry or signal; in parts, so that an encoded entry is not copied. */
  #next(): (string | Buffer)[] | undefined {
    for (let missed = this.#missed.pop(); missed; missed = this.#missed.pop()) {
      if (this.#concerns(missed)) return [this.#idLine(missed.id), encoded(missed)];
    }
    const waiting = this.#waiting.shift();
    if (!waiting) return this.#nextRoom();
    this.#count(waiting, -1);
    const { id, bytes } = waiting;
    return id === undefined ? [bytes] : [this.#idLine(id), bytes];
  }

  /** The client's position at all nodes is the id of an entry. */
  #idLine(id: string): string {
    const { places } = this.#options;
    places.advance(id);
    return `id: ${places}\n`;
  }

  #nextRoom(): string[] | undefined {
    const signal = this.#pendingRooms.take();
    // signals have no id: a client resumes after the last entry
    return signal && [`event: ${signal.kind}\ndata: ${JSON.stringify(signal)}\n\n`];
  }

  #concerns({ entry }: NumberedEntry): boolean {
    const { clientId } = this.#options;
    return clientId === undefined || entry.clientId === clientId;
  }

  #keepAlive(): void {
    this.#stopKeepAlive = this.#options.clock.after(KEEP_ALIVE_MS, () => {
      // a client with unread entries needs no comment
      if (this.#wanted) this.#enqueue({ bytes: KEEP_ALIVE });
      else if (!this.#hasTaken && (this.#waiting.length > 0 || this.#untaken.length > 0)) return this.cut();
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

/** Encoded entries without their ids, shared by all streams as long as one of them needs the entry. */
const ENCODED = new WeakMap<NumberedEntry, Buffer>();

function encoded(numbered: NumberedEntry): Buffer {
  const { entry } = numbered;
  // JSON holds no line breaks, so that one `data` line is enough
  const bytes =
    ENCODED.get(numbered) ?? Buffer.from(`event: ${entry.kind}\ndata: ${JSON.stringify(entry)}\n\n`);
  ENCODED.set(numbered, bytes);
  return bytes;
}

/** Most rooms that wait individually; above that, one signal says that any room may have changed. */
const MAX_ROOMS = 500;

/** Room signals that a client has not read: one for each room, however often it changes. */
export class PendingRoomSignals {
  readonly #clientId: string;
  readonly #signals = new Map<string, RoomSignal>();
  /** The signal that any room may have changed. */
  #all: RoomSignal | undefined;

  /** @param clientId the one session that the client asked for */
  constructor(clientId = '') {
    this.#clientId = clientId;
  }

  /** @param signal of one room, or of any */
  add(signal: RoomSignal): void {
    if (this.#all) return;
    const key = `${signal.clientId} ${signal.chatRoomId}`;
    const pending = this.#signals.get(key);
    this.#signals.set(key, pending ? merged(pending, signal) : signal);
    if (signal.chatRoomId === '' || this.#signals.size > MAX_ROOMS) this.addAll(signal.at);
  }

  /** Adds the signal that any room may have changed. @param at RFC 3339 */
  addAll(at: string): void {
    this.#signals.clear();
    this.#all = { kind: 'room', at, clientId: this.#clientId, chatRoomId: '' };
  }

  /** Removes and returns the signal that has waited longest. */
  take(): RoomSignal | undefined {
    const all = this.#all;
    this.#all = undefined;
    if (all) return all;
    for (const [key, signal] of this.#signals) {
      this.#signals.delete(key);
      return signal;
    }
    return undefined;
  }
}

function merged(earlier: RoomSignal, { messageId, ...later }: RoomSignal): RoomSignal {
  const formerId = later.formerId ?? earlier.formerId;
  return {
    ...later,
    ...(messageId !== undefined && messageId === earlier.messageId && { messageId }),
    ...(formerId !== undefined && { formerId }),
  };
}
