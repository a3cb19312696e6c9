import { Readable } from 'node:stream';
import { Boom } from '@hapi/boom';
import type { NumberedEntry, RoomSignal, Tail } from '../delivery/tail.js';
import type { Clock } from '../domain/clock.js';
import { GatewayError } from '../domain/errors.js';
import { UntoldRooms } from './untold-rooms.js';

/** Milliseconds between comments that keep proxies and clients from taking silence for death. */
const KEEP_ALIVE_MS = 15_000;
/** Characters that may wait for a slow client before its stream ends; it comes back with its `Last-Event-ID`. */
const MAX_WAITING = 1024 * 1024;
/** What the log shows for a connection that ended early. */
const CLIENT_GONE = 499;

export interface StreamFilter {
  /** Only this session. */
  clientId?: string;
  /** Entries after the one of this id first, as far as they are kept. */
  lastEventId?: string;
  /** Signals of rooms too; the first one says that any room may have changed. */
  rooms?: boolean;
}

/** The open server-sent event streams of a server. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  readonly #tail: Tail;
  readonly #clock: Clock;
  #stopping = false;

  constructor(tail: Tail, clock: Clock) {
    this.#tail = tail;
    this.#clock = clock;
  }

  /** @throws GatewayError stopping */
  open(filter: StreamFilter): Readable {
    if (this.#stopping) throw new GatewayError('stopping', 'this node is stopping; come back in a moment');
    const stream = new EventStream(this.#tail, this.#clock, filter);
    this.#open.add(stream);
    stream.once('close', () => this.#open.delete(stream));
    return stream;
  }

  /** Ends all streams: a server waits for open answers before it stops. */
  stop(): void {
    this.#stopping = true;
    for (const stream of this.#open) stream.finish();
  }
}

/** One client's stream: what it missed, then what comes. Entries become text only when the client takes them. */
class EventStream extends Readable {
  readonly #clientId: string | undefined;
  readonly #missed: NumberedEntry[];
  /** Text that the client has not taken yet. */
  readonly #waiting: string[] = [];
  readonly #untoldRooms: UntoldRooms;
  readonly #unlisten: (() => void)[];
  readonly #clock: Clock;
  #waitingLength = 0;
  #stopKeepAlive: () => void = () => {};
  #wanted = false;

  constructor(tail: Tail, clock: Clock, { clientId, lastEventId, rooms }: StreamFilter) {
    super();
    this.#clientId = clientId;
    this.#clock = clock;
    this.#missed = lastEventId ? tail.since(lastEventId).reverse() : [];
    this.#untoldRooms = new UntoldRooms(clientId);
    this.#unlisten = [tail.listen((entry) => this.#add(entry))];
    if (rooms) {
      this.#unlisten.push(tail.listenToRooms((signal) => this.#addRoom(signal)));
      this.#untoldRooms.addAll(new Date(clock.now()).toISOString());
    }
    // no header leaves before the first byte
    this.push(lastEventId ? ': connected\n\n' : beginning(tail.lastId));
    this.#keepAlive();
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
  }

  #add(numbered: NumberedEntry): void {
    if (!this.#concerns(numbered)) return;
    this.#enqueue(format(numbered));
  }

  #addRoom(signal: RoomSignal): void {
    if (this.#clientId !== undefined && signal.clientId !== this.#clientId) return;
    this.#untoldRooms.add(signal);
    if (this.#wanted) this.#flush();
  }

  #enqueue(text: string): void {
    this.#waiting.push(text);
    this.#waitingLength += text.length;
    if (this.#wanted) this.#flush();
    if (this.#waitingLength > MAX_WAITING) this.#cut();
  }

  /** Closes the connection: a regular end would wait for a client that does not read. */
  #cut(): void {
    this.destroy(new Boom('the client does not read', { statusCode: CLIENT_GONE }));
  }

  #flush(): void {
    while (this.#wanted) {
      const text = this.#next();
      if (text === undefined) return;
      this.#wanted = false;
      if (this.push(text)) this.#wanted = true;
    }
  }

  #next(): string | undefined {
    for (let missed = this.#missed.pop(); missed; missed = this.#missed.pop()) {
      if (this.#concerns(missed)) return format(missed);
    }
    const text = this.#waiting.shift();
    this.#waitingLength -= text?.length ?? 0;
    return text ?? this.#nextRoom();
  }

  #nextRoom(): string | undefined {
    const signal = this.#untoldRooms.take();
    // without an id of its own: who comes back names the last entry
    return signal && `event: ${signal.kind}\ndata: ${JSON.stringify(signal)}\n\n`;
  }

  #concerns({ entry }: NumberedEntry): boolean {
    return this.#clientId === undefined || entry.clientId === this.#clientId;
  }

  #keepAlive(): void {
    this.#stopKeepAlive = this.#clock.after(KEEP_ALIVE_MS, () => {
      // a client that has not taken what is there needs no comment
      if (this.#wanted) this.#enqueue(': keep-alive\n\n');
      this.#keepAlive();
    });
  }
}

/** Tells the place in the stream, so that a client whose connection is cut before the first entry misses nothing. */
function beginning(id: string): string {
  return `: connected at ${id}\nid: ${id}\n\n`;
}

/** JSON holds no line breaks, so that one `data` line is enough. */
function format({ id, entry }: NumberedEntry): string {
  return `id: ${id}\nevent: ${entry.kind}\ndata: ${JSON.stringify(entry)}\n\n`;
}
