import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { ConnectionLimit } from '../../../domain/connection-limit.js';
import type { Logger } from '../../log.js';

/** Where a worker listens; one object per process, so that a restart is recognised. */
export interface Address {
  host: string;
  port: number;
}

/** Milliseconds for the request of a client while no worker is up. */
const REQUEST_MS = 5_000;

const BODY = JSON.stringify({ error: 'no worker process is up yet: try again in a second' });
/** The only HTTP response of the router itself. */
const UNAVAILABLE = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: application/json; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(BODY)}`,
  'Retry-After: 1',
  'Connection: close',
  '',
  BODY,
].join('\r\n');

/** Listens on one port and pipes each connection to the worker with the fewest. */
export class Router {
  readonly #server: Server;
  readonly #living: () => readonly Address[];
  readonly #log: Logger;
  readonly #clients = new Set<Socket>();
  readonly #limit: ConnectionLimit;
  readonly #load = new WeakMap<Address, number>();
  #turn = 0;

  /**
   * @param living the workers that accept connections
   * @param connectionsPerAddress more are closed at once; 0 for no limit
   */
  constructor(living: () => readonly Address[], log: Logger, connectionsPerAddress = 0) {
    this.#living = living;
    this.#log = log;
    this.#limit = new ConnectionLimit(connectionsPerAddress);
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => void this.#take(client));
  }

  /**
   * Listens; resolves with the URL.
   * @throws a system error if the port is taken or the host is not of this machine
   */
  async listen(host: string, port: number): Promise<string> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    this.#server.on('error', (error) => this.#log.warn({ err: error }, 'a connection could not be accepted'));
    const address = this.#server.address();
    const listening = typeof address === 'object' && address ? address.port : port;
    return `http://${host.includes(':') ? `[${host}]` : host}:${listening}`;
  }

  /** Accepts no more connections; open ones continue. */
  refuse(): void {
    this.#server.close();
  }

  /** Closes open connections. */
  close(): void {
    this.refuse();
    for (const client of this.#clients) client.destroy();
  }

  async #take(client: Socket): Promise<void> {
    const leave = this.#limit.enter(client.remoteAddress ?? '');
    if (!leave) {
      client.destroy();
      return;
    }
    this.#clients.add(client);
    client.on('close', () => {
      this.#clients.delete(client);
      leave();
    });
    // an error ends this connection only
    client.on('error', () => client.destroy());
    for (const address of this.#byLoad()) {
      const worker = await connected(address);
      if (worker) return this.#join(client, worker, address);
    }
    refuseClient(client);
  }

  /** The worker with the fewest connections first; equal ones in rotation. */
  #byLoad(): Address[] {
    const living = this.#living();
    const first = this.#turn++ % Math.max(1, living.length);
    const turned = [...living.slice(first), ...living.slice(0, first)];
    return turned.sort((a, b) => this.#loadOf(a) - this.#loadOf(b));
  }

  /** Pipes both directions and passes a half-close on, because a client may still wait for its answer. */
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

/** Connects to a worker; undefined if that fails. */
function connected(address: Address): Promise<Socket | undefined> {
  const socket = connect({ ...address, allowHalfOpen: true, noDelay: true });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

/** Answers 503 after the client's first data: a response before the request would confuse it. */
function refuseClient(client: Socket): void {
  client.setTimeout(REQUEST_MS, () => client.destroy());
  client.once('data', () => client.end(UNAVAILABLE));
  client.once('end', () => client.end());
}
