import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '../../../domain/clock.js';
import { errorMessage } from '../../../domain/errors.js';
import { plainLine } from '../../../domain/text.js';
import { CliError } from '../errors.js';
import { NUMBER_BYTES } from './bounds.js';

const MIB = 1024 * 1024;
/** Time budget of a server in milliseconds. Each answer uses its duration, and adds half a second. */
const PATIENCE_MS = 10_000;
const GIVEN_BACK_MS = 500;
/** Characters of an error text, which may quote the server. */
const REASON_LENGTH = 500;
const TOO_MUCH = `it sent more than ${NUMBER_BYTES / MIB} MB, which no number has`;

/** Inspects bytes before a client reads them. Throws if the client must not read them. */
export type Inspect = (bytes: Buffer) => void;

/**
 * The untrusted server of another program. It must answer in time, and send no more data than a number can have. The
 * first breach ends its connections, and all waiting calls fail.
 */
export class ForeignServer {
  readonly #problem: string;
  readonly #connections = new Set<Duplex>();
  readonly #fault: Promise<never>;
  #tell: (reason: Error) => void = () => undefined;
  #close: () => void = () => undefined;
  #allowed = NUMBER_BYTES;
  #patienceMs = PATIENCE_MS;

  /** @param problem beginning of error messages: `the database of … cannot be read` */
  constructor(problem: string) {
    this.#problem = problem;
    this.#fault = new Promise((_, reject) => {
      this.#tell = reject;
    });
    // callers that wait at that moment get the reason
    this.#fault.catch(() => undefined);
  }

  /** Resets the count of bytes, because the next ones belong to another number. */
  allowMore(): void {
    this.#allowed = NUMBER_BYTES;
  }

  /**
   * @param problem beginning of the error message
   * @throws CliError `unreachable` if the work fails, or if the server is too slow or breaks a bound
   */
  async answer<T>(work: Promise<T>, problem = this.#problem): Promise<T> {
    const askedAt = systemClock.now();
    const timer = setTimeout(() => this.end(new Error('it is silent or too slow')), this.#patienceMs);
    try {
      const answer = await Promise.race([this.#fault, work]);
      const spareMs = this.#patienceMs - (systemClock.now() - askedAt) + GIVEN_BACK_MS;
      this.#patienceMs = Math.min(PATIENCE_MS, Math.max(GIVEN_BACK_MS, spareMs));
      return answer;
    } catch (cause) {
      this.end();
      const reason = plainLine(errorMessage(cause).slice(0, REASON_LENGTH));
      throw new CliError('unreachable', `${problem}: ${reason}`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Counts the bytes of a connection from now on. */
  watch<C extends Duplex>(connection: C): C {
    connection.on('data', (bytes: Buffer) => {
      if (!this.#allows(bytes)) this.end(new Error(TOO_MUCH));
    });
    return this.#own(connection);
  }

  /**
   * Opens a port on loopback for a client that makes its own connections, to count and inspect the server's bytes before
   * the client gets them. The port accepts one connection.
   * @param open connects to the server
   */
  async relay(open: () => Socket, inspect: Inspect): Promise<number> {
    const look = (bytes: Buffer) => this.#look(bytes, inspect);
    async function* bounded(source: AsyncIterable<Buffer>) {
      for await (const bytes of source) {
        look(bytes);
        yield bytes;
      }
    }
    const port = createServer((near) => {
      port.close();
      this.#own(near);
      pipeline(near, this.#own(open()), bounded, near).catch((cause: unknown) =>
        this.end(new Error(errorMessage(cause), { cause })),
      );
    });
    this.#close = () => port.close();
    port.listen(0, '127.0.0.1');
    await once(port, 'listening');
    const address: AddressInfo | string | null = port.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** Ends all connections. Waiting calls fail with the reason. */
  end(reason: Error = new Error('the connection is closed')): void {
    this.#tell(reason);
    this.#close();
    for (const connection of this.#connections) connection.destroy();
  }

  #own<C extends Duplex>(connection: C): C {
    this.#connections.add(connection);
    connection.on('error', (error) => this.end(error));
    connection.on('close', () => this.#connections.delete(connection));
    return connection;
  }

  /** Counts and inspects bytes. @throws Error for bytes that the client must not read, after all waiting calls have got the reason */
  #look(bytes: Buffer, inspect: Inspect): void {
    try {
      if (!this.#allows(bytes)) throw new Error(TOO_MUCH);
      inspect(bytes);
    } catch (cause) {
      const reason = new Error(errorMessage(cause), { cause });
      this.end(reason);
      throw reason;
    }
  }

  #allows({ length }: Buffer): boolean {
    this.#allowed -= length;
    return this.#allowed >= 0;
  }
}
