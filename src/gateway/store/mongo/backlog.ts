import type { AnyBulkWriteOperation, Document } from 'mongodb';
import { pauseAfter } from '../../../domain/retry.js';
import type { MongoDatabase } from './database.js';
import { type Changes, type Commit, sizeOf } from './stored-changes.js';

/** Milliseconds after which written commits are applied at the latest. */
const APPLIED_AFTER_MS = 1_000;
/** After a failure, until they are applied again. */
const REPEATED = { pausesMs: [APPLIED_AFTER_MS, 2_000, 5_000], endless: true } as const;
/** Bytes of one session's commits at which they are applied at once: every commit rewrites the document that holds them. */
const SESSION_BYTES = 64 * 1024;
/** Bytes that one round applies, so that a request stays well within the driver's timeout. */
const ROUND_BYTES = 2 * 1024 * 1024;

/** One update of a collection that holds data of sessions. */
export type Operation = AnyBulkWriteOperation<Document>;

/** The updates that apply the commits of one session to a collection. */
interface Target {
  name: string;
  /** Whether the updates must run in their order. */
  ordered: boolean;
  operations(clientId: string, commits: readonly Commit[]): Operation[];
}

/** Commits of a session that are not applied to their collections, oldest first. */
interface Waiting {
  commits: Commit[];
  bytes: number;
  /** Under which the last one was written or found. */
  lease: object | undefined;
}

const NONE: readonly Commit[] = [];

/**
 * Commits that are written and not yet applied to their collections. They are applied together: those of all sessions in one
 * bulk write for each collection, then they are removed from the documents that hold them.
 */
export class Backlog {
  readonly #database: MongoDatabase;
  readonly #targets: readonly Target[];
  readonly #leaseOf: (clientId: string) => object | undefined;
  readonly #waiting = new Map<string, Waiting>();
  /** Numbers of the last commits that are applied, and not known to be removed from their documents. */
  readonly #applied = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #tidying = new Set<Promise<unknown>>();
  /** Applies what waits, without a caller. */
  #background: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isStopped = false;

  /** @param leaseOf identity of the unexpired lease under which this process holds a session, or gives it up */
  constructor(
    database: MongoDatabase,
    targets: readonly Target[],
    leaseOf: (clientId: string) => object | undefined,
  ) {
    this.#database = database;
    this.#targets = targets;
    this.#leaseOf = leaseOf;
  }

  /** The commits of a session that are not applied, oldest first. */
  of(clientId: string): readonly Commit[] {
    return this.#waiting.get(clientId)?.commits ?? NONE;
  }

  bytesOf(clientId: string): number {
    return this.#waiting.get(clientId)?.bytes ?? 0;
  }

  /** Takes the commits that a session's document holds, instead of those that this process knows. */
  found(clientId: string, commits: readonly Commit[]): void {
    this.#waiting.delete(clientId);
    const applied = this.#applied.get(clientId);
    for (const commit of commits) {
      // applied again, it would bring back journal entries that were pruned meanwhile
      if (applied !== undefined && commit.n <= applied) this.#tidy([[clientId, applied]]);
      else this.#add(clientId, commit);
    }
  }

  /** Applies a new commit soon. */
  add(clientId: string, commit: Commit): void {
    this.#add(clientId, commit);
    if (this.bytesOf(clientId) > SESSION_BYTES) this.#begin();
    else this.#later();
  }

  /** Applies changes without a commit. */
  applyNow(clientId: string, commit: Commit): Promise<void> {
    return this.#apply([[clientId, [commit]]]);
  }

  /** Resolves when all commits of a session so far are applied. */
  async flush(clientId: string): Promise<void> {
    const last = this.of(clientId).at(-1)?.n;
    while (last !== undefined && (this.of(clientId)[0]?.n ?? Number.POSITIVE_INFINITY) <= last) {
      const running = this.#running.get(clientId);
      // it may have begun before the last commit
      if (running) await running;
      else await this.#round([clientId]);
    }
  }

