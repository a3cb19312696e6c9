import type { MongoClient } from 'mongodb';
import { type GatewayError, storeUnavailable } from '../../../domain/errors.js';
import type { Logger } from '../../log.js';

/** Milliseconds between two looks at the client. */
const LOOK_MS = 100;
/** Milliseconds without a success, while an operation waits, after which the client is in doubt. */
const QUIET_MS = 700;
/** Milliseconds of doubt in which one success clears it, before a new client is tried. */
const DOUBT_MS = 150;
/** Milliseconds between two attempts to reach the server with a new client. */
const ATTEMPT_MS = 500;
/** Milliseconds that the driver has to find the server by itself after a new client found it; its health checks come every 500. */
const GRACE_MS = 600;
/** Milliseconds that the driver has, when a client is closed, to end its cursors and sessions at the server. */
const CLOSE_MS = 2_000;
/** A command counts as lost after so many times the timeout of a silent socket. */
const LOST_AFTER = 3;

interface Kept {
  client: MongoClient;
  /** Since when each connection in use is in use, by server and number of the connection, oldest first. */
  busy: Map<string, { address: string; since: number }>;
  /** Since when each server owes the answer to a health check. */
  checks: Map<string, number>;
}

interface Running {
  of: Kept;
  since: number;
  /** Ends when its client is replaced, because it may take effect at any time. */
  isProbe: boolean;
  end(error: GatewayError): void;
}

export interface ClientKeeperOptions {
  /** Makes a client that is not connected yet. */
  make(): MongoClient;
  /** Resolves if the server takes writes. */
  probe(client: MongoClient): Promise<void>;
  log?: Logger | undefined;
}

/**
 * Holds the client of a database, and replaces the client when it does not find a server that a new client finds.
 *
 * The driver (7.8) can wait for ever, because `Connection.writeCommand` waits for `drain` of a socket that was closed meanwhile:
 * the event never comes, and no timeout applies. A health check that waits so ends all further checks of the server, and an
 * operation never ends. Also, a connection whose packets a network swallows is noticed only by a timeout, while new
 * connections work at once.
 */
