import { errorMessage } from '../../domain/errors.js';
import { parseJson } from '../../domain/json.js';
import { CliError } from '../errors.js';
import { keyNamed, type StoredKey } from './linked-number.js';

const SCANNED_AT_ONCE = 1_000;

/** The keys of one number, as a store has them. */
export interface StoredKeys {
  /** Number of keys by family. */
  counts: Record<string, number>;
  /** Its keys, one after another. */
  keys(): AsyncIterable<StoredKey>;
}

/** The Redis of another program. Nothing is written there. */
export class RedisStore {
  readonly #client: Awaited<ReturnType<typeof connect>>;
  readonly #encodings: number;

  private constructor(client: Awaited<ReturnType<typeof connect>>, encodings: number) {
    this.#client = client;
    this.#encodings = encodings;
  }

  /**
   * @param encodings how often the program encodes a value as JSON: twice makes the JSON of a text that is JSON
   * @throws CliError `unreachable`, or `failure` when the client of Redis is not installed
   */
  static async open(url: string, encodings: 1 | 2): Promise<RedisStore> {
    return new RedisStore(await connect(url), encodings);
  }

  close(): void {
    this.#client.destroy();
  }

  /** The names that fit a pattern, sorted. */
  async names(pattern: string): Promise<string[]> {
    // a name may come twice
    const names = new Set<string>();
    for await (const found of this.#client.scanIterator({ MATCH: pattern, COUNT: SCANNED_AT_ONCE })) {
      for (const name of found) names.add(name);
    }
    return [...names].sort();
  }

  async exists(name: string): Promise<boolean> {
    return (await this.#client.exists(name)) > 0;
  }

  /** A field of a hash; undefined if it is not there or no JSON. */
  async field(name: string, field: string): Promise<unknown> {
    let value: unknown = (await this.#client.hGet(name, field)) ?? '';
    for (let decoded = 0; decoded < this.#encodings; decoded++) {
      value = typeof value === 'string' ? parseJson(value) : undefined;
    }
    return value;
  }

  /** The keys in a hash, whose fields are `<family>-<id>`. */
  async keysIn(name: string): Promise<StoredKeys> {
    const fields = (await this.#client.hKeys(name)).flatMap((field) => {
      const key = keyNamed(field);
      return key ? [{ field, ...key }] : [];
    });
    const counts: Record<string, number> = {};
    for (const { type } of fields) counts[type] = (counts[type] ?? 0) + 1;
    const read = (field: string) => this.field(name, field);
    return {
      counts,
      async *keys() {
        for (const { field, type, id } of fields) {
          const value = await read(field);
          if (value !== undefined) yield { type, id, value };
        }
      },
    };
  }
}

async function connect(url: string) {
  const { createClient } = await import('@redis/client').catch((cause: unknown) => {
    throw new CliError('failure', 'the client of Redis is not installed', {
      suggestions: ['npm install -g @redis/client@5'],
      cause,
    });
  });
  try {
    const client = createClient({ url, socket: { reconnectStrategy: false } });
    // every call fails too
    client.on('error', () => undefined);
    await client.connect();
    return client;
  } catch (cause) {
    const message = `no Redis answers at this address: ${errorMessage(cause)}`;
    throw new CliError('unreachable', message, { cause });
  }
}
