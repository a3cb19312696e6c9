import { GatewayError } from '../../../domain/errors.js';
import type { Backlog, CommitDocument } from './backlog.js';
import type { MongoDatabase } from './database.js';
import { type Fence, type Fences, sessionElsewhere } from './fences.js';
import { SharedLock } from './lock.js';
import { type Changes, type Commit, type Head, isEmpty, joined, sizeOf } from './stored-changes.js';
import { unlessDuplicate, upsertTwice } from './writes.js';

/**
 * A write-ahead log of one document per session: its last commits. Adding to the document commits, in one atomic step on any
 * kind of server. While this process holds the session's lease nobody else writes it, so its commits are applied to their
 * collections later, together with others (`Backlog`); without a lease at once. Interrupted commits are applied before the
 * session is read or written again. The collections store the number of the commit with each value, so that a late request
 * never undoes a newer one.
 *
 * A write must follow the commit that this process knows as the last one, under the epoch of the session's last claim: a
 * node that has lost the session cannot write.
 */
export interface CommitLog {
  /** Reads data of the session when all its commits so far are applied. */
  read<T>(clientId: string, work: (head: Head) => Promise<T>): Promise<T>;
  /** As `read`, but first reads commits of other nodes. */
  readAnew<T>(clientId: string, work: (head: Head) => Promise<T>): Promise<T>;
  /** Reads data of the session beside its commits that are not applied, oldest first. */
  readBeside<T>(clientId: string, work: (head: Head, unapplied: readonly Commit[]) => Promise<T>): Promise<T>;
  /**
   * Commits all changes or none. Changes that are given while the session's last commit is under way share the next one.
   * @param waits whether it may wait for a moment, to share a commit with what comes next: for a step after which nothing
   * is done that must not come before it
   * @throws GatewayError `session_elsewhere` if another node has claimed the session, `store_unavailable` also if a program
   * without a lease wrote in between; nothing is changed
   */
  write(clientId: string, changes: Changes, waits?: boolean): Promise<void>;
  /**
   * Changes rows: as a commit if this process holds the session's lease, otherwise at once.
   * @param how `now` and `soon` as `write`; `next` resolves at once, and commits in the same step as what is written
   * next, or before that: for what a crash makes this or the next process write again
   */
  writeRows(clientId: string, changes: Changes, how: 'now' | 'soon' | 'next'): Promise<void>;
  /**
   * Identity of what this process knows of a session: nobody else has written while it is the same. Undefined while another
   * process may write.
   */
  knowledgeOf(clientId: string): object | undefined;
  /** Clears the session's keys and runs `work`, which deletes the session. */
  end(clientId: string, work: (fence: Fence) => Promise<void>): Promise<void>;
  /**
   * Refuses commits of older epochs from now on. Call it after a claim and before reading anything of the session.
   * @returns false if the session was claimed again meanwhile
   */
  stamp(clientId: string, epoch: number): Promise<boolean>;
  /** Commits and applies what waits; never rejects. */
  finish(clientId: string): Promise<void>;
  /** Resolves when everything is applied. */
  applyAll(): Promise<void>;
  /** As `finish`, for all sessions; then nothing is written any more. */
  close(): Promise<void>;
}

/** Steps of a session that are written as one commit. */
interface Batch {
  fence: Fence;
  steps: Changes[];
  bytes: number;
  written: Promise<void>;
  /** Begins to write it; further steps may still join until its turn comes. */
  start(): void;
}

const NOTHING_YET: Head = { n: 0, since: 0 };
const NOTHING: Changes = { keys: [], journal: [] };
/** Milliseconds for which a commit waits for what comes next. */
const SHARED_WITHIN_MS = 25;
/** Milliseconds for which changes wait that no commit follows. */
const CARRIED_WITHIN_MS = 250;
/** Bytes of a commit that no further step joins, and of a document that no further commit joins: its limit is 16 MB. */
const BATCH_BYTES = 256 * 1024;
const DOCUMENT_BYTES = 1024 * 1024;

