import { type Collection, type Document, type Filter, ObjectId } from 'mongodb';
import { endsWithin, type MonotonicClock, systemClock } from '../../../domain/clock.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import type { Store } from '../store.js';
import type { MongoDatabase } from './database.js';
import { unlessDuplicate } from './writes.js';

/** A lease as the server granted or renewed it. */
interface HeldLease {
  epoch: number;
  /** By the server's clock. */
  expiresAt: Date;
  /** The latest possible expiry, in milliseconds of this process's monotonic clock. */
  until: number;
}

/** The conditions that a write carries, so that the server refuses it once the lease has expired. */
export interface Fence {
  /** Epoch of the lease; undefined if this store never claimed the session: then nothing is refused. */
  readonly epoch: number | undefined;
  /**
   * Filter clause that makes the server refuse a write if a document matches and the lease has expired by the server's
   * clock. If no document matches, the server does not evaluate it: see `assertLease`. Not for upserts; the update must be
   * a pipeline.
   */
  condition(): Document;
  /** First stages of an upsert's pipeline, for documents with a `clientId`: no change, or a refusal. */
  guard(): Document[];
}

const NO_FENCE: Fence = { epoch: undefined, condition: () => ({}), guard: () => [] };

/** Milliseconds that a release waits for writes in flight; longer than any request to the server can take. */
const WRITING_MS = 6_000;
const LONG_AGO = new Date(0);

/**
 * A type conversion that fails. It refers to the document, because servers evaluate constant expressions in advance, even in
 * a branch that is not taken. The clientId is in one of the two fields.
 */
const REFUSE = { $toInt: { $concat: ['session_elsewhere ', { $ifNull: ['$clientId', '$_id'] }] } };

/**
 * The leases of the sessions that this store claimed. Every write for a session runs in `run`. Sessions that were never
 * claimed here have no fence.
 */
export class Fences {
  readonly #leases = new Map<string, Lease>();
  readonly #clock: MonotonicClock;

  constructor(clock: MonotonicClock = systemClock) {
    this.#clock = clock;
  }

  /** Milliseconds of the clock of `HeldLease.until`. */
  now(): number {
    return this.#clock.monotonic();
  }

  claimed(clientId: string, held: HeldLease): void {
    this.#leases.set(clientId, new Lease(held));
  }

  /** A renewal cannot revive a lease that has expired: the clocks refuse it. */
  renewed(clientId: string, held: HeldLease): void {
    const lease = this.#leases.get(clientId);
    if (lease?.epoch === held.epoch) lease.prolong(held);
  }