export class ClientKeeper {
  readonly #options: ClientKeeperOptions;
  readonly #running = new Set<Running>();
  readonly #attempts = new Set<MongoClient>();
  /** Replaced clients with operations that have not ended, and when they were replaced. */
  readonly #retired = new Map<Kept, number>();
  #kept: Kept;
  #lastSuccess = 0;
  #isFailing = false;
  #inDoubtSince: number | undefined;
  #lastAttempt = -Infinity;
  #isProbing = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ClientKeeperOptions) {
    this.#options = options;
    this.#kept = keep(options.make());
  }

  /** The client of this moment. */
  get client(): MongoClient {
    return this.#kept.client;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Connects the first client. @throws errors of the driver */
  async connect(): Promise<void> {
    await this.#kept.client.connect();
    this.#noteSuccess();
    this.#timer = setInterval(() => this.#look(performance.now()), LOOK_MS).unref();
  }

  /**
   * Runs operations. A client that is replaced meanwhile is closed only after them, because a cursor of a closed client ends
   * early, without an error.
   *
   * @param options.client the client that made the cursor on which the operations go on
   * @param options.isProbe the operations only ask whether the server takes writes
   * @throws GatewayError `store_unavailable` if that client was replaced or the driver lost an operation, and errors of the
   * operations
   */
  async run<T>(
    work: () => Promise<T>,
    { client, isProbe = false }: { client?: MongoClient; isProbe?: boolean } = {},
  ): Promise<T> {
    const of = this.#kept;
    if (client && client !== of.client) throw replaced();
    let running: Running | undefined;
    const lost = new Promise<never>((_, end) => {
      running = { of, since: performance.now(), isProbe, end };
      this.#running.add(running);
    });
    try {
      const result = await Promise.race([work(), lost]);
      if (of === this.#kept) this.#noteSuccess();
      return result;
    } finally {
      if (running) this.#running.delete(running);
    }
  }

  /** An operation found the server unusable. */
  noteFailure(): void {
    this.#isFailing = true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const clients = [this.#kept, ...this.#retired.keys()].map(({ client }) => client);
    await Promise.all([...clients, ...this.#attempts].map(closeClient));
    for (const { end } of this.#running) end(storeUnavailable(new Error('the store is closed')));
  }

  #noteSuccess(): void {
    this.#lastSuccess = performance.now();
    this.#isFailing = false;
  }

  #look(now: number): void {
    for (const kept of [this.#kept, ...this.#retired.keys()]) this.#endLost(kept, now);
    this.#closeRetired();
    const isBroken = isBrokenAt(this.#kept, now);
    if (!isBroken && !this.#isInDoubt(now)) {
      this.#inDoubtSince = undefined;
      return;
    }
    this.#probeAgain();
    this.#inDoubtSince ??= now;
    if (!isBroken && now - this.#inDoubtSince < DOUBT_MS) return;
    if (now - this.#lastAttempt < ATTEMPT_MS) return;
    this.#lastAttempt = now;
    void this.#attempt(isBroken);
  }

  #isInDoubt(now: number): boolean {
    if (this.#isFailing) return true;
    const [oldest] = this.#running;
    if (!oldest || now - oldest.since < QUIET_MS || now - this.#lastSuccess < QUIET_MS) return false;
    // a client that waits for a free connection is not cut off
    const { client, busy } = this.#kept;
    return busy.size < client.options.maxPoolSize;
  }

  /** Asks the server by the client in doubt. */
  #probeAgain(): void {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const { client } = this.#kept;
    this.run(() => this.#options.probe(client), { isProbe: true })
      .catch(() => this.noteFailure())
      .finally(() => {
        this.#isProbing = false;
      });
  }

  async #attempt(isBroken: boolean): Promise<void> {
    const doubted = this.#kept;
    const fresh = this.#options.make();
    this.#attempts.add(fresh);
    const isDoubted = () => !this.#isClosed && this.#kept === doubted;
    try {
      const startedAt = performance.now();
      await fresh.connect();
      await this.#options.probe(fresh);
      if (!isBroken) await pause(GRACE_MS);
      const isUseless = this.#lastSuccess < startedAt || isBrokenAt(doubted, performance.now());
      if (isDoubted() && isUseless) this.#replace(fresh);
    } catch {
      // the server is away for a new client too
    } finally {
      this.#attempts.delete(fresh);
      if (this.#kept.client !== fresh) await closeClient(fresh);
    }
  }

  #replace(fresh: MongoClient): void {
    const old = this.#kept;
    this.#kept = keep(fresh);
    this.#retired.set(old, performance.now());
    this.#noteSuccess();
    this.#inDoubtSince = undefined;
    this.#isProbing = false;
    const running = this.#runningOf(old);
    for (const { isProbe, end } of running) if (isProbe) end(replaced());
    this.#options.log?.warn(
      { running: running.length },
      'the database driver did not find the server again, but a new connection did: the client was replaced',
    );
  }

  /** Ends the operations that wait for a command which the driver has lost: they would wait for ever. */
  #endLost(kept: Kept, now: number): void {
    if (!hasLostCommand(kept, now)) return;
    for (const { since, end } of this.#runningOf(kept))
      if (now - since > lostAfter(kept)) end(lostInDriver());
  }

  #closeRetired(): void {
    for (const [old, replacedAt] of this.#retired) {
      // one that began with an even older client may have gone on with this one
      if ([...this.#running].some(({ since }) => since <= replacedAt)) continue;
      this.#retired.delete(old);
      void closeClient(old.client);
    }
  }

  #runningOf(kept: Kept): Running[] {
    return [...this.#running].filter(({ of }) => of === kept);
  }
}

function keep(client: MongoClient): Kept {
  const busy: Kept['busy'] = new Map();
  client.on('connectionCheckedOut', ({ address, connectionId }) => {
    busy.set(`${address} ${connectionId}`, { address, since: performance.now() });
  });
  client.on('connectionCheckedIn', ({ address, connectionId }) => {
    busy.delete(`${address} ${connectionId}`);
  });
  const checks: Kept['checks'] = new Map();
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    // a server that pushes changes answers when something changes, and otherwise after this interval
    const mayTakeMs = awaited ? client.options.heartbeatFrequencyMS : 0;
    checks.set(connectionId, performance.now() + mayTakeMs);
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => void checks.delete(connectionId));
  client.on('serverHeartbeatFailed', ({ connectionId }) => void checks.delete(connectionId));
  return { client, busy, checks };
}

function isBrokenAt(kept: Kept, now: number): boolean {
  return hasLostCommand(kept, now) || hasSilentServer(kept, now);
}

/**
 * A server owes answers to a health check, which needs no time, and to an operation: their connections are dead, although
 * operations on newer connections may succeed.
 */
function hasSilentServer({ busy, checks }: Kept, now: number): boolean {
  return [...busy.values()].some(
    ({ address, since }) => now - since > QUIET_MS && now - (checks.get(address) ?? now) > QUIET_MS,
  );
}

/** Each command has a connection for itself, except behind a load balancer, where cursors keep theirs. */
function hasLostCommand(kept: Kept, now: number): boolean {
  const [oldest] = kept.busy.values();
  return oldest !== undefined && !kept.client.options.loadBalanced && now - oldest.since > lostAfter(kept);
}

/** Milliseconds; without a timeout of the socket nothing counts as lost. */
function lostAfter({ client }: Kept): number {
  return LOST_AFTER * client.options.socketTimeoutMS || Number.POSITIVE_INFINITY;
}

function replaced(): GatewayError {
  return storeUnavailable(new Error('the client of the database was replaced meanwhile'));
}

function lostInDriver(): GatewayError {
  return storeUnavailable(new Error('the database driver lost an operation'));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

/**
 * Closes a client, also if the driver waits for ever: it asks the server to end cursors and sessions before it closes connections
 * and ends its health checks. Never rejects.
 */
async function closeClient(client: MongoClient): Promise<void> {
  await Promise.race([client.close().catch(ignore), pause(CLOSE_MS)]);
  const topology: unknown = Reflect.get(client, 'topology');
  if (canClose(topology)) topology.close();
}

function canClose(value: unknown): value is { close(): void } {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}

function ignore(): void {}
