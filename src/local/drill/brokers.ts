import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { arrivalOf } from './http-receiver.js';
import type { Arrival } from './observations.js';
import { cleanEnvironment, isInstalled, Program } from './program.js';
import type { Reaper } from './reaper.js';
import { freePort } from './tcp-proxy.js';

/** A kind of broker that the drill can run, if its program is on this machine. */
export interface BrokerKind {
  name: string;
  program: string;
  ready: RegExp;
  /** Arguments of its program. */
  args(port: number, folder: string): Promise<string[]>;
  /** Creates the stream or topic of the events. */
  prepare(port: number): Promise<void>;
  /** The receiver's URL. */
  url(port: number): string;
  /** The stored events, oldest first. */
  read(port: number): Promise<{ deliveryId: string; body: string; at: number }[]>;
}

const STREAM = 'drill';
/** Messages that are read at once. */
const PAGE = 500;

const REDIS: BrokerKind = {
  name: 'redis',
  program: 'redis-server',
  ready: /Ready to accept connections/,
  args: async (port, folder) => [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
    // entries must be on the disk before their acknowledgement
    ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'],
  ],
  prepare: async () => undefined,
  url: (port) => `redis://127.0.0.1:${port}/0?stream=${STREAM}`,
  async read(port) {
    const { createClient } = await import('@redis/client');
    const client = await createClient({ url: `redis://127.0.0.1:${port}/0` }).connect();
    try {
      const entries = await client.xRange(STREAM, '-', '+');
      return entries.map(({ id, message }) => ({
        deliveryId: message['x-sn-delivery'] ?? '',
        body: message.body ?? '',
        at: Number(id.split('-')[0]),
      }));
    } finally {
      client.destroy();
    }
  },
};

const NATS: BrokerKind = {
  name: 'nats',
  program: 'nats-server',
  ready: /Server is ready/,
  async args(port, folder) {
    const file = join(folder, 'nats.conf');
    await writeFile(file, `jetstream { store_dir: "${folder}" }\n`);
    return ['-c', file, '-a', '127.0.0.1', '-p', String(port)];
  },
  prepare: (port) =>
    withJetStream(port, async ({ streams }) => {
      await streams.add({ name: STREAM, subjects: [`${STREAM}.>`] });
    }),
  url: (port) => `nats://127.0.0.1:${port}/${STREAM}.{clientId}.{type}?stream=${STREAM}`,
  read: (port) =>
    withJetStream(port, async ({ streams }) => {
      const { state } = await streams.info(STREAM);
      const events: { deliveryId: string; body: string; at: number }[] = [];
      // an empty stream has no first message
      for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += PAGE) {
        const last = Math.min(state.last_seq, seq + PAGE - 1);
        const wanted = Array.from({ length: last - seq + 1 }, (_, index) => seq + index);
        const page = await Promise.all(wanted.map((one) => streams.getMessage(STREAM, { seq: one })));
        for (const message of page) {
          if (!message) continue;
          const deliveryId = message.header.get('x-sn-delivery');
          events.push({ deliveryId, body: message.string(), at: message.time.getTime() });
        }
      }
      return events;
    }),
};

async function withJetStream<T>(
  port: number,
  work: (manager: Awaited<ReturnType<typeof import('@nats-io/jetstream').jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const { connect } = await import('@nats-io/transport-node');
  const { jetstreamManager } = await import('@nats-io/jetstream');
  const nats = await connect({ servers: `127.0.0.1:${port}` });
  try {
    return await work(await jetstreamManager(nats));
  } finally {
    await nats.close();
  }
}

const KINDS: readonly BrokerKind[] = [REDIS, NATS];

/** The brokers whose programs are on this machine. */
export async function installedBrokers(): Promise<BrokerKind[]> {
  const kinds: BrokerKind[] = [];
  for (const kind of KINDS) if (await isInstalled(kind.program)) kinds.push(kind);
  return kinds;
}

/** Where a broker runs. */
interface BrokerPlace {
  port: number;
  /** Folder for its data. */
  folder: string;
  logs: string;
  reaper: Reaper;
}

/** A broker of this drill. */
export class Broker {
  readonly name: string;
  readonly url: string;
  readonly #kind: BrokerKind;
  readonly #place: BrokerPlace;
  #program: Program;

  private constructor(kind: BrokerKind, place: BrokerPlace, program: Program) {
    this.name = kind.name;
    this.url = kind.url(place.port);
    this.#kind = kind;
    this.#place = place;
    this.#program = program;
  }

  /** Starts a broker in a folder of its own. */
  static async start(
    kind: BrokerKind,
    { folder, ...others }: Pick<BrokerPlace, 'folder' | 'logs' | 'reaper'>,
  ): Promise<Broker> {
    const place = { ...others, folder: join(folder, kind.name), port: await freePort() };
    await mkdir(place.folder);
    const broker = new Broker(kind, place, await launch(kind, place));
    try {
      await kind.prepare(place.port);
    } catch (error) {
      await broker.close();
      throw error;
    }
    return broker;
  }

  /** Kills the broker with SIGKILL. */
  kill(): Promise<void> {
    return this.#program.kill();
  }

  /** Restarts the broker with its data, if it does not run. */
  async up(): Promise<void> {
    if (!this.#program.runs) this.#program = await launch(this.#kind, this.#place);
  }

  freeze(): void {
    this.#program.signal('SIGSTOP');
  }

  wake(): void {
    this.#program.signal('SIGCONT');
  }

  /** Makes every write to a file fail, or succeed again; a broker may end because of that. */
  async refuseFiles(refused: boolean): Promise<void> {
    if (this.#program.runs) await this.#program.limitFiles(refused ? 0 : 'unlimited');
  }

  /** The events that the broker has stored, oldest first. */
  async arrivals(): Promise<Arrival[]> {
    const events = await this.#kind.read(this.#place.port);
    return events.flatMap(({ deliveryId, body, at }) => {
      const arrival = arrivalOf(body, { deliveryId, processed: true, at });
      return arrival ? [arrival] : [];
    });
  }

  async close(): Promise<void> {
    await this.#program.kill();
  }
}

async function launch(kind: BrokerKind, { port, folder, logs, reaper }: BrokerPlace): Promise<Program> {
  const { name, program, ready } = kind;
  const args = await kind.args(port, folder);
  return Program.start({ name, command: program, args, env: cleanEnvironment(), logs, reaper, ready });
}
