import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Logger } from '../log.js';

/** Where a worker listens: the same object as long as the same process does. */
export interface Address {
  host: string;
  port: number;
}

/** Milliseconds that a client without a worker has for its request. */
const PATIENCE_MS = 5_000;

const BODY = JSON.stringify({ error: 'no worker process is up yet: try again in a second' });
/** The only HTTP that the router speaks. */
const UNAVAILABLE = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(BODY)}`,
  'Retry-After: 1',
  'Connection: close',
  '',
  BODY,
].join('\r\n');

/** One port in front of several: every connection goes to the worker that has the fewest, byte by byte. */
export class Router {
  readonly #server: Server;
  readonly #living: () => readonly Address[];
  readonly #log: Logger;
  readonly #clients = new Set<Socket>();
  readonly #load = new WeakMap<Address, number>();
  #turn = 0;

  /** @param living the workers that take connections now */
  constructor(living: () => readonly Address[], log: Logger) {
    this.#living = living;
    this.#log = log;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => void this.#take(client));
  }

  /**
   * Listens; resolves with the URL.
   * @throws a system error when the port is taken or the host is none of this machine's
   */
  async listen(host: string, port: number): Promise<string> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    this.#server.on('error', (error) => this.#log.warn({ err: error }, 'a connection could not be accepted'));
    const address = this.#server.address();
    const listening = typeof address === 'object' && address ? address.port : port;
    return `http://${host.includes(':') ? `[${host}]` : host}:${listening}`;
  }

  /** Takes no more connections; those that are open go on. */
  refuse(): void {
    this.#server.close();
  }

  /** Cuts what is still open. */
  close(): void {
    this.refuse();
    for (const client of this.#clients) client.destroy();
  }

  async #take(client: Socket): Promise<void> {
    this.#clients.add(client);
    client.on('close', () => this.#clients.delete(client));
    // what goes wrong with a connection ends it, and nothing else
    client.on('error', () => client.destroy());
    for (const address of this.#byLoad()) {
      const worker = await connected(address);
      if (worker) return this.#join(client, worker, address);
    }
    turnAway(client);
  }

  /** The worker with the fewest connections first; among equals each in its turn. */
  #byLoad(): Address[] {
    const living = this.#living();
    const first = this.#turn++ % Math.max(1, living.length);
    const turned = [...living.slice(first), ...living.slice(0, first)];
    return turned.sort((a, b) => this.#loadOf(a) - this.#loadOf(b));
  }

  /** Pipes both ways; an end is passed on as such, because a client may still wait for its answer. */
  #join(client: Socket, worker: Socket, address: Address): void {
    this.#load.set(address, this.#loadOf(address) + 1);
    let ways = 2;
    const done = () => {
      if (--ways === 0) this.#load.set(address, this.#loadOf(address) - 1);
    };
    pipeline(client, worker, done);
    pipeline(worker, client, done);
  }

  #loadOf(address: Address): number {
    return this.#load.get(address) ?? 0;
  }
}

/** Undefined when nobody answers there. */
function connected(address: Address): Promise<Socket | undefined> {
  const socket = connect({ ...address, allowHalfOpen: true, noDelay: true });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

/** Says so once something was asked: an answer before the question would confuse the client. */
function turnAway(client: Socket): void {
  client.setTimeout(PATIENCE_MS, () => client.destroy());
  client.once('data', () => client.end(UNAVAILABLE));
  client.once('end', () => client.end());
}
