import type {
  Client,
  ConfigAnswer,
  FailedDelivery,
  FleetAnswer,
  FleetNode,
  FleetSession,
} from '../../../contract/index.js';
import type { Clock, EpochMs } from '../../../domain/clock.js';
import { parseObject } from '../../../domain/json.js';
import { type DaemonClient, isThisMachine } from '../client.js';
import { MAX_FAILED_DELIVERIES } from '../failed.js';
import type { HttpAnswer } from '../http.js';

export interface DoctorOptions {
  client: DaemonClient;
  /** A token was given or found. */
  hasToken: boolean;
  dataDir: string;
  env: NodeJS.ProcessEnv;
  /** Network to connect to; default: the daemon's, else the one of the settings. */
  network: string | undefined;
  /** Check only this session. */
  session: string | undefined;
  /** Send a sample event to each webhook. */
  sendsEvents: boolean;
  program: {
    /** `<year>-<month>`, as in the daemon's `/config`. */
    release: string;
    /** Such as `20.19.0`. */
    nodeVersion: string;
    /** Supported versions, such as `>=20.19`. */
    nodeRange: string;
  };
  /** The settings that `start` would have; creates no secrets. @throws with the first wrong setting */
  readSettings(sources: { dataDir: string; env: NodeJS.ProcessEnv }): Promise<Settings>;
  /** The encryption key in a data directory; undefined if there is none. */
  readEncryptionKey(dataDir: string): Promise<string | undefined>;
  /**
   * Opens the store of a data directory as `start` would, without changing it.
   * @throws GatewayError with the reason why `start` would fail
   */
  tryStore(place: { dataDir: string; encryptionKey: string }): Promise<void>;
  /** Looks for damage in the file of the store, for so many milliseconds at most; undefined for a server. */
  findDamage(
    place: { url: string; dataDir: string },
    limitMs: number,
  ): Promise<{ lines: readonly string[]; checked: number; tables: number } | undefined>;
  clock: Clock;
  limits: typeof LIMITS;
}

const MEGABYTE = 1024 * 1024;

export const LIMITS = {
  /** Free bytes on the disk of the data directory: below the first a failure, below the second a warning. */
  fullBytes: 100 * MEGABYTE,
  nearlyFullBytes: 1024 * MEGABYTE,
  /** Milliseconds of store latency that are worth a warning. */
  slowStoreMs: 250,
  /** Timeout of a health probe in milliseconds. */
  probeMs: 5_000,
  /** Milliseconds for which the store is checked for damage. */
  damageMs: 10_000,
  /** Timeout of one check in milliseconds. */
  checkMs: 15_000,
  /** Timeout of the whole run in milliseconds. */
  totalMs: 150_000,
};

/** The settings that checks look at. */
export interface Settings {
  host: string;
  port: number;
  publicUrl: string;
  network: string;
  store: string;
  /** Undefined if the key is in the data directory. */
  encryptionKey: string | undefined;
}

/** Data that checks share. Each source is read once, by the first check that needs it. */
export class DoctorContext {
  readonly options: DoctorOptions;
  /** Daemon and data directory are on this machine. */
  readonly isLocal: boolean;
  readonly settings = once(() => this.options.readSettings(this.options));
  /** @throws CliError if nothing answers */
  readonly live = once(() => this.probe('/health/live'));
  readonly config = once<ConfigAnswer>(() => this.options.client.getConfig());
  readonly fleet = once(() => this.askFleet());
  /** With leases. @throws CliError `unauthorized` for an API secret of a session */
  readonly nodes = once(() => this.options.client.listNodes({ leases: true }));
  readonly #failed = new Map<string, Promise<FailedDelivery[]>>();
  readonly sessions = once(() => this.#readSessions());

  constructor(options: DoctorOptions) {
    this.options = options;
    this.isLocal = isThisMachine(options.client.url);
  }

  async probe(path: '/health/live' | '/health/ready'): Promise<{
    answer: HttpAnswer;
    at: EpochMs;
    /** Latency in milliseconds. */
    ms: number;
  }> {
    const startedAt = performance.now();
    const answer = await this.options.client.probe(path, this.options.limits.probeMs);
    return { answer, at: this.options.clock.now(), ms: performance.now() - startedAt };
  }

  /** A Switchboard daemon answers. */
  async isDaemonUp(): Promise<boolean> {
    const live = await this.live().catch(() => undefined);
    return live !== undefined && isDaemon(live.answer);
  }

  /** Like `fleet`, but never cached. */
  askFleet(): Promise<FleetAnswer> {
    return this.options.client.getFleet();
  }

  /** Failed deliveries of a session when first read, newest first, without samples. */
  failedDeliveries(clientId: string): Promise<FailedDelivery[]> {
    const known = this.#failed.get(clientId) ?? this.#readFailed(clientId);
    this.#failed.set(clientId, known);
    return known;
  }

  async #readFailed(clientId: string): Promise<FailedDelivery[]> {
    const query = { clientId, limit: MAX_FAILED_DELIVERIES };
    const page = await this.options.client.listFailedDeliveries(query);
    return page.failedDeliveries.filter(({ sample }) => !sample);
  }

  async #readSessions(): Promise<SessionFacts[]> {
    const { client, session } = this.options;
    const [{ clients }, { sessions }] = await Promise.all([client.listClients(), this.fleet()]);
    const health = new Map(sessions.map((row) => [row.clientId, row]));
    return clients
      .filter(({ clientId }) => session === undefined || clientId === session)
      .sort((a, b) => a.clientId.localeCompare(b.clientId))
      .map((row) => ({ ...row, health: health.get(row.clientId) }));
  }
}

/** The node that answered. */
export function ownNode({ nodes }: FleetAnswer): FleetNode | undefined {
  return nodes.find(({ self }) => self) ?? nodes[0];
}

/** Whether an answer of `/health/live` comes from a Switchboard daemon. */
export function isDaemon({ status, text }: HttpAnswer): boolean {
  return status === 200 && parseObject(text)?.podName !== undefined;
}

function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let answer: Promise<Value> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}

export interface SessionFacts extends Client {
  /** Undefined if its node does not answer. */
  health: FleetSession | undefined;
}
