import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { systemClock } from '../../../domain/clock.js';
import { bareHost } from '../../../domain/host.js';
import { parseJson } from '../../../domain/json.js';
import { CliError } from '../errors.js';
import { KEY_BYTES, MOST_NUMBERS, NUMBER_BYTES } from './bounds.js';
import { ForeignServer, type Inspect } from './foreign-server.js';
import { keyNamed, type StoredKey } from './linked-number.js';

const SCANNED_AT_ONCE = 1_000;
/** Milliseconds until all names are listed. */
const SCAN_MS = 20_000;
const PORT = 6379;
/** Members of the lists of one number, about ten times what a number with 10,000 contacts has. */
const MOST_MEMBERS = 1_000_000;
/** The head of a list, a set, a map or a push, with its length, or with more characters than any length has. */
const LIST_HEAD = /\r\n[*~%>]([^\r]{20}|[^\r]*(?=\r))/g;
/** Bytes of a head. */
const HEAD_BYTES = 32;
const LENGTH = /^\d{1,9}$/;
const NO_LIST = '-1';
const UNREADABLE = 'this Redis cannot be read';

/** The keys of one number in a store. */
export interface StoredKeys {
  /** Number of keys by family. */
  counts: Record<string, number>;
  /** Its keys, one after another. */
  keys(): AsyncIterable<StoredKey>;
}

/** The Redis of another program, which is only read. Reading fails if the server is silent, or sends more data than numbers can have. */
export class RedisStore {
  readonly #client: Awaited<ReturnType<typeof connect>>;
  readonly #server: ForeignServer;
  readonly #claims: Claims;
  readonly #encodings: number;
  /** Bytes of all data that is kept in memory. */
  #kept = 0;

  private constructor(
    client: Awaited<ReturnType<typeof connect>>,
    { server, claims, encodings }: { server: ForeignServer; claims: Claims; encodings: number },
  ) {
    this.#client = client;
    this.#server = server;
    this.#claims = claims;
    this.#encodings = encodings;
  }

  /**
   * @param encodings how many times the program encodes a value as JSON
   * @throws CliError `unreachable`, or `failure` when the client of Redis is not installed
   */
  static async open(url: string, encodings: 1 | 2): Promise<RedisStore> {
    const claims = new Claims();
    const reached = new ForeignServer('no Redis answers at this address');
    const client = await connect(url, reached, claims);
    return new RedisStore(client, { server: reached, claims, encodings });
  }

  close(): void {
    this.#server.end();
    if (this.#client.isOpen) this.#client.destroy();
  }

  /**
   * The names that fit a pattern, sorted.
   * @throws CliError `unreachable`, also for an endless list
   */
  async names(pattern: string): Promise<string[]> {
    const end = systemClock.now() + SCAN_MS;
    // Redis may return a name twice
    const names = new Set<string>();
    let cursor = '0';
    do {
      const page = await this.#answer(this.#client.scan(cursor, { MATCH: pattern, COUNT: SCANNED_AT_ONCE }));
      for (const name of page.keys) names.add(name);
      cursor = page.cursor;
      if (names.size > MOST_NUMBERS) throw endless(`it lists more than ${MOST_NUMBERS} numbers`);
      if (systemClock.now() > end)
        throw endless(`its list of names had no end after ${SCAN_MS / 1_000} seconds`);
    } while (cursor !== '0');
    return [...names].sort();
  }

  async exists(name: string): Promise<boolean> {
    return (await this.#answer(this.#client.exists(name))) > 0;
  }

  /** A field of a hash, which is kept until the numbers are taken over; undefined if it is missing or no JSON. */
  async field(name: string, field: string): Promise<unknown> {
    const text = await this.#text(name, field);
    this.#kept += text.length;
    if (this.#kept > NUMBER_BYTES) throw endless('the credentials of its numbers are too long');
    return this.#decoded(text);
  }

  /** The keys in a hash, whose fields are `<family>-<id>`. */
  async keysIn(name: string): Promise<StoredKeys> {
    const counts: Record<string, number> = {};
    for (const { type } of await this.#keyFields(name)) counts[type] = (counts[type] ?? 0) + 1;
    const fields = () => this.#keyFields(name);
    const read = async (field: string) => this.#decoded(await this.#text(name, field));
    return {
      counts,
      async *keys() {
        for (const { field, type, id } of await fields()) {
          const value = await read(field);
          if (value !== undefined) yield { type, id, value };
        }
      },
    };
  }

  async #keyFields(name: string): Promise<{ field: string; type: string; id: string }[]> {
    this.#server.allowMore();
    this.#claims.allowMore();
    return (await this.#answer(this.#client.hKeys(name))).flatMap((field) => {
      const key = keyNamed(field);
      return key ? [{ field, ...key }] : [];
    });
  }

  /** The text of a field; empty if it is missing, or too long for a key. */
  async #text(name: string, field: string): Promise<string> {
    const text = (await this.#answer(this.#client.hGet(name, field))) ?? '';
    return text.length > KEY_BYTES ? '' : text;
  }

  #decoded(text: string): unknown {
    let value: unknown = text;
    for (let decoded = 0; decoded < this.#encodings; decoded++) {
      value = typeof value === 'string' ? parseJson(value) : undefined;
    }
    return value;
  }

  #answer<T>(work: Promise<T>): Promise<T> {
    return this.#server.answer(work, UNREADABLE);
  }
}

/**
 * Counts the members that the lists of a server claim to have. The client allocates memory for all of them before they
 * arrive, also for nested lists, so a few bytes could use up all memory. Texts between the lists are JSON, which has no
 * line breaks.
 */
class Claims {
  #members = 0;
  #before = '\r\n';

  allowMore(): void {
    this.#members = 0;
  }

  readonly inspect: Inspect = (bytes) => {
    const text = this.#before + bytes.toString('latin1');
    let counted = 0;
    for (const { 0: head, 1: length = '', index } of text.matchAll(LIST_HEAD)) {
      counted = index + head.length;
      if (length !== NO_LIST)
        this.#members += LENGTH.test(length) ? Number(length) : Number.POSITIVE_INFINITY;
    }
    // a head may be split between two chunks
    this.#before = text.slice(Math.max(counted, text.length - HEAD_BYTES));
    if (this.#members > MOST_MEMBERS)
      throw new Error(`it lists more than ${MOST_MEMBERS} keys of one number`);
  };
}

function endless(reason: string): CliError {
  return new CliError('unreachable', `${UNREADABLE}: ${reason}`);
}

async function connect(url: string, server: ForeignServer, claims: Claims) {
  const { createClient } = await import('@redis/client').catch((cause: unknown) => {
    throw new CliError('failure', 'the client of Redis is not installed', {
      suggestions: ['npm install -g @redis/client@5'],
      cause,
    });
  });
  const connected = async () => {
    const port = await server.relay(() => connectTo(new URL(url)), claims.inspect);
    const client = createClient({ url: throughPort(url, port), socket: { reconnectStrategy: false } });
    client.on('error', (error: Error) => server.end(error));
    await client.connect();
    return client;
  };
  return server.answer(connected());
}

function connectTo({ protocol, hostname, port }: URL): Socket {
  const address = { host: bareHost(hostname), port: Number(port) || PORT };
  return protocol === 'rediss:' ? connectTls(address) : connectTcp(address);
}

/** The URL with which the client reaches the relay; user, password and database stay. */
function throughPort(url: string, port: number): string {
  const address = new URL(url);
  if (address.protocol === 'rediss:') address.protocol = 'redis:';
  address.hostname = '127.0.0.1';
  address.port = String(port);
  return address.href;
}
