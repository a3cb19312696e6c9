import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import type { Request } from '@hapi/hapi';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { RoomSignal, TailEntry } from '../../../../src/contract/events/stream-entry.js';
import { type Owners, type PeerNode, soleOwner } from '../../../../src/gateway/cluster/owners.js';
import { createTestServer, type TestServer, TOKEN } from './test-server.js';

export const SECRET = 'secret-of-acme-0123456789';

/** One node of a cluster, with a real server. */
export interface EventNode
  extends PeerNode,
    Pick<TestServer, 'server' | 'services' | 'tail' | 'clock' | 'lines' | 'close'> {
  /** Publishes an event of a session. */
  tell(id: string, more?: { clientId?: string; reason?: string }): void;
  changeRoom(room: string, clientId?: string): RoomSignal;
  /** A live stream of a client at this node. */
  open(query?: string, headers?: Record<string, string>): Promise<EventListener>;
  /** Streams that are open here. */
  openStreams(): number;
  /** Resolves when so many are. */
  hasStreams(count: number): Promise<void>;
}

/** Nodes that know of each other, on one machine. */
export class EventNodes {
  /** The other nodes from the point of view of a node. */
  readonly listed: PeerNode[] = [];
  readonly #nodes: EventNode[] = [];
  readonly #streams: EventListener[] = [];

  /** Starts a node and lists it. */
  async start(nodeId: string): Promise<EventNode> {
    const self = { nodeId, name: nodeId, url: 'http://127.0.0.1' };
    const owners: Owners = {
      ...soleOwner(nodeId, () => true),
      self,
      others: async () => this.listed.filter((node) => node.nodeId !== nodeId),
    };
    const api = await createTestServer({ owners });
    await api.services.sessions.start('acme', {});
    await api.services.sessions.setApiSecret('acme', SECRET);
    const count = countStreams(api);
    await api.server.start();
    self.url = api.server.info.uri;
    this.listed.push(self);
    const node = { ...api, ...self, ...count, ...this.#voice(api) };
    this.#nodes.push(node);
    return node;
  }

  /** Stops a node, which is listed no longer. */
  async stop(node: EventNode): Promise<void> {
    this.unlist(node);
    await node.server.stop();
  }

  unlist({ nodeId }: Pick<PeerNode, 'nodeId'>): void {
    const index = this.listed.findIndex((node) => node.nodeId === nodeId);
    if (index >= 0) this.listed.splice(index, 1);
  }

  /** Resolves when all client streams and their upstream requests have closed. */
  async closeStreams(): Promise<void> {
    for (const { response } of this.#streams.splice(0)) response.destroy();
    await Promise.all(this.#nodes.map((node) => node.hasStreams(0)));
  }

  async stopAll(): Promise<void> {
    await this.closeStreams();
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  #voice({ server, tail, clock }: TestServer): Pick<EventNode, 'tell' | 'changeRoom' | 'open'> {
    const at = () => new Date(clock.now()).toISOString();
    return {
      tell(id, { clientId = 'acme', reason = '' } = {}) {
        tail.publish({ kind: 'dropped', at: at(), clientId, deliveryId: id, type: 'text', reason });
      },
      changeRoom(room, clientId = 'acme') {
        const signal = { kind: 'room', at: at(), clientId, chatRoomId: `${clientId}-1-${room}` } as const;
        tail.signal(signal);
        return signal;
      },
      open: async (query = '', headers = {}) => {
        const authorization = `Bearer ${TOKEN}`;
        const stream = await openEvents(`${server.info.uri}/events${query}`, { authorization, ...headers });
        this.#streams.push(stream);
        return stream;
      },
    };
  }
}

/** The subjects of the next entries, in order. */
export async function idsOf(stream: EventListener, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await entryOf(stream)).deliveryId);
  return ids;
}

/** The next entry, and the id of the client's place after it. */
export async function entryOf(stream: EventListener): Promise<{ place: string; deliveryId: string }> {
  const { id = '', data } = await stream.next();
  const entry: TailEntry = JSON.parse(data);
  if (entry.kind !== 'dropped') throw new Error(`an entry of the kind ${entry.kind}`);
  return { place: id, deliveryId: entry.deliveryId };
}

function countStreams({ server }: TestServer): Pick<EventNode, 'openStreams' | 'hasStreams'> {
  const counted = new Set<Request>();
  let waiting: (() => void)[] = [];
  const look = () => {
    for (const lookAgain of waiting) lookAgain();
  };
  server.ext('onPreHandler', (request, h) => {
    if (request.path === '/events') counted.add(request);
    look();
    return h.continue;
  });
  server.events.on('response', (request) => {
    counted.delete(request);
    look();
  });
  return {
    openStreams: () => counted.size,
    hasStreams: (count) =>
      new Promise((resolve) => {
        const lookAgain = () => {
          if (counted.size !== count) return;
          waiting = waiting.filter((other) => other !== lookAgain);
          resolve();
        };
        waiting.push(lookAgain);
        lookAgain();
      }),
  };
}

/** A live stream as a client sees it. */
export interface EventListener {
  response: IncomingMessage;
  /** The next event, waiting for it. */
  next(): Promise<EventSourceMessage>;
  /** The next comment that begins so, waiting for it. */
  comment(beginning: string): Promise<string>;
  ended: Promise<unknown>;
}

/** Opens a live stream, on a connection of its own; resolves with its headers. */
export async function openEvents(url: string, headers: Record<string, string>): Promise<EventListener> {
  const request = httpGet(url, { agent: false, headers });
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (!response) throw new Error('no response');
  return listenTo(response);
}

function listenTo(response: IncomingMessage): EventListener {
  const messages = createInlet<EventSourceMessage>();
  const comments = createInlet<string>();
  const parser = createParser({ onEvent: messages.put, onComment: comments.put });
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => parser.feed(chunk));
  response.on('error', () => {});
  const ended = once(response, 'end').catch(() => undefined);
  return {
    response,
    next: messages.take,
    ended,
    async comment(beginning) {
      for (;;) {
        const comment = (await comments.take()).trim();
        if (comment.startsWith(beginning)) return comment;
      }
    },
  };
}

/** Values in the order in which they come, each taken once. */
function createInlet<Value>() {
  const values: Value[] = [];
  const takers: ((value: Value) => void)[] = [];
  return {
    put(value: Value): void {
      const taker = takers.shift();
      if (taker) taker(value);
      else values.push(value);
    },
    take(): Promise<Value> {
      const value = values.shift();
      if (value !== undefined) return Promise.resolve(value);
      return new Promise((resolve) => takers.push(resolve));
    },
  };
}
