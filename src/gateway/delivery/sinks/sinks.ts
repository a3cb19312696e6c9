import PQueue from 'p-queue';
import type { Clock } from '../../../domain/clock.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import { reason } from '../../../domain/reasons.js';
import { originOf } from '../../../domain/text.js';
import type { Logger } from '../../log.js';
import type { CallResult, FailedCall } from '../webhook.js';
import { BrokerError, BrokerProcess, type ProcessSettings } from './broker-process.js';
import { InvalidSinkUrl, readDestination } from './destinations.js';
import { quoted, shortened } from './error-text.js';
import { BrokerMarks } from './marks.js';
import type { Failure } from './process/messages.js';
import { SharedConnection } from './shared-connection.js';
import { publicationOf, type SinkEvent } from './sink.js';
import { Suspects } from './suspects.js';

export type { SinkEvent };

/** HTTP's status for an event that is too large: no retry can help. */
const TOO_LARGE = 413;
/** Processes that may run for suspects at the same time. */
const ALONE = 2;
/** Milliseconds without a connection after which the shared process is ended. */
const IDLE_MS = 10_000;

const DELIVERED: CallResult = { outcome: 'delivered', status: 0 };
const STOPPED: FailedCall = { outcome: 'failed', status: 0, reason: reason('gateway_stops') };

/** The result of an attempt for each failure. */
const RESULTS: Readonly<Record<Failure, Omit<FailedCall, 'reason'>>> = {
  failed: { outcome: 'failed', status: 0 },
  refused: { outcome: 'rejected', status: TOO_LARGE },
  private: { outcome: 'rejected', status: 0 },
  flood: { outcome: 'failed', status: 0, pause: 'broker_flood' },
  node: { outcome: 'failed', status: 0 },
};

interface SinksOptions {
  clock: Clock;
  /** The clock for signatures. */
  signing: Clock;
  log: Logger;
  process: ProcessSettings;
  /** A file that records connected brokers across a crash; default: none. */
  marks?: string | undefined;
}

/**
 * Publishes events to brokers, through clients in a separate process that starts with the first event. Events with the
 * same address share a connection. It is closed after a minute without events, and replaced after a failed event. All
 * brokers share one process. If that process ends, the connected brokers become suspects: each is tried in a process of
 * its own, and a receiver is paused only if its process ends while it is alone in it. Decision 38 has the details.
 */
export class Sinks {
  readonly #options: SinksOptions;
  readonly #connections = new Map<string, SharedConnection>();
  /** Connections that get no further events, until they are closed. */
  readonly #closing = new Map<SharedConnection, Promise<void>>();
  readonly #processes = new Set<BrokerProcess>();
  readonly #suspects: Suspects;
  readonly #marks: BrokerMarks;
  /** Locks for isolated attempts: one at a time for each broker, and `ALONE` in all. */
  readonly #lock = new KeyedLock();
  readonly #alone = new PQueue({ concurrency: ALONE });
  #shared: BrokerProcess | undefined;
  #cancelEnd: () => void = () => undefined;
  #stopped = false;

  constructor(options: SinksOptions) {
    this.#options = options;
    this.#suspects = new Suspects(options.clock);
    this.#marks = new BrokerMarks(options.marks, options.log);
  }

  /** Number of connections that are open, being opened or being closed. */
  get size(): number {
    return this.#connections.size + this.#closing.size;
  }

