import type { Readable } from 'node:stream';
import type { Request } from '@hapi/hapi';
import type { PeerNode } from '../cluster/owners.js';
import type { Tail } from '../delivery/tail.js';
import type { Clock } from '../domain/clock.js';
import { wait } from '../domain/clock.js';
import { GatewayError } from '../domain/errors.js';
import type { Logger } from '../log.js';
import { EventStream, LONGEST_PAST_MS, type StreamFilter } from './events/event-stream.js';
import { NodeWatch } from './events/node-watch.js';
import { PeerFeeds } from './events/peer-feeds.js';
import { Places } from './events/places.js';
import { PeerTroubles } from './events/troubles.js';
import { cameFromNode, type Peers } from './peers.js';

/** Milliseconds that a stream waits for the other nodes before it begins; those that are slower join it later. */
const OPENING_MS = 1_500;
/** An id of no entry: all that is kept. */
const NO_ENTRY = '0';

export interface EventStreamsOptions {
  tail: Tail;
  peers: Peers;
  clock: Clock;
  log: Logger;
}

/** Who asks for a stream. */
type Caller = Pick<Request, 'plugins'> & { headers: object };

/** The open server-sent event streams of a server. Each shows what happens on all nodes; one for a node what happens here. */
export class EventStreams {
  readonly #open = new Set<EventStream>();
  readonly #options: EventStreamsOptions;
  readonly #nodes: NodeWatch;
  readonly #troubles: PeerTroubles;
  #stopping = false;

  constructor(options: EventStreamsOptions) {
    this.#options = options;
    this.#nodes = new NodeWatch(options.peers, options.clock);
    this.#troubles = new PeerTroubles(options.log);
  }

  /**
   * Resolves when the other nodes are being listened to as well, as far as they answer.
   * @throws GatewayError stopping
   */
  async open(filter: StreamFilter, caller: Caller): Promise<Readable> {
    if (this.#stopping) throw new GatewayError('stopping', 'this node is stopping; come back in a moment');
    const { tail, clock, peers } = this.#options;
    const isForNode = cameFromNode(caller);
    // a node without an address is the only one
    const hasOthers = peers.self.url !== '' && !isForNode;
    const places = new Places(hasOthers ? filter.lastEventId : '');
    const stream = new EventStream({ ...filter, tail, clock, places, isForNode });
    this.#open.add(stream);
    stream.once('close', () => this.#open.delete(stream));
    if (hasOthers) await this.#listenToOthers(stream, filter, caller);
    stream.begin();
    return stream;
  }

  /** Ends all streams: a server waits for open answers before it stops. */
  stop(): void {
    this.#stopping = true;
    for (const stream of this.#open) stream.finish();
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

  /** How other nodes are asked for what they tell: for what the client has missed of them too. */
  #question({ clientId, rooms, lastEventId, withinMs = 0 }: StreamFilter, { headers }: Caller) {
    const { peers, clock } = this.#options;
    const openedAt = clock.now();
    const first = lastEventId && (String(new Places(lastEventId)) || NO_ENTRY);
    return (node: PeerNode, read: string | undefined, signal: AbortSignal) => {
      const id = read ?? first;
      const missedMs = Math.min(clock.now() - openedAt + withinMs, LONGEST_PAST_MS);
      const query = new URLSearchParams({
        ...(clientId !== undefined && { clientId }),
        ...(rooms && { rooms: 'true' }),
        ...(!id && { withinMs: String(missedMs) }),
      });
      const path = query.size > 0 ? `/events?${query}` : '/events';
      return peers.get(node, path, { headers: { ...headers, 'last-event-id': id ?? '' } }, signal);
    };
  }
}
