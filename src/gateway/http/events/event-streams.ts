import type { Readable } from 'node:stream';
import type { Request } from '@hapi/hapi';
import { Counter, Gauge, type Registry } from 'prom-client';
import { LONGEST_PAST_MS } from '../../../contract/event-stream.js';
import { type Clock, wait } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import type { PeerNode } from '../../cluster/owners.js';
import type { Tail } from '../../delivery/tail.js';
import type { Logger } from '../../log.js';
import { confinedTo } from '../caller.js';
import { cameFromNode, type Peers } from '../peers.js';
import { EventStream, type StreamFilter } from './event-stream.js';
import { PeerFeeds, PeerTroubles } from './peer-feed.js';
import { StreamCursor } from './stream-cursor.js';

/** Milliseconds that a stream waits for the other nodes before it begins; slower nodes join later. */
const OPENING_MS = 1_500;
/** A `Last-Event-ID` that names no entry, which means the whole buffer. */
const NO_ENTRY = '0';

interface EventStreamsOptions {
  tail: Tail;
  peers: Peers;
  clock: Clock;
  log: Logger;
  registry: Registry;
}

/** The request for a stream. */
type Caller = Pick<Request, 'plugins' | 'auth'>;

/** The open server-sent event streams of a server: of all nodes for a client, of this node for another node. */
export class EventStreams {
  /** Open streams, each with its owner. */
  readonly #open = new Map<EventStream, string>();
  readonly #options: EventStreamsOptions;
  readonly #nodes: NodeWatch;
  readonly #troubles: PeerTroubles;
  readonly #cut: Counter;
  /** Bytes that wait for the clients of all streams. */
  #waitingBytes = 0;
  #stopping = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#nodes = new NodeWatch(options.peers, options.clock);
    this.#troubles = new PeerTroubles(options.log);
    this.#cut = this.#addMetrics(options.registry);
  }

  /**
   * Resolves once the streams of the other nodes are open or have failed, or after `OPENING_MS`.
   * @throws GatewayError stopping, too_many_streams, streams_full
   */
  async open(filter: StreamFilter, caller: Caller): Promise<Readable> {
    if (this.#stopping) throw new GatewayError('stopping', 'this node is stopping; come back in a moment');
    const { tail, clock, peers } = this.#options;
    const isForNode = cameFromNode(caller);
    const owner = ownerOf(caller);
    this.#requireRoom(owner);
    // without an address, this is the only node
    const hasOthers = peers.self.url !== '' && !isForNode;
    const places = new StreamCursor(hasOthers ? filter.lastEventId : '');
    const stream = new EventStream({
      ...filter,
      tail,
      clock,
      places,
      isForNode,
      waits: (bytes) => this.#countWaiting(bytes),
      onCut: () => this.#cut.inc(),
    });
    this.#open.set(stream, owner);
    stream.once('close', () => this.#open.delete(stream));
    if (hasOthers) await this.#listenToOthers(stream, filter, caller);
    stream.begin();
    return stream;
  }

  /** Ends all streams: a server waits for open responses before it stops. */
  stop(): void {
    this.#stopping = true;
    for (const stream of this.#open.keys()) stream.finish();
  }

  /** @throws GatewayError too_many_streams, streams_full */
  #requireRoom(owner: string): void {
    if (owner === OF_NODE) return;
    const owners = [...this.#open.values()].filter((other) => other !== OF_NODE);
    const own = owners.filter((other) => other === owner).length;
    const limit = owner === OF_MASTER ? LIMITS.streamsOfMaster : LIMITS.streamsOfSecret;
    if (own >= limit) {
      const message = `this token has ${limit} live streams open; close one of them`;
      throw new GatewayError('too_many_streams', message);
    }
    // the operator can always open a stream
    if (owner !== OF_MASTER && owners.length >= LIMITS.streamsOfNode) {
      const message = `this node has ${LIMITS.streamsOfNode} live streams open; try again in a moment`;
      throw new GatewayError('streams_full', message);
    }
  }

  /** Cuts off the readers with the largest backlogs while too much waits. */
  #countWaiting(bytes: number): void {
    this.#waitingBytes += bytes;
    while (bytes > 0 && this.#waitingBytes > LIMITS.streamsWaitingBytes) {
      const [slowest] = [...this.#open.keys()].sort((one, other) => other.waitingBytes - one.waitingBytes);
      if (!slowest || slowest.waitingBytes === 0) return;
      slowest.cut();
    }
  }

  #addMetrics(registry: Registry): Counter {
    const registers = [registry];
    new Gauge({
      name: 'switchboard_event_streams',
      help: 'Open live streams',
      registers,
      collect: gaugeOf(() => this.#open.size),
    });
    new Gauge({
      name: 'switchboard_event_streams_waiting_bytes',
      help: 'Bytes that wait for the readers of live streams',
      registers,
      collect: gaugeOf(() => this.#waitingBytes),
    });
    return new Counter({
      name: 'switchboard_event_streams_cut_total',
      help: 'Live streams that were cut off because their readers were too slow',
      registers,
    });
  }

  async #listenToOthers(stream: EventStream, filter: StreamFilter, caller: Caller): Promise<void> {
    const { clock } = this.#options;
    const { ended } = stream;
    const ask = this.#question(filter, caller);
    const feeds = new PeerFeeds({ ask, sink: stream, clock, troubles: this.#troubles, ended });
    const unwatch = this.#nodes.watch((nodes) => void feeds.update(nodes));
    ended.addEventListener('abort', unwatch, { once: true });
    const opening = new AbortController();
    void this.#nodes
      .nodes()
      .then((nodes = []) => feeds.update(nodes))
      .then(() => opening.abort());
    await wait(clock, OPENING_MS, AbortSignal.any([ended, opening.signal]));
  }

  /** Makes the function that opens the stream of another node, including the entries that the client missed. */
  #question({ clientId, rooms, lastEventId, withinMs = 0 }: StreamFilter, caller: Caller) {
    const { peers, clock } = this.#options;
    const openedAt = clock.now();
    const first = lastEventId && (String(new StreamCursor(lastEventId)) || NO_ENTRY);
    return (node: PeerNode, read: string | undefined, signal: AbortSignal) => {
      const id = read ?? first;
      const missedMs = Math.min(clock.now() - openedAt + withinMs, LONGEST_PAST_MS);
      const query = new URLSearchParams({
        ...(clientId !== undefined && { clientId }),
        ...(rooms && { rooms: 'true' }),
        ...(!id && { withinMs: String(missedMs) }),
      });
      const path = query.size > 0 ? `/events?${query}` : '/events';
      return peers.get(node, path, caller, signal, { 'last-event-id': id ?? '' });
    };
  }
}

/** The owners of streams that other nodes read, and of those of the master token. */
const OF_NODE = 'node';
const OF_MASTER = 'master';

function ownerOf(caller: Caller): string {
  if (cameFromNode(caller)) return OF_NODE;
  const opened = confinedTo(caller);
  return opened ? `secret of ${opened.toSorted().join(' ')}` : OF_MASTER;
}

function gaugeOf(read: () => number) {
  return function collect(this: Gauge): void {
    this.set(read());
  };
}

/** Milliseconds between two reads of the node list. */
const LOOK_MS = 1_000;

type Listener = (nodes: readonly PeerNode[]) => void;

/** Reads the list of other nodes every second while it has listeners: one timer for all streams. */
class NodeWatch {
  readonly #peers: Pick<Peers, 'toAsk'>;
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  #cancel: () => void = () => undefined;

  constructor(peers: Pick<Peers, 'toAsk'>, clock: Clock) {
    this.#peers = peers;
    this.#clock = clock;
  }

  /** The other nodes; undefined if the store fails. */
  nodes(): Promise<PeerNode[] | undefined> {
    return this.#peers.toAsk({ plugins: {} }).catch(() => undefined);
  }

  /** Calls back every second; the returned function ends that. */
  watch(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#lookLater();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#cancel();
    };
  }

  #lookLater(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(LOOK_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const nodes = await this.nodes();
    for (const listener of nodes ? this.#listeners : []) listener(nodes ?? []);
    if (this.#listeners.size > 0) this.#lookLater();
  }
}