  /** Ids of the broker processes that run. */
  get pids(): number[] {
    return [...this.#processes].flatMap(({ pid }) => pid ?? []);
  }

  /** Makes one attempt: `delivered` once the broker has stored the event. Never rejects. */
  async publish(url: string, event: SinkEvent): Promise<CallResult> {
    if (this.#stopped) return STOPPED;
    try {
      readDestination(url);
      if (await this.#marks.takeLeft(url)) this.#suspects.add([url]);
      if (this.#stopped) return STOPPED;
      return (
        (this.#suspects.has(url) && (await this.#inTurn(url, event))) || (await this.#together(url, event))
      );
    } catch (error) {
      return this.#stopped ? STOPPED : resultOf(error, url);
    }
  }

  /** Aborts events in flight, closes all connections and ends all processes. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelEnd();
    for (const shared of [...this.#connections.values(), ...this.#closing.keys()]) shared.abort();
    await Promise.all(this.#closing.values());
    await Promise.all([...this.#processes].map((one) => one.end()));
    await this.#alone.onIdle();
    await this.#marks.clear();
  }

  async #together(url: string, event: SinkEvent): Promise<CallResult> {
    const shared = this.#connections.get(url) ?? this.#open(url);
    await shared.use((connection) => connection.publish(this.#publicationOf(event)));
    return DELIVERED;
  }

  /** Makes an isolated attempt when its turn comes; undefined if the broker is no longer a suspect then. */
  #inTurn(url: string, event: SinkEvent): Promise<CallResult | undefined> {
    return this.#lock.run(url, () =>
      this.#alone.add(async () => {
        if (this.#stopped) return STOPPED;
        return this.#suspects.has(url) ? this.#byItself(url, event) : undefined;
      }),
    );
  }

  /** Makes one attempt in a process that does nothing else. */
  async #byItself(url: string, event: SinkEvent): Promise<CallResult> {
    const process = this.#start();
    const connection = this.#connectionTo(
      url,
      () => process,
      () => undefined,
    );
    let result = DELIVERED;
    try {
      await connection.use((open) => open.publish(this.#publicationOf(event)));
    } catch (error) {
      result = this.#stopped ? STOPPED : resultOf(error, url);
    }
    connection.abort();
    const { fault } = await process.end();
    if (fault === 'idle' || fault === 'start') this.#suspects.passed(url);
    else if (result.outcome === 'delivered') this.#suspects.add([url]);
    else result = { ...result, pause: 'broker_crash' };
    return result;
  }

  #publicationOf(event: SinkEvent) {
    const { clock, signing } = this.#options;
    return publicationOf(event, clock.now(), signing.now());
  }

  #open(url: string): SharedConnection {
    const shared: SharedConnection = this.#connectionTo(
      url,
      () => this.#sharedProcess(),
      () => {
        if (this.#connections.get(url) === shared) this.#connections.delete(url);
      },
    );
    this.#connections.set(url, shared);
    return shared;
  }

  #connectionTo(url: string, find: () => BrokerProcess, retired: () => void): SharedConnection {
    const connection: SharedConnection = new SharedConnection({
      clock: this.#options.clock,
      open: async (signal, lost) => {
        await this.#marks.begin(url);
        return find().open(url, signal, lost);
      },
      retired: (closed) => {
        retired();
        const closing = closed.then(() => this.#closed(url, connection));
        this.#closing.set(connection, closing);
      },
    });
    return connection;
  }

  async #closed(url: string, connection: SharedConnection): Promise<void> {
    await this.#marks.end(url);
    this.#closing.delete(connection);
    if (this.size === 0) this.#endLater();
  }

  #sharedProcess(): BrokerProcess {
    this.#cancelEnd();
    if (!this.#shared || this.#shared.isEnding) this.#shared = this.#start();
    return this.#shared;
  }

  #start(): BrokerProcess {
    const started = new BrokerProcess(this.#options.process);
    this.#processes.add(started);
    void started.ended.then(({ fault, message }) => {
      this.#processes.delete(started);
      if (fault === 'idle') return;
      const { urls } = started;
      if (started === this.#shared) this.#suspects.add(urls);
      const brokers = urls.map(originOf);
      this.#options.log.warn({ fault, reason: message, brokers }, 'a process of broker clients ended');
    });
    return started;
  }

  #endLater(): void {
    this.#cancelEnd();
    if (this.#stopped) return;
    this.#cancelEnd = this.#options.clock.after(IDLE_MS, () => {
      if (this.size === 0) void this.#shared?.end();
    });
  }
}

function resultOf(error: unknown, url: string): FailedCall {
  if (error instanceof InvalidSinkUrl) {
    return { outcome: 'rejected', status: 0, reason: reason('broker_address', { error: error.message }) };
  }
  const failure = error instanceof BrokerError ? error.failure : 'failed';
  const text = failure === 'private' ? quoted(error) : withoutSecrets(quoted(error), url);
  return { ...RESULTS[failure], reason: reason('broker_failed', { kind: failure, error: shortened(text) }) };
}

/** Removes secrets from a client's error, which may quote the address. */
function withoutSecrets(text: string, url: string): string {
  const { username, password } = new URL(url);
  // without a password, the user name can be a token
  const secret = password || username;
  return secret ? text.replaceAll(secret, '***').replaceAll(decodeURIComponent(secret), '***') : text;
}
