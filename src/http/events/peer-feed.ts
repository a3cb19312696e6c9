import type { EventSourceMessage } from 'eventsource-parser';
import type { PeerNode } from '../../cluster/owners.js';
import { placesIn, type RoomSignal } from '../../delivery/tail.js';
import { type Clock, wait } from '../../domain/clock.js';
import { StreamReader } from '../../events/stream-text.js';
import type { PeerTroubles } from './troubles.js';

/** Milliseconds before a stream that has ended is opened again; doubles up to the longest with each failure. */
const AGAIN_MS = 500;
const LONGEST_AGAIN_MS = 15_000;
/** A node says something, if only a comment, every 15 s: after so many milliseconds without it the stream is dead. */
const SILENCE_MS = 40_000;

/** The kinds of entries that a node may send: those of newer ones too. */
const KIND = /^[a-z][a-z_]{0,63}$/;

/** Where what the other nodes tell goes. */
export interface EntrySink {
  /** A node tells what comes after that id. Rooms may have changed before: that is not kept. */
  joined(id: string): void;
  /** The node of that id tells nothing any more. */
  left(id: string): void;
  /** @param text the entry without its id */
  addEntry(id: string, text: string): void;
  addRoom(signal: RoomSignal): void;
  /** Resolves when the client has taken enough for more to be read. */
  taken(): Promise<void>;
}

export interface PeerFeedOptions {
  node: PeerNode;
  /**
   * Opens the node's own stream.
   * @param lastEventId of this node's entries; undefined the first time
   */
  ask(node: PeerNode, lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
  sink: EntrySink;
  clock: Clock;
  troubles: PeerTroubles;
  /** Ends it. */
  ended: AbortSignal;
}

/** What another node tells, for one client's stream: opened again whenever it ends, for as long as the node is there. */
export class PeerFeed {
  /** Whether the node is there. One that has gone is read to its end and not asked again. */
  isListed = true;
  readonly #options: PeerFeedOptions;
  /** What was read last, which the client may not have taken yet. */
  #lastId: string | undefined;
  #failures = 0;
  #isRunning = false;

  constructor(options: PeerFeedOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Reads on while the node is there. @param tried called once it is open, or could not be opened */
  async run(tried: () => void = () => undefined): Promise<void> {
    const { node, clock, troubles, ended } = this.#options;
    this.#isRunning = true;
    while (this.isListed && !ended.aborted) {
      try {
        await this.#read(tried);
      } catch (error) {
        if (ended.aborted) break;
        this.#failures += 1;
        troubles.failed(node, error);
      }
      tried();
      if (this.isListed) await wait(clock, this.#delay(), ended);
    }
    this.#isRunning = false;
    if (this.#lastId) this.#options.sink.left(this.#lastId);
  }

  #delay(): number {
    return Math.min(AGAIN_MS * 2 ** Math.max(0, this.#failures - 1), LONGEST_AGAIN_MS);
  }

  /** One connection, to its end. @throws when it cannot be opened, is cut, or falls silent */
  async #read(tried: () => void): Promise<void> {
    const { node, ask, sink, ended } = this.#options;
    const connection = new AbortController();
    const silence = this.#silence(connection);
    try {
      const response = await ask(node, this.#lastId, AbortSignal.any([ended, connection.signal]));
      if (!response.ok || !response.body) throw new Error(`it answered ${response.status}`);
      const reader = this.#reader(tried);
      const decoder = new TextDecoder();
      for await (const chunk of response.body) {
        silence.stop();
        reader.feed(decoder.decode(chunk, { stream: true }));
        // what is not read waits at the other node, within its bounds
        await sink.taken();
        silence.start();
      }
    } finally {
      silence.stop();
      connection.abort();
    }
  }

  #silence(connection: AbortController) {
    let cancel = () => {};
    const start = () => {
      cancel = this.#options.clock.after(SILENCE_MS, () =>
        connection.abort(new Error('it has fallen silent')),
      );
    };
    start();
    return { start, stop: () => cancel() };
  }

  #reader(tried: () => void): StreamReader {
    const { node, troubles } = this.#options;
    return new StreamReader({
      onBeginning: (id) => {
        this.#begin(id);
        this.#failures = 0;
        troubles.worked(node);
        tried();
      },
      onEvent: (message) => {
        if (message.event === 'room') this.#takeRoom(message.data);
        else this.#takeEntry(message);
      },
    });
  }

  #begin(id: string): void {
    const { sink } = this.#options;
    if (this.#lastId && epochOf(id) !== epochOf(this.#lastId)) sink.left(this.#lastId);
    this.#lastId = id;
    sink.joined(id);
  }

  #takeEntry({ id = '', event = '', data }: EventSourceMessage): void {
    const [place, ...others] = placesIn(id);
    if (!place || others.length > 0 || place.epoch !== epochOf(this.#lastId))
      throw new Error('its ids are not its own');
    // more than one line would be read as fields of the stream
    if (!KIND.test(event) || data.includes('\n')) throw new Error('it sends what is no entry');
    this.#lastId = id;
    this.#options.sink.addEntry(id, `event: ${event}\ndata: ${data}\n\n`);
  }

  #takeRoom(data: string): void {
    const signal: unknown = JSON.parse(data);
    if (!isRoomSignal(signal)) throw new Error('it sends what is no room');
    this.#options.sink.addRoom(signal);
  }
}

function epochOf(id = ''): string | undefined {
  return placesIn(id)[0]?.epoch;
}

function isRoomSignal(value: unknown): value is RoomSignal {
  if (typeof value !== 'object' || value === null) return false;
  return ['at', 'clientId', 'chatRoomId'].every((name) => typeof Reflect.get(value, name) === 'string');
}
