import type { Document } from 'mongodb';
import { endsWithin, type MonotonicClock, systemClock } from '../../domain/clock.js';
import { GatewayError, isGatewayError } from '../../domain/errors.js';

/** A lease as the server gave or prolonged it. */
export interface Held {
  epoch: number;
  /** By the server's clock. */
  expiresAt: Date;
  /** Milliseconds of this process's monotonic clock at which it has surely run out, unless it is prolonged. */
  until: number;
}

/** What the writes of one piece of work carry, so that they count only while the session is held. */
export interface Fence {
  /** Of the lease; undefined when the session was never claimed through this store: then nothing is refused. */
  readonly epoch: number | undefined;
  /**
   * Beside what a filter looks for. Where a document is found and the lease is over by the server's clock, the server
   * refuses; where none is found, nothing is told of the lease. Not for upserts. Only pipelines may be updates beside it.
   */
  condition(): Document;
  /** What an upsert's pipeline has to begin with, where documents have a `clientId`: changes nothing, or is refused. */
  guard(): Document[];
}

const NO_FENCE: Fence = { epoch: undefined, condition: () => ({}), guard: () => [] };

/** Milliseconds that a release waits for writes under way; longer than any request to the server may take. */
const WRITING_MS = 6_000;
const LONG_AGO = new Date(0);

/**
 * A conversion that must fail. It depends on the document, and so does each expression that it is part of: a server computes
 * constant ones before it looks which one it needs. Documents have the clientId in one of the two fields.
 */
const REFUSE = { $toInt: { $concat: ['session_elsewhere ', { $ifNull: ['$clientId', '$_id'] }] } };

/**
 * What this store knows of the sessions that were claimed through it: `leases.ts` tells it, and all that is written for a
 * session goes through `run`. A session that was never claimed here has no fence.
 */
export class Fences {
  readonly #leases = new Map<string, Lease>();
  readonly #clock: MonotonicClock;

  constructor(clock: MonotonicClock = systemClock) {
    this.#clock = clock;
  }

  /** Milliseconds of the clock by which `Held.until` counts. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** From now on the session is written under this lease. */
  claimed(clientId: string, held: Held): void {
    this.#leases.set(clientId, new Lease(held));
  }

  /** A renewal ends nothing: a lease that has run out is refused by the clocks. */
  renewed(clientId: string, held: Held): void {
    const lease = this.#leases.get(clientId);
    if (lease?.epoch === held.epoch) lease.prolong(held);
  }

  /**
   * Refuses whatever is to be written under a lease from now on, and waits for what is under way.
   * @returns by the server's clock, until when something of it may still arrive there
   */
  async end(clientId: string, epoch: number): Promise<Date> {
    const lease = this.#leases.get(clientId);
    return lease?.epoch === epoch ? lease.end(this.#clock) : LONG_AGO;
  }

  /**
   * Stands for the lease that a session is under here: another object under another one, and each time another one once it is
   * over, because then others may write. Undefined when it was never claimed here.
   */
  leaseOf(clientId: string): object | undefined {
    const lease = this.#leases.get(clientId);
    return lease?.isOver(this.now()) ? {} : lease;
  }

  /**
   * Runs what writes something of a session.
   * @throws GatewayError `session_elsewhere` when it was held here and is not any more
   */
  async run<T>(clientId: string, work: (fence: Fence) => Promise<T>): Promise<T> {
    const lease = this.require(clientId);
    return lease ? lease.run(() => work(lease)) : work(NO_FENCE);
  }

  /** @throws GatewayError as `run` */
  require(clientId: string): Lease | undefined {
    const lease = this.#leases.get(clientId);
    if (lease?.isOver(this.now())) throw sessionElsewhere(clientId);
    return lease;
  }
}

/** A session that was claimed is not held here any more. */
export function sessionElsewhere(clientId: string): GatewayError {
  return new GatewayError(
    'session_elsewhere',
    `This node does not hold session ${clientId} any more; another one does, or will in a moment: ask again.`,
  );
}

class Lease implements Fence {
  readonly epoch: number;
  isEnded = false;
  #held: Held;
  /** By the server's clock: until when a request whose outcome is not known could still be carried out. */
  #unsureUntil = LONG_AGO;
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(held: Held) {
    this.epoch = held.epoch;
    this.#held = held;
  }

  isOver(now: number): boolean {
    return this.isEnded || now >= this.#held.until;
  }

  prolong(held: Held): void {
    // an answer may be overtaken by a later one; which is later, the server's clock does not say when it was set back
    if (held.until > this.#held.until) this.#held = held;
  }

  condition(): Document {
    return { $expr: this.#orRefuse(true) };
  }

  guard(): Document[] {
    return [{ $set: { clientId: this.#orRefuse('$clientId') } }];
  }

  #orRefuse(value: unknown): Document {
    return { $cond: [{ $lt: ['$$NOW', this.#held.expiresAt] }, value, REFUSE] };
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    this.#underWay.add(running);
    try {
      return await running;
    } catch (error) {
      // what was asked for may still be on its way to the server, or waiting there
      if (isGatewayError(error, 'store_unavailable')) this.#unsureUntil = this.#held.expiresAt;
      throw error;
    } finally {
      this.#underWay.delete(running);
    }
  }

  async end(clock: MonotonicClock): Promise<Date> {
    this.isEnded = true;
    const isDone = await endsWithin(clock, WRITING_MS, Promise.allSettled(this.#underWay));
    return isDone ? this.#unsureUntil : this.#held.expiresAt;
  }
}
