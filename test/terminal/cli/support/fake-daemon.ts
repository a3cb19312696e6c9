import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { RoomSignal, TailEntry } from '../../../../src/contract/events/stream-entry.js';

/** A call as the daemon saw it. */
export interface DaemonCall {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Of a JSON body; empty for any other. */
  body: Record<string, unknown>;
  /** The body as it came. */
  text: string;
}

export interface DaemonReply {
  status?: number;
  headers?: Record<string, string>;
  body: unknown;
}

type Route = (call: DaemonCall) => DaemonReply | Promise<DaemonReply>;

/** A daemon's HTTP face with answers that a test chooses, and a real event stream. */
export class FakeDaemon {
  readonly calls: DaemonCall[] = [];
  /** When set, calls without it are refused with 401, health aside. */
  token = '';
  readonly #routes = new Map<string, Route>();
  readonly #streams = new Set<ServerResponse>();
  readonly #roomStreams = new Set<ServerResponse>();
  readonly #published: { id: string; entry: TailEntry }[] = [];
  readonly #waiters: { path: string; count: number; resolve: () => void }[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #port = 0;

  static async start(): Promise<FakeDaemon> {
    const daemon = new FakeDaemon();
    await daemon.listen();
    return daemon;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Answers a route from now on: `POST /start`. */
  on(route: string, answer: Route | object): this {
    this.#routes.set(route, typeof answer === 'function' ? isRoute(answer) : () => ({ body: answer }));
    return this;
  }

  /** The calls of a path, oldest first. */
  callsOf(path: string): DaemonCall[] {
    return this.calls.filter((call) => call.path === path);
  }

  /** Resolves when a path was called so often. */
  called(path: string, count = 1): Promise<void> {
    if (this.callsOf(path).length >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ path, count, resolve }));
  }

  /** Sends an entry to every open stream, and keeps it for those who come back. */
  publish(entry: TailEntry): void {
    const numbered = { id: `e-${this.#published.length + 1}`, entry };
    this.#published.push(numbered);
    for (const stream of this.#streams) stream.write(frame(numbered));
  }

  /** Signals a changed room to every open stream that requested signals. */
  signal(signal: Omit<RoomSignal, 'kind' | 'at'>): void {
    for (const stream of this.#roomStreams) stream.write(roomFrame(signal));
  }

  /** Cuts every open stream. */
  cutStreams(): void {
    for (const stream of this.#streams) stream.socket?.destroy();
    this.#streams.clear();
  }

  /** Ends every open stream after what was published. */
  endStreams(): void {
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  /** Cuts all connections, and continues to listen. */
  cutConnections(): void {
    this.#server.closeAllConnections();
  }

  /** Stops to listen and cuts everything; `listen` comes back on the same port. */
  async stop(): Promise<void> {
    this.cutStreams();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address && typeof address === 'object') this.#port = address.port;
  }

  async #serve(request: Parameters<typeof text>[0] & RequestLike, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    const body = await text(request);
    const { method = '', headers } = request;
    const call = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers,
      body: headers['content-type']?.startsWith('application/json') ? JSON.parse(body) : {},
      text: body,
    };
    this.calls.push(call);
    for (const { path, count, resolve } of this.#waiters) if (this.callsOf(path).length >= count) resolve();
    const needsToken = this.token !== '' && !url.pathname.startsWith('/health/');
    if (needsToken && headers.authorization !== `Bearer ${this.token}`) {
      reply(response, { status: 401, body: { error: 'no or wrong token' } });
    } else {
      const route = this.#routes.get(`${method} ${url.pathname}`);
      if (route) reply(response, await route(call));
      else if (url.pathname === '/events') this.#stream(call, response);
      else reply(response, { status: 404, body: { error: `no route ${method} ${url.pathname}` } });
    }
  }

  #stream({ headers, query }: DaemonCall, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const lastId = headers['last-event-id'];
    const newest = `e-${this.#published.length}`;
    response.write(lastId ? ': connected\n\n' : `: connected at ${newest}\nid: ${newest}\n\n`);
    const last = lastId ? this.#published.findIndex(({ id }) => id === lastId) : Infinity;
    for (const missed of this.#published.slice(last + 1)) response.write(frame(missed));
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
    if (query.get('rooms') !== 'true') return;
    response.write(roomFrame({ clientId: '', chatRoomId: '' }));
    this.#roomStreams.add(response);
    response.on('close', () => this.#roomStreams.delete(response));
  }
}

interface RequestLike {
  method?: string;
  url?: string;
  headers: IncomingHttpHeaders;
}

function isRoute(answer: object): Route {
  return (call) => (typeof answer === 'function' ? answer(call) : { body: answer });
}

function reply(response: ServerResponse, { status = 200, headers, body }: DaemonReply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function roomFrame(signal: Omit<RoomSignal, 'kind' | 'at'>): string {
  return `event: room\ndata: ${JSON.stringify({ kind: 'room', at: new Date().toISOString(), ...signal })}\n\n`;
}

function frame({ id, entry }: { id: string; entry: TailEntry }): string {
  return `id: ${id}\nevent: ${entry.kind}\ndata: ${JSON.stringify(entry)}\n\n`;
}
