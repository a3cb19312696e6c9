import { systemClock } from '../../../../domain/clock.js';
import { PrivateAddressError } from '../../guard.js';
import { type Destination, readDestination } from '../destinations.js';
import { quoted } from '../error-text.js';
import type { SinkConnection } from '../sink.js';
import { openAmqp } from './amqp.js';
import { type OpenOptions, RefusedEventError, UnsupportedNodeError } from './client.js';
import { openKafka } from './kafka.js';
import type { Failure, Publication, Report } from './messages.js';
import { openNats } from './nats.js';
import { openRedis } from './redis.js';
import { FloodError, SocketScope } from './sockets.js';

interface OpenConnection {
  scope: SocketScope;
  end: AbortController;
  opening: Promise<SinkConnection>;
  /** Requests without an answer. */
  pending: Set<number>;
}

/** The connections of the broker process. The daemon decides when each ends. */
export class BrokerConnections {
  readonly #report: (report: Report) => void;
  readonly #open = new Map<number, OpenConnection>();

  constructor(report: (report: Report) => void) {
    this.#report = report;
  }

  open(request: number, connection: number, url: string): void {
    const scope = new SocketScope();
    const end = new AbortController();
    let isLost = false;
    const lost = () => {
      if (isLost || end.signal.aborted) return;
      isLost = true;
      this.#report({ report: 'lost', connection });
    };
    const opening = scope.run(async () =>
      openClient(readDestination(url), { clock: systemClock, signal: end.signal, lost }),
    );
    const open = { scope, end, opening, pending: new Set<number>() };
    this.#open.set(connection, open);
    this.#answer(request, open, opening);
    // a client may not report that its socket was ended, or why
    void scope.faulted.then((fault) => {
      for (const one of open.pending) this.#failed(one, open, fault);
    });
  }

  publish(request: number, connection: number, publication: Publication): void {
    const open = this.#open.get(connection);
    // an earlier `abort` has ended this connection: nobody waits for an answer
    if (!open) return;
    const { scope, opening } = open;
    scope.asks();
    this.#answer(
      request,
      open,
      opening.then((client) => scope.run(() => client.publish(publication))),
    );
  }

  /** Closes a connection, and answers once the client has closed it or failed to. */
  close(request: number, connection: number): void {
    const open = this.#open.get(connection);
    const closing = open?.opening.then((client) => open.scope.run(() => client.close())) ?? Promise.resolve();
    void closing
      .catch(() => undefined)
      .then(() => {
        this.abort(connection);
        this.#report({ report: 'done', request });
      });
  }

  abort(connection: number): void {
    const open = this.#open.get(connection);
    this.#open.delete(connection);
    open?.end.abort();
    open?.scope.end();
    // a client that is still opening is closed as soon as it is open
    open?.opening.then((client) => client.close()).catch(() => undefined);
  }

  stop(): void {
    for (const { scope } of this.#open.values()) scope.end();
  }

  #answer(request: number, open: OpenConnection, work: Promise<unknown>): void {
    open.pending.add(request);
    work.then(
      () => open.pending.delete(request) && this.#report({ report: 'done', request }),
      (error: unknown) => this.#failed(request, open, error),
    );
  }

  #failed(request: number, open: OpenConnection, error: unknown): void {
    if (!open.pending.delete(request)) return;
    this.#report({ report: 'failed', request, failure: failureOf(error), text: quoted(error) });
  }
}

function openClient(destination: Destination, options: OpenOptions): Promise<SinkConnection> {
  switch (destination.protocol) {
    case 'nats':
      return openNats(destination, options);
    case 'kafka':
      return openKafka(destination, options);
    case 'amqp':
      return openAmqp(destination, options);
    case 'redis':
      return openRedis(destination, options);
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof RefusedEventError) return 'refused';
  if (error instanceof PrivateAddressError) return 'private';
  if (error instanceof UnsupportedNodeError) return 'node';
  return error instanceof FloodError ? 'flood' : 'failed';
}