/** The log in the collection `commits`. */
export function commitLog({ db, run }: MongoDatabase, fences: Fences, backlog: Backlog): CommitLog {
  const commits = db.collection<CommitDocument>('commits');
  /** The last commit of each session that is known, with the lease under which it was read. */
  const heads = new Map<string, Head & { lease: object | undefined }>();
  /** The commit of each session that further steps may join. */
  const open = new Map<string, Batch>();
  /** Changes that the next commit of a session takes with it. */
  const carried = new Map<string, Changes[]>();
  const lock = new SharedLock();
  let isClosed = false;

  const settle = async (clientId: string): Promise<Head> => {
    const known = heads.get(clientId);
    const lease = fences.leaseOf(clientId);
    // other nodes may have written while this one did not hold the session
    if (known && known.lease === lease) return known;
    const found = await commits.findOne({ _id: clientId });
    backlog.found(clientId, commitsIn(found));
    await backlog.flush(clientId);
    const { n, since } = found ?? NOTHING_YET;
    const head = { n, since, lease };
    heads.set(clientId, head);
    return head;
  };

  /** Adds a commit to the document if nobody else has changed it. */
  const succeed = async (
    clientId: string,
    { n }: Head,
    { changes, ...head }: Commit,
    { epoch }: Fence,
  ): Promise<boolean> => {
    const last = { _id: clientId, n, ...(epoch !== undefined && { epoch }) };
    // after a claim the document exists: if it is gone, this node must not create it
    const upsert = n === NOTHING_YET.n && epoch === undefined;
    const entry = { n: head.n, ...changes };
    // what a cleared session had before is applied, and must not be found by its successor
    const added = changes.clear
      ? { $set: { ...head, log: [entry] }, $unset: { changes: '' as const } }
      : { $set: head, $push: { log: entry }, $unset: { changes: '' as const } };
    return unlessDuplicate(async () => {
      const { matchedCount, upsertedCount } = await commits.updateOne(last, added, { upsert });
      return matchedCount + upsertedCount === 1;
    });
  };

  const refusal = async (clientId: string, { epoch }: Fence): Promise<GatewayError> => {
    if (epoch === undefined) return writtenByAnother(clientId);
    const found = await commits.findOne({ _id: clientId }, { projection: { epoch: 1 } });
    return found?.epoch === epoch ? writtenByAnother(clientId) : sessionElsewhere(clientId);
  };

  const writeNow = async (clientId: string, { fence, steps }: Pick<Batch, 'fence' | 'steps'>) => {
    const last = await settle(clientId);
    const carriedNow = carried.get(clientId) ?? [];
    const changes = joined([...carriedNow, ...steps]);
    if (isEmpty(changes)) return;
    const isLarge = backlog.bytesOf(clientId) + sizeOf(changes) > DOCUMENT_BYTES;
    if (changes.clear || isLarge) await backlog.flush(clientId);
    const n = Math.max(last.n + 1, Date.now());
    const commit = { n, since: changes.clear || last.n === NOTHING_YET.n ? n : last.since, changes };
    carried.delete(clientId);
    try {
      if (!(await succeed(clientId, last, commit, fence))) throw await refusal(clientId, fence);
      Object.assign(last, { n: commit.n, since: commit.since });
      backlog.add(clientId, commit);
      if (changes.clear || fence.epoch === undefined) await backlog.flush(clientId);
    } catch (error) {
      // the outcome is unknown: read the document again
      heads.delete(clientId);
      if (carriedNow.length > 0) carried.set(clientId, [...carriedNow, ...(carried.get(clientId) ?? [])]);
      throw error;
    }
    if (changes.clear) heads.delete(clientId);
  };

  const exclusive = <T>(clientId: string, work: () => Promise<T>) =>
    lock.exclusive(clientId, () => run(work));

  const begin = (clientId: string, fence: Fence): Batch => {
    let follow: (writing: Promise<void>) => void = () => undefined;
    const written = new Promise<void>((resolve) => {
      follow = resolve;
    });
    const close = () => {
      if (open.get(clientId) === batch) open.delete(clientId);
    };
    let hasStarted = false;
    const start = () => {
      clearTimeout(timer);
      if (hasStarted) return;
      hasStarted = true;
      const writing = exclusive(clientId, () => {
        close();
        return writeNow(clientId, batch);
      });
      // its turn never comes if what is before it finds no server
      follow(writing.finally(close));
    };
    const timer = setTimeout(start, SHARED_WITHIN_MS);
    const batch: Batch = { fence, steps: [], bytes: 0, written, start };
    open.set(clientId, batch);
    return batch;
  };

  const join = (clientId: string, changes: Changes, waits: boolean, fence: Fence): Promise<void> => {
    const last = open.get(clientId);
    const size = sizeOf(changes);
    const isOpen = last?.fence === fence && last.bytes + size <= BATCH_BYTES;
    if (!isOpen) last?.start();
    const batch = last && isOpen ? last : begin(clientId, fence);
    batch.steps.push(changes);
    batch.bytes += size;
    if (!waits) batch.start();
    return batch.written;
  };

  const write = (clientId: string, changes: Changes, waits = false) =>
    fences.run(clientId, (fence) => join(clientId, changes, waits, fence));

  const carry = (clientId: string, changes: Changes): void => {
    carried.set(clientId, [...(carried.get(clientId) ?? []), changes]);
    // what fails stays, and goes with the next commit
    const writeAlone = () => carried.has(clientId) && write(clientId, NOTHING).catch(() => undefined);
    setTimeout(writeAlone, CARRIED_WITHIN_MS).unref();
  };

  const stamp = async (clientId: string, epoch: number): Promise<boolean> => {
    const notLater = { _id: clientId, epoch: { $not: { $gt: epoch } } };
    const put = () =>
      commits.updateOne(notLater, { $set: { epoch }, $setOnInsert: NOTHING_YET }, { upsert: true });
    return unlessDuplicate(async () => {
      // if two nodes create the document at the same time, the later epoch must win
      await upsertTwice(put);
      return true;
    });
  };

  /** Commits what waits, before something is read. */
  const push = (clientId: string): void => {
    if (carried.has(clientId)) write(clientId, NOTHING).catch(() => undefined);
    open.get(clientId)?.start();
  };

  const complete = async (clientId: string): Promise<void> => {
    push(clientId);
    await lock.exclusive(clientId, () => backlog.flushHeld(clientId));
  };
  const finish = (clientId: string) => complete(clientId).catch(() => undefined);

  const completeAll = async () => {
    const waiting = new Set([...open.keys(), ...carried.keys()]);
    await Promise.all([...waiting].map(complete));
    await backlog.flushAll();
  };

  return {
    read(clientId, work) {
      push(clientId);
      return lock.shared(clientId, () =>
        run(async () => {
          const head = await settle(clientId);
          await backlog.flush(clientId);
          return work(head);
        }),
      );
    },
    readAnew(clientId, work) {
      push(clientId);
      return exclusive(clientId, async () => {
        heads.delete(clientId);
        return work(await settle(clientId));
      });
    },
    readBeside: (clientId, work) =>
      lock.shared(clientId, () =>
        run(async () => {
          const head = await settle(clientId);
          return work(head, [...backlog.of(clientId)]);
        }),
      ),
    write,
    writeRows: (clientId, changes, how) =>
      fences.run(clientId, async (fence) => {
        if (fence.epoch === undefined) {
          await lock.exclusive(clientId, () =>
            run(async () => backlog.applyNow(clientId, { ...(await settle(clientId)), changes })),
          );
        } else if (how === 'next') await run(async () => carry(clientId, changes));
        else await join(clientId, changes, how === 'soon', fence);
      }),
    knowledgeOf(clientId) {
      const head = isClosed ? undefined : heads.get(clientId);
      return head?.lease && head.lease === fences.leaseOf(clientId) ? head : undefined;
    },
    end(clientId, work) {
      push(clientId);
      return fences.run(clientId, (fence) =>
        exclusive(clientId, async () => {
          heads.delete(clientId);
          carried.delete(clientId);
          await writeNow(clientId, { fence, steps: [{ ...NOTHING, clear: true }] });
          await work(fence);
        }),
      );
    },
    stamp(clientId, epoch) {
      carried.delete(clientId);
      return run(() => stamp(clientId, epoch));
    },
    finish,
    applyAll: () => run(completeAll),
    async close() {
      isClosed = true;
      await completeAll().catch(() => undefined);
      await backlog.idle().catch(() => undefined);
      backlog.stop();
    },
  };
}

/** The commits that a document holds, oldest first. */
function commitsIn(found: CommitDocument | null): Commit[] {
  if (!found) return [];
  const { n, since, changes, log = [] } = found;
  const written = log.map(({ n: number, ...rest }) => ({ n: number, since, changes: rest }));
  const all = changes ? [{ n, since, changes }, ...written] : written;
  // a node of the release before may have written `changes` after the log
  return all.toSorted((one, other) => one.n - other.n);
}

function writtenByAnother(clientId: string): GatewayError {
  return new GatewayError(
    'store_unavailable',
    `Session ${clientId} was written by another daemon in the meantime: nothing was changed.`,
  );
}
