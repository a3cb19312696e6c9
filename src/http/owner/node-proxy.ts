import { AsyncLocalStorage } from 'node:async_hooks';
import { ClientRequest, Agent as HttpAgent, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import h2o2 from '@hapi/h2o2';
import Hapi, { type Lifecycle, type Request, type ResponseToolkit } from '@hapi/hapi';
import type { Clock } from '../../domain/clock.js';

/** Milliseconds within which a node must take a connection. */
const CONNECT_MS = 3_000;
/** Milliseconds; a node that says that it closes idle connections earlier is believed. */
const IDLE_MS = 60_000;
const AGENT = { keepAlive: true, maxSockets: 512, maxFreeSockets: 64, timeout: IDLE_MS };

/** A request on its way to another node. */
export interface Passage {
  url: URL;
  /** All that it carries, beside what its body says by itself. */
  headers: Record<string, string>;
  /** Ends it, also while the answer flows. */
  signal: AbortSignal;
}

/** There is no answer. */
export class PassageFailure extends Error {
  /** Something of the request may have reached the node. */
  readonly isSent: boolean;

  constructor(isSent: boolean, cause: unknown) {
    super('a node did not answer', { cause });
    this.isSent = isSent;
  }
}

/** Passes requests on to other nodes, over connections that are kept. */
export class NodeProxy {
  readonly #attempts = new AsyncLocalStorage<Attempt>();
  /** By protocol; made when they are needed, which one node alone does not. */
  readonly #lines = new Map<string, { agent: HttpAgent; handler: Promise<Lifecycle.Method> }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Closes the connections. */
  close(): void {
    for (const { agent } of this.#lines.values()) agent.destroy();
  }

  /**
   * Sends a request with its payload: what was parsed as JSON, a stream as it comes.
   * @returns the answer as soon as its headers are here, whatever its status
   * @throws PassageFailure
   */
  async send(request: Request, h: ResponseToolkit, passage: Passage): Promise<IncomingMessage> {
    const attempt = new Attempt(passage, this.#clock);
    try {
      const handler = await this.#handler(passage.url);
      const answer = await this.#attempts.run(attempt, () => handler.call(null, request, h));
      if (answer instanceof IncomingMessage) return answer;
      throw new Error('the proxy gave no answer');
    } catch (cause) {
      throw new PassageFailure(attempt.isSent, cause);
    }
  }

  #handler({ protocol }: URL): Promise<Lifecycle.Method> {
    const line = this.#lines.get(protocol);
    if (line) return line.handler;
    const agent = protocol === 'https:' ? new HttpsAgent(AGENT) : new HttpAgent(AGENT);
    const handler = handlerOf(this.#settings(agent));
    this.#lines.set(protocol, { agent, handler });
    return handler;
  }

  #settings(agent: HttpAgent): ProxySettings {
    return {
      agent,
      xforward: true,
      // an answer takes as long as the work behind it
      timeout: 0,
      mapUri: () => {
        const { url, headers } = this.#current().passage;
        return { uri: url.href, headers };
      },
      onRequest: (upstream: unknown) => {
        if (upstream instanceof ClientRequest) this.#current().follow(upstream);
        // wanted by its type only: nobody waits for it
        return new Promise(() => undefined);
      },
      onResponse: (error, answer) => {
        if (error) throw error;
        return answer;
      },
    };
  }

  #current(): Attempt {
    const attempt = this.#attempts.getStore();
    if (attempt) return attempt;
    throw new Error('no request is on its way');
  }
}

type ProxySettings = NonNullable<Hapi.HandlerDecorations['proxy']>;

/**
 * The proxy as a function. It only stands in routes that leave their bodies unread, and ours look into them first to learn
 * where they go: so its route is one of a server that never listens.
 */
async function handlerOf(proxy: ProxySettings): Promise<Lifecycle.Method> {
  const workbench = Hapi.server();
  await workbench.register(h2o2);
  workbench.route({
    method: 'POST',
    path: '/',
    options: { id: 'proxy', payload: { output: 'stream', parse: false } },
    handler: { proxy },
  });
  const handler = workbench.lookup('proxy')?.settings.handler;
  if (typeof handler !== 'function') throw new Error('the proxy has no handler');
  return (request, h) => Reflect.apply(handler, null, [request, h]);
}

/** One request to one node. */
class Attempt {
  readonly passage: Passage;
  isSent = false;
  readonly #clock: Clock;

  constructor(passage: Passage, clock: Clock) {
    this.passage = passage;
    this.#clock = clock;
  }

  follow(upstream: ClientRequest): void {
    const { signal } = this.passage;
    if (signal.aborted) upstream.destroy();
    signal.addEventListener('abort', () => upstream.destroy(), { once: true });
    // not before: a request may wait for a connection that becomes free
    upstream.once('socket', (socket) => this.#await(socket, upstream));
  }

  /** Nothing is written before a connection stands. */
  #await(socket: Socket, upstream: ClientRequest): void {
    if (!socket.connecting) {
      this.isSent = true;
      return;
    }
    const cancel = this.#clock.after(CONNECT_MS, () => {
      upstream.destroy(new Error(`no connection within ${CONNECT_MS} ms`));
    });
    upstream.once('close', cancel);
    socket.once(this.passage.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      this.isSent = true;
      cancel();
    });
  }
}
