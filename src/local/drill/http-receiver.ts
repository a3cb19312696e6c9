import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseObject } from '../../domain/json.js';
import type { Arrival } from './observations.js';

/** The ways in which a receiver answers. */
export type Manner =
  /** Answers 204. */
  | 'well'
  /** Answers 500, without processing the event. */
  | 'error'
  /** Answers 404, without processing the event. */
  | 'refuse'
  /** Answers every second call with 500. */
  | 'half'
  /** Processes no event and never answers. */
  | 'hang'
  /** Processes the event and answers after some seconds, sometimes after the gateway's timeout. */
  | 'slow'
  /** Processes the event and closes the connection before the answer. */
  | 'close'
  /** Processes the event and closes the connection in the middle of the answer. */
  | 'cut';

/** Milliseconds that a slow answer takes, in turn; the gateway waits 15 s. */
const SLOW_MS = [200, 3_000, 8_000, 17_000];

/** A receiver of webhooks for all sessions, on a port of its own. */
export class HttpReceiver {
  readonly arrivals: Arrival[] = [];
  readonly #token: string;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  #manner: Manner = 'well';
  #calls = 0;

  private constructor(token: string) {
    this.#token = token;
  }

  static async start(token: string): Promise<HttpReceiver> {
    const receiver = new HttpReceiver(token);
    await receiver.up();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/events`;
  }

  /** Changes the answers from now on. */
  answer(manner: Manner): void {
    this.#manner = manner;
  }

  /** Refuses connections. */
  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  /** Listens again on the same port. */
  async up(): Promise<void> {
    if (this.#server) return;
    const server = createServer((request, response) => {
      // ignore a caller that hangs up in the middle of its request
      this.#take(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.headers.authorization !== `Bearer ${this.#token}`) {
      response.writeHead(401).end();
      return;
    }
    this.#calls += 1;
    const manner = this.#manner;
    const isHeard =
      !['error', 'refuse', 'hang'].includes(manner) && (manner !== 'half' || this.#calls % 2 === 0);
    const deliveryId = String(request.headers['x-sn-delivery'] ?? '');
    const arrival = arrivalOf(body, { deliveryId, processed: isHeard, at: Date.now() });
    if (arrival) this.arrivals.push(arrival);
    this.#respond(response, manner, isHeard);
  }

  #respond(response: ServerResponse, manner: Manner, isHeard: boolean): void {
    const later = (ms: number) => setTimeout(() => response.writeHead(204).end(), ms);
    if (manner === 'hang') return;
    if (manner === 'refuse') response.writeHead(404).end();
    else if (manner === 'error' || !isHeard) response.writeHead(500).end();
    else if (manner === 'slow') later(SLOW_MS[this.#calls % SLOW_MS.length] ?? 0);
    else if (manner === 'close') response.destroy();
    else if (manner === 'cut') {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.destroy());
    } else response.writeHead(204).end();
  }
}

/** The arrival of a message's event; undefined for any other event. */
export function arrivalOf(
  body: string,
  about: Pick<Arrival, 'deliveryId' | 'processed' | 'at'>,
): Arrival | undefined {
  const { clientId, messageId, body: token } = parseObject(body) ?? {};
  if (typeof clientId !== 'string' || typeof messageId !== 'string' || typeof token !== 'string')
    return undefined;
  return { ...about, session: clientId, messageId, token };
}
