import type { EventSourceMessage } from 'eventsource-parser';
import { LRUCache } from 'lru-cache';
import type { RoomSignal } from '../../../contract/events/stream-entry.js';
import { type Clock, wait } from '../../../domain/clock.js';
import { errorMessage } from '../../../domain/errors.js';
import { readJson } from '../../../domain/json.js';
import { doubling, pauseAfter } from '../../../domain/retry.js';
import type { PeerNode } from '../../cluster/owners.js';
import { placesIn } from '../../delivery/tail.js';
import type { Logger } from '../../log.js';
import { StreamReader } from './stream.js';

/** Gone nodes whose positions are kept: a node may only have lost its connection. */
const GONE_KEPT = 8;

/** The streams of all other nodes, for one client. */
export class PeerFeeds {
  readonly #options: Omit<PeerFeedOptions, 'node'>;
  /** Feeds by nodeId. */
  readonly #feeds = new Map<string, PeerFeed>();

  constructor(options: Omit<PeerFeedOptions, 'node'>) {
    this.#options = options;
  }

  /**
   * Opens the streams of new nodes; streams of gone nodes end by themselves.
   * @returns resolves once each new stream is open or has failed
   */
  async update(nodes: readonly PeerNode[]): Promise<void> {
    const listed = new Set(nodes.map(({ nodeId }) => nodeId));
    for (const [nodeId, feed] of this.#feeds) feed.isListed = listed.has(nodeId);
    this.#forgetOldest();
    await Promise.all(nodes.map((node) => this.#join(node)));
  }

  #join(node: PeerNode): Promise<void> {
    const feed = this.#feeds.get(node.nodeId) ?? new PeerFeed({ ...this.#options, node });
    if (feed.isRunning) return Promise.resolve();
    this.#feeds.delete(node.nodeId);
    this.#feeds.set(node.nodeId, feed);
    return new Promise((resolve) => void feed.run(resolve));
  }

  #forgetOldest(): void {
    const gone = [...this.#feeds].filter(([, { isListed, isRunning }]) => !isListed && !isRunning);
    for (const [nodeId] of gone.slice(0, Math.max(0, gone.length - GONE_KEPT))) this.#feeds.delete(nodeId);
  }
}

/** Pauses before an ended stream is reopened. */
const REOPEN = { pausesMs: doubling(500, 15_000), endless: true } as const;
/** Milliseconds without data after which a stream is dead: nodes send a comment every 15 s. */
const SILENCE_MS = 40_000;

/** Pattern for kinds of entries; also accepts those of newer nodes. */
const KIND = /^[a-z][a-z_]{0,63}$/;

/** Receives the entries of other nodes. */
export interface EntrySink {
  /** Called when the stream of a node begins, after that id. Rooms may have changed before that, because room signals are not buffered. */
  joined(id: string): void;
  /** Called when the stream of a node has ended. */
  left(id: string): void;
  /** @param text the entry without its id */
  addEntry(id: string, text: string): void;
  addRoom(signal: RoomSignal): void;
  /** Resolves once the client has read enough for more to be buffered. */
  taken(): Promise<void>;
}

interface PeerFeedOptions {
  node: PeerNode;
  /**
   * Opens the node's own stream.
   * @param lastEventId of this node's entries; undefined the first time
   */
  ask(node: PeerNode, lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
  sink: EntrySink;
  clock: Clock;
  troubles: PeerTroubles;
  /** Aborts the feed. */
  ended: AbortSignal;
}

/** The stream of another node, for one client: reopened whenever it ends, while the node is live. */
class PeerFeed {
  /** True while the node is alive. The stream of a node that has gone is read to its end and not reopened. */
  isListed = true;
  readonly #options: PeerFeedOptions;
  /** Id of the last entry received from the node; the client may not have read that entry yet. */
  #lastId: string | undefined;
  #failures = 0;
  #isRunning = false;

  constructor(options: PeerFeedOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Reads while the node is live. @param tried called once the stream is open or has failed */
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
      if (this.isListed) await wait(clock, pauseAfter(REOPEN, Math.max(1, this.#failures)), ended);
    }
    this.#isRunning = false;
    if (this.#lastId) this.#options.sink.left(this.#lastId);
  }

  /** Reads one connection to its end. @throws Error if it cannot be opened, breaks or falls silent */
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
        // back-pressure: unread data waits at the other node, within its limits
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
    // a client would parse a second line as a field of the stream
    if (!KIND.test(event) || data.includes('\n')) throw new Error('it sent a malformed entry');
    this.#lastId = id;
    this.#options.sink.addEntry(id, `event: ${event}\ndata: ${data}\n\n`);
  }

  #takeRoom(data: string): void {
    const signal = readJson(data);
    if (!isRoomSignal(signal)) throw new Error('it sent a malformed room signal');
    this.#options.sink.addRoom(signal);
  }
}

function epochOf(id = ''): string | undefined {
  return placesIn(id)[0]?.epoch;
}

function isRoomSignal(value: unknown): value is RoomSignal {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map<string, unknown>(Object.entries(value));
  return ['at', 'clientId', 'chatRoomId'].every((name) => typeof fields.get(name) === 'string');
}

/** Nodes remembered. */
const MAX_NODES = 1_000;

/** Logs once for each node that its events cannot be read, for all streams and attempts. */
export class PeerTroubles {
  readonly #log: Logger;
  readonly #said = new LRUCache<string, true>({ max: MAX_NODES });

  constructor(log: Logger) {
    this.#log = log;
  }

  failed({ nodeId, name }: PeerNode, error: unknown): void {
    if (this.#said.has(nodeId)) return;
    this.#said.set(nodeId, true);
    this.#log.warn({ node: name, reason: errorMessage(error) }, 'the events of another node cannot be read');
  }

  worked({ nodeId, name }: PeerNode): void {
    if (this.#said.delete(nodeId)) this.#log.info({ node: name }, 'the events of another node can be read');
  }
}
