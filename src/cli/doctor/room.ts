import { readSettings } from '../../config/load.js';
import type { Clock } from '../../domain/clock.js';
import type { DaemonClient } from '../client.js';
import { type FailedRow, listFailed, MOST } from '../failed.js';
import { readFleet } from '../fleet/fleet-api.js';
import type { FleetAnswer, NodeRow } from '../fleet/wire.js';
import { parseObject } from '../json-api.js';
import { readNodes } from '../nodes.js';
import { isThisMachine } from '../token.js';
import type { HttpAnswer } from '../transport.js';
import type { ConfigAnswer } from '../wire.js';
import type { SessionFacts } from './facts.js';

/** What is looked at, and by what measures. */
export interface DoctorOptions {
  /** The daemon in question. */
  client: DaemonClient;
  /** True when a token was given or found. */
  hasToken: boolean;
  dataDir: string;
  env: NodeJS.ProcessEnv;
  /** The network to reach; undefined: what the daemon says, else the settings. */
  network: string | undefined;
  /** Only this one. */
  session: string | undefined;
  /** Has the daemon send a test event to each webhook; otherwise nothing is sent to anybody. */
  sendsEvents: boolean;
  program: Program;
  /**
   * Opens the store of a data directory as a start would, and changes nothing in it.
   * @throws GatewayError that says why a start would fail
   */
  tryStore(place: { dataDir: string; encryptionKey: Uint8Array }): Promise<void>;
  clock: Clock;
  limits: DoctorLimits;
}

/** What runs this command. */
export interface Program {
  /** `<year>-<month>`, as the daemon tells its own. */
  release: string;
  /** Of Node, `20.19.0`. */
  nodeVersion: string;
  /** The oldest one that will do, as `>=20.19`. */
  nodeRange: string;
}

export interface DoctorLimits {
  /** Bytes that must be free where the data is: less than the first is a failure, than the second worth a warning. */
  fullBytes: number;
  nearlyFullBytes: number;
  /** Milliseconds for the store's answer. */
  slowStoreMs: number;
  /** Milliseconds for the daemon's answer. */
  probeMs: number;
  /** Milliseconds for one check that says nothing else. */
  checkMs: number;
  /** Milliseconds for everything. */
  totalMs: number;
}

const MEGABYTE = 1024 * 1024;

export const LIMITS: DoctorLimits = {
  fullBytes: 100 * MEGABYTE,
  nearlyFullBytes: 1024 * MEGABYTE,
  slowStoreMs: 250,
  probeMs: 5_000,
  checkMs: 15_000,
  totalMs: 150_000,
};

/** Settings, or why they cannot be read. */
export type Settings = Awaited<ReturnType<typeof readSettings>>;

export interface Live {
  answer: HttpAnswer;
  /** When it came: milliseconds since the epoch. */
  at: number;
  /** Milliseconds that it took. */
  ms: number;
}

/** What checks share: each thing is asked for once, by whoever needs it first. */
export class Room {
  readonly options: DoctorOptions;
  /** False when daemon and data are on another machine, of which nothing can be seen here. */
  readonly isLocal: boolean;
  readonly settings = once(() => this.#readSettings());
  /** @throws CliError when nothing answers */
  readonly live = once(() => this.probe('/health/live'));
  readonly config = once<ConfigAnswer>(() => this.options.client.config());
  readonly fleet = once(() => this.askFleet());
  /** With who holds what. @throws CliError `unauthorized` for a session's secret */
  readonly nodes = once(() => readNodes(this.options.client, { leases: true }));
  readonly #failed = new Map<string, Promise<FailedRow[]>>();
  readonly sessions = once(() => this.#readSessions());

  constructor(options: DoctorOptions) {
    this.options = options;
    this.isLocal = isThisMachine(options.client.url);
  }

  async probe(path: '/health/live' | '/health/ready'): Promise<Live> {
    const startedAt = performance.now();
    const answer = await this.options.client.probe(path, this.options.limits.probeMs);
    return { answer, at: this.options.clock.now(), ms: performance.now() - startedAt };
  }

  /** True when a daemon, and nothing else, answers. */
  async isDaemonUp(): Promise<boolean> {
    const live = await this.live().catch(() => undefined);
    return live !== undefined && isDaemon(live.answer);
  }

  #readSettings(): Promise<Settings> {
    const { dataDir, env } = this.options;
    return readSettings({ flags: { dataDir }, env, defaultDataDir: dataDir });
  }

  /** As `fleet`, anew. */
  askFleet(): Promise<FleetAnswer> {
    return readFleet(this.options.client);
  }

  /** A session's failed deliveries as they were when first asked for, newest first. */
  failedDeliveries(clientId: string): Promise<FailedRow[]> {
    const known = this.#failed.get(clientId) ?? this.#readFailed(clientId);
    this.#failed.set(clientId, known);
    return known;
  }

  async #readFailed(clientId: string): Promise<FailedRow[]> {
    const page = await listFailed(this.options.client, { session: clientId, limit: MOST });
    return page.failedDeliveries;
  }

  async #readSessions(): Promise<SessionFacts[]> {
    const { client, session } = this.options;
    const [rows, { sessions }] = await Promise.all([client.clients(), this.fleet()]);
    const health = new Map(sessions.map((row) => [row.clientId, row]));
    return rows
      .filter(({ clientId }) => session === undefined || clientId === session)
      .sort((a, b) => a.clientId.localeCompare(b.clientId))
      .map((row) => ({ ...row, health: health.get(row.clientId) }));
  }
}

/** The node that was asked. */
export function ownNode({ nodes }: FleetAnswer): NodeRow | undefined {
  return nodes.find(({ self }) => self) ?? nodes[0];
}

/** Whether an answer of `/health/live` is a daemon's. */
export function isDaemon({ status, text }: HttpAnswer): boolean {
  return status === 200 && parseObject<{ podName?: unknown }>(text)?.podName !== undefined;
}

function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let answer: Promise<Value> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}
