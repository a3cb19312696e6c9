import { AsyncLocalStorage } from 'node:async_hooks';
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { isObject } from '../../../../domain/json.js';
import { guardedLookup, PrivateAddressError, requireAllowedHost } from '../../guard.js';

/** Bytes that a broker may send unasked: greetings, lists of nodes and topics, heartbeats. */
export const UNASKED_BYTES = 1024 * 1024;
/** Additional bytes per second of a connection, and per published event. */
const BYTES_PER_SECOND = 32 * 1024;
const BYTES_PER_EVENT = 4 * 1024;

/** A broker sent more bytes than the requests justify. */
export class FloodError extends Error {
  constructor() {
    super(`the broker sent more than ${UNASKED_BYTES / 1024 / 1024} MB that nobody had asked for`);
  }
}

type Fault = PrivateAddressError | FloodError;

/** All sockets of one connection to a broker: a client may open several, also to addresses that the broker names. */
export class SocketScope {
  readonly #sockets = new Set<Socket>();
  #allowed = UNASKED_BYTES;
  #countedAt = performance.now();
  #ended = false;
  #fault: Fault | undefined;
  #tell: (fault: Fault) => void = () => undefined;
  /** Resolves when the guard ends a socket, because a client may not report that, or may retry for ever. */
  readonly faulted = new Promise<Fault>((resolve) => {
    this.#tell = resolve;
  });

  /** Runs the work of a client: the sockets that it opens then or later belong to this scope. */
  run<T>(work: () => T): T {
    return current.run(this, work);
  }

  /** Allows more bytes, because the broker answers a published event. */
  asks(): void {
    this.#allow(BYTES_PER_EVENT);
  }

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.#ended) socket.destroy(new Error('the connection is closed'));
  }

  /** Counts received bytes before the client sees them. Returns false above the limit. */
  counts(bytes: number): boolean {
    const now = performance.now();
    this.#allow(((now - this.#countedAt) / 1_000) * BYTES_PER_SECOND);
    this.#countedAt = now;
    this.#allowed -= bytes;
    if (this.#allowed >= 0) return true;
    this.fail(new FloodError());
    return false;
  }

  /** Ends all sockets because of a fault. */
  fail(fault: Fault): void {
    this.#fault ??= fault;
    this.#tell(this.#fault);
    this.end(this.#fault);
  }

  /** Ends all sockets at once, and those that are opened later. */
  end(error: Error = new Error('the connection is closed')): void {
    this.#ended = true;
    for (const socket of this.#sockets) socket.destroy(error);
  }

  #allow(bytes: number): void {
    this.#allowed = Math.min(UNASKED_BYTES, this.#allowed + bytes);
  }
}

const current = new AsyncLocalStorage<SocketScope>();
const scopes = new WeakMap<Socket, SocketScope>();

/**
 * Guards every socket that this process opens, independent of client and source of the address: only public addresses
 * (unless private ones are allowed), and a bounded number of bytes. Node.js has no hook for this, so this replaces the
 * two socket methods through which every connection and every received byte pass. Use it only in a separate process,
 * because it affects all sockets. Sockets outside a scope are refused.
 */
export function guardSockets({ allowPrivate }: { allowPrivate: boolean }): void {
  const { connect, push } = Socket.prototype;
  const lookup = guardedLookup({ allowPrivate });
  function guardedConnect(this: Socket, ...given: unknown[]): Socket {
    const scope = current.getStore();
    const options = optionsOf(given);
    if (!scope || !options)
      return this.destroy(new Error('the client opened a socket outside of its connection'));
    scopes.set(this, scope);
    scope.add(this);
    try {
      requireAllowedHost(String(options.host ?? ''), allowPrivate);
    } catch (error) {
      if (error instanceof PrivateAddressError) scope.fail(error);
      return this.destroy(error instanceof Error ? error : undefined);
    }
    this.on('error', (error) => {
      if (error instanceof PrivateAddressError) scope.fail(error);
    });
    options.lookup = lookup;
    return Reflect.apply(connect, this, given);
  }
  function countedPush(this: Socket, chunk: unknown, ...rest: unknown[]): boolean {
    const scope = scopes.get(this) ?? current.getStore();
    const bytes = chunk instanceof Uint8Array ? chunk.byteLength : 0;
    if (scope ? scope.counts(bytes) : !(this instanceof TLSSocket)) {
      return Reflect.apply(push, this, [chunk, ...rest]);
    }
    this.destroy();
    return false;
  }
  Object.defineProperty(Socket.prototype, 'connect', { value: guardedConnect });
  Object.defineProperty(Socket.prototype, 'push', { value: countedPush });
}

/**
 * The options of a call of `connect`, which Node.js reads; undefined for other forms, such as a path in the file system. `net.connect` hands
 * its arguments on as one array.
 */
function optionsOf([first]: readonly unknown[]): Record<string, unknown> | undefined {
  const options: unknown = Array.isArray(first) ? first[0] : first;
  return isObject(options) && options.port !== undefined && !options.path ? options : undefined;
}