  /**
   * Refuses new writes under a lease and waits for writes in flight.
   * @returns until when, by the server's clock, one of these writes can still arrive there
   */
  async end(clientId: string, epoch: number): Promise<Date> {
    const lease = this.#leases.get(clientId);
    return lease?.epoch === epoch ? lease.end(this.#clock) : LONG_AGO;
  }

  /**
   * Identity of the current lease, to detect that others may have written since: a new object for each claim, and a new one
   * at each call after the lease has expired. Undefined if the session was never claimed here.
   */
  leaseOf(clientId: string): object | undefined {
    const lease = this.#leases.get(clientId);
    return lease?.isOver(this.now()) ? {} : lease;
  }

  /** As `leaseOf`, but the same object while the lease ends: until it expires nobody else holds the session. */
  unexpiredLeaseOf(clientId: string): object | undefined {
    const lease = this.#leases.get(clientId);
    return lease?.hasExpired(this.now()) ? {} : lease;
  }

  /**
   * Runs writes for a session.
   * @throws GatewayError `session_elsewhere` if the lease has ended or expired
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

export function sessionElsewhere(clientId: string): GatewayError {
  return new GatewayError(
    'session_elsewhere',
    `This node no longer holds session ${clientId}; another node does, or soon will: try again in a moment.`,
  );
}

class Lease implements Fence {
  readonly epoch: number;
  #isEnded = false;
  #held: HeldLease;
  /** By the server's clock: until when a request with an unknown outcome can still take effect. */
  #unsureUntil = LONG_AGO;
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(held: HeldLease) {
    this.epoch = held.epoch;
    this.#held = held;
  }

  isOver(now: number): boolean {
    return this.#isEnded || this.hasExpired(now);
  }

  hasExpired(now: number): boolean {
    return now >= this.#held.until;
  }

  prolong(held: HeldLease): void {
    // answers can arrive out of order; the server's clock may be set back, so compare by our own
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
    this.#inFlight.add(running);
    try {
      return await running;
    } catch (error) {
      // the request may still be on its way to the server, or waiting there
      if (isGatewayError(error, 'store_unavailable')) this.#unsureUntil = this.#held.expiresAt;
      throw error;
    } finally {
      this.#inFlight.delete(running);
    }
  }

  async end(clock: MonotonicClock): Promise<Date> {
    this.#isEnded = true;
    const isDone = await endsWithin(clock, WRITING_MS, Promise.allSettled(this.#inFlight));
    return isDone ? this.#unsureUntil : this.#held.expiresAt;
  }
}

/**
 * Checks the lease on the server after a write that matched no document: the server evaluates `condition` only for a
 * document that matches.
 *
 * @param matched whether the write matched a document
 * @returns `matched`
 * @throws the server's refusal if the lease has expired
 */
export async function assertLease(
  { db }: MongoDatabase,
  clientId: string,
  fence: Fence,
  matched: boolean,
): Promise<boolean> {
  if (!matched && fence.epoch !== undefined) {
    const leases = db.collection<{ _id: string }>('leases');
    await leases.findOne({ _id: clientId, ...fence.condition() }, { projection: { _id: 1 } });
  }
  return matched;
}

/**
 * Inserts under a fence unless a document with the same unique fields exists; true if it was inserted.
 *
 * @param key equality on the fields of a unique index, including the clientId
 * @param fields the other fields of a new document, with an `_id` if it matters
 * @param always a field that every document has and that is not part of the key
 */
export function insertFenced<D extends Document>(
  fence: Fence,
  collection: Collection<D>,
  key: Filter<D>,
  fields: Document,
  always: string,
): Promise<boolean> {
  const created = { $literal: { _id: new ObjectId(), ...key, ...fields } };
  const isMissing = { $eq: [{ $type: `$${always}` }, 'missing'] };
  const pipeline = [...fence.guard(), { $replaceWith: { $cond: [isMissing, created, '$$ROOT'] } }];
  return unlessDuplicate(
    async () => (await collection.updateOne(key, pipeline, { upsert: true })).upsertedCount === 1,
  );
}

type FencedStores = Pick<
  Store,
  | 'contacts'
  | 'sends'
  | 'traces'
  | 'files'
  | 'expectedFiles'
  | 'pictures'
  | 'idempotency'
  | 'failedDeliveries'
  | 'waitingDeliveries'
  | 'keptEvents'
>;

/**
 * Refuses a session's writes to these stores once this process knows that it no longer holds the session. The server does
 * not check again: an earlier request that arrives late adds a document that the next owner adds too or never reads, or
 * replaces one by a value that was true a moment ago. Methods without a session, prunes, and what people call on any node
 * are not fenced.
 */
export function fenced(fences: Fences, stores: FencedStores): FencedStores {
  const { contacts, sends, traces, files, expectedFiles, pictures, idempotency } = stores;
  const { failedDeliveries, waitingDeliveries, keptEvents } = stores;
  const held = <K extends string, S extends Readonly<Record<K, Write>>>(store: S, ...writes: K[]): S => {
    const copy = { ...store };
    for (const name of writes) Object.assign(copy, { [name]: whileHeld(fences, store[name]) });
    return copy;
  };
  return {
    contacts: held(contacts, 'learn'),
    sends: held(sends, 'put', 'acknowledge', 'close', 'finish'),
    traces: held(traces, 'add', 'rekey'),
    files: {
      ...files,
      async write(file, source) {
        try {
          // checked once, not with `run`: a release must not wait for a long download
          fences.require(file.clientId);
          return await files.write(file, source);
        } finally {
          source.destroy();
        }
      },
    },
    expectedFiles: held(expectedFiles, 'add'),
    pictures: held(pictures, 'put'),
    idempotency: held(idempotency, 'claim', 'answer'),
    failedDeliveries: held(failedDeliveries, 'add'),
    waitingDeliveries: held(waitingDeliveries, 'add', 'noteAttempts'),
    keptEvents: held(keptEvents, 'add', 'removeOldest'),
  };
}

/** A write for a session, which its first argument names. */
type Write = (owner: never, ...rest: never[]) => Promise<unknown>;

function whileHeld<O extends string | { clientId: string }, A extends unknown[]>(
  fences: Fences,
  write: (owner: O, ...rest: A) => Promise<unknown>,
) {
  return (owner: O, ...rest: A): Promise<unknown> =>
    fences.run(typeof owner === 'string' ? owner : owner.clientId, () => write(owner, ...rest));
}