  /** As `flush`, unless the session was lost since: then the commits are left to its next holder, who may have gone on. */
  async flushHeld(clientId: string): Promise<void> {
    if (this.#isHeld(clientId)) await this.flush(clientId);
  }

  async flushAll(): Promise<void> {
    for (const round of this.#rounds()) await this.#round(round);
    await Promise.all([...this.#waiting.keys()].map((clientId) => this.flushHeld(clientId)));
  }

  /** Waits for writes in the background. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values(), this.#background]);
    await Promise.all(this.#tidying);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #add(clientId: string, commit: Commit): void {
    const lease = this.#leaseOf(clientId);
    const waiting = this.#waiting.get(clientId) ?? { commits: [], bytes: 0, lease };
    waiting.lease = lease;
    waiting.commits.push(commit);
    waiting.bytes += sizeOf(commit.changes);
    this.#waiting.set(clientId, waiting);
  }

  #later(): void {
    if (this.#timer || this.#background || this.#isStopped || this.#waiting.size === 0) return;
    const pauseMs = this.#failures > 0 ? pauseAfter(REPEATED, this.#failures) : APPLIED_AFTER_MS;
    this.#timer = setTimeout(() => this.#begin(), pauseMs).unref();
  }

  /** Applies what waits. Nobody waits for it: it may have begun before the server was away, and a read must not fail for that. */
  #begin(): void {
    if (this.#background) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#background = this.#applyWaiting().finally(() => {
      this.#background = undefined;
      this.#later();
    });
  }

  async #applyWaiting(): Promise<void> {
    try {
      for (const round of this.#rounds()) await this.#applyThose(round);
      this.#failures = 0;
    } catch {
      this.#failures += 1;
      // what one session has cannot keep those of others from being applied
      const held = [...this.#waiting.keys()].filter((clientId) => this.#isHeld(clientId));
      await Promise.allSettled(held.map((clientId) => this.#applyThose([clientId])));
    }
  }

  /** False after the lease under which its commits wait has ended: another process may have gone on, or deleted the session. */
  #isHeld(clientId: string): boolean {
    return this.#waiting.get(clientId)?.lease === this.#leaseOf(clientId);
  }

  /** The sessions with commits that wait, in parts that are small enough for one round. */
  #rounds(): string[][] {
    const rounds: string[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const [clientId, waiting] of this.#waiting) {
      if (this.#running.has(clientId) || !this.#isHeld(clientId)) continue;
      if (bytes + waiting.bytes > ROUND_BYTES) {
        rounds.push([]);
        bytes = 0;
      }
      bytes += waiting.bytes;
      rounds.at(-1)?.push(clientId);
    }
    return rounds;
  }

  #round(clientIds: readonly string[]): Promise<void> {
    const round = this.#applyThose(clientIds).finally(() => {
      for (const clientId of clientIds) {
        if (this.#running.get(clientId) === round) this.#running.delete(clientId);
      }
    });
    for (const clientId of clientIds) this.#running.set(clientId, round);
    return round;
  }

  async #applyThose(clientIds: readonly string[]): Promise<void> {
    const taken = clientIds.flatMap((clientId) => {
      const commits = [...this.of(clientId)];
      return commits.length > 0 ? [[clientId, commits] as const] : [];
    });
    if (taken.length === 0) return;
    await this.#apply(taken);
    const done = taken.map(([clientId, commits]) => [clientId, commits.at(-1)?.n ?? 0] as const);
    for (const [clientId, n] of done) this.#done(clientId, n);
    this.#tidy(done);
  }

  async #apply(taken: readonly (readonly [string, readonly Commit[]])[]): Promise<void> {
    const { db, run } = this.#database;
    const writes = this.#targets.flatMap(({ name, ordered, operations }) => {
      const all = taken.flatMap(([clientId, commits]) => operations(clientId, commits));
      return all.length > 0 ? [run(() => db.collection(name).bulkWrite(all, { ordered }))] : [];
    });
    // all have ended when one has failed, so that none overtakes its repetition
    const outcomes = await Promise.allSettled(writes);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  #done(clientId: string, n: number): void {
    this.#applied.set(clientId, n);
    const waiting = this.#waiting.get(clientId);
    if (!waiting) return;
    waiting.commits = waiting.commits.filter((commit) => commit.n > n);
    waiting.bytes = waiting.commits.reduce((bytes, { changes }) => bytes + sizeOf(changes), 0);
    if (waiting.commits.length === 0) this.#waiting.delete(clientId);
  }

  /** Removes applied commits from their documents, so that they are not applied again. */
  #tidy(done: readonly (readonly [string, number])[]): void {
    const operations = done.flatMap(([clientId, n]): AnyBulkWriteOperation<CommitDocument>[] => [
      { updateOne: { filter: { _id: clientId, n }, update: { $unset: { changes: '', log: '' } } } },
      {
        updateOne: {
          filter: { _id: clientId, n: { $gt: n } },
          update: { $pull: { log: { n: { $lte: n } } } },
        },
      },
    ]);
    const commits = this.#database.db.collection<CommitDocument>('commits');
    const tidied = commits
      .bulkWrite(operations, { ordered: false, writeConcern: { w: 1 } })
      .then(() => {
        for (const [clientId, n] of done) {
          if (this.#applied.get(clientId) === n) this.#applied.delete(clientId);
        }
      })
      .catch(() => undefined)
      .finally(() => this.#tidying.delete(tidied));
    this.#tidying.add(tidied);
  }
}

/** The document of a session in the collection `commits`. */
export interface CommitDocument {
  _id: string;
  n: number;
  since: number;
  /** Epoch of the last claim; absent before the first. */
  epoch?: number;
  /** Commits that are perhaps not applied, oldest first. */
  log?: (Changes & { n: number })[];
  /** The last commit, as releases before the log wrote it; absent once it is applied. */
  changes?: Changes;
}
