import type { Binary } from 'mongodb';
import { GatewayError } from '../../domain/errors.js';
import { isDuplicate, type MongoDatabase } from './database.js';
import { type Fence, type Fences, sessionElsewhere } from './fences.js';
import { Turns } from './turns.js';

/** One key as it is written; `value` null deletes it. */
export interface StoredChange {
  type: string;
  id: string;
  value: Binary | null;
}

/** A journal entry as it is written. */
export interface StoredEntry {
  id: string;
  messageId: string;
  plain: Binary;
  stanza: Binary;
  receivedAt: number;
  closedAt?: number;
}

/** Everything that one commit changes, with copies of all values. */
export interface Changes {
  /** Each key at most once. */
  keys: StoredChange[];
  journal: StoredEntry[];
  /** Makes all keys that were there before disappear. */
  clear?: boolean;
}

/** Where a session's commits have got to. */
export interface Head {
  /** Number of the last commit. Counts up, also over sessions of the same name that follow one another. */
  n: number;
  /** Keys of commits before this number do not count any more. */
  since: number;
}

/** A commit on its way to the collections. Applying it again, or later than its successors, changes nothing. */
export interface Commit extends Head {
  changes: Changes;
}

export type ApplyCommit = (clientId: string, commit: Commit) => Promise<void>;

/**
 * One document for each session: its last commit. Writing it is what commits, in a single step on any kind of server;
 * the changes are then applied to their collections, and taken out of the document. A commit that was interrupted
 * after the first step is applied before anything of the session is read or written again. The collections keep the
 * number of the commit with each value, so that a late request never undoes a newer one.
 *
 * The document is written only as the successor of the commit that this process knows as the last one, and under the epoch
 * of the session's last claim: a node that has lost the session to another cannot write it.
 */
export interface CommitLog {
  /** Reads what belongs to the session while no commit of it is half applied. */
  read<T>(clientId: string, work: (head: Head) => Promise<T>): Promise<T>;
  /** As `read`, but looks first what another node may have committed since. */
  readAnew<T>(clientId: string, work: (head: Head) => Promise<T>): Promise<T>;
  /**
   * Commits all changes or none.
   * @throws GatewayError `session_elsewhere` when another node has claimed the session since, `store_unavailable` also
   * when a program that has not claimed it has written in between; nothing is changed then
   */
  write(clientId: string, changes: Changes): Promise<void>;
  /** Clears the session's keys, runs `work` and takes the session for a new one from then on. */
  end(clientId: string, work: (fence: Fence) => Promise<void>): Promise<void>;
  /**
   * Refuses the commits of older epochs from now on. To be done between a claim and whatever is read under it.
   * @returns false when the session was claimed again meanwhile
   */
  stamp(clientId: string, epoch: number): Promise<boolean>;
  /** Waits for what is still written in the background. */
  idle(): Promise<void>;
}

interface CommitDocument extends Head {
  _id: string;
  /** Missing once they are applied. */
  changes?: Changes;
  /** Of the last claim; missing before the first. */
  epoch?: number;
}

/** The last commit of a session, as it was known under a lease or without one. */
interface KnownHead extends Head {
  lease: object | undefined;
}

const NOTHING_YET: Head = { n: 0, since: 0 };

/** The log in the collection `commits`. */
export function commitLog({ db, run }: MongoDatabase, fences: Fences, apply: ApplyCommit): CommitLog {
  const commits = db.collection<CommitDocument>('commits');
  /** The last commit of each session, where it is known and applied. */
  const heads = new Map<string, KnownHead>();
  const turns = new Turns();
  const tidying = new Set<Promise<unknown>>();

  const settle = async (clientId: string): Promise<Head> => {
    const known = heads.get(clientId);
    const lease = fences.leaseOf(clientId);
    // while it was not held here, others have written
    if (known && known.lease === lease) return known;
    const found = await commits.findOne({ _id: clientId });
    if (found?.changes) {
      await apply(clientId, { ...found, changes: found.changes });
      await tidy(clientId, found.n);
    }
    const { n, since } = found ?? NOTHING_YET;
    heads.set(clientId, { n, since, lease });
    return { n, since };
  };

  /** Takes applied changes out, so that they are never applied again. */
  const tidy = (clientId: string, n: number) =>
    commits.updateOne({ _id: clientId, n }, { $unset: { changes: '' } }, { writeConcern: { w: 1 } });

  const tidyLater = (clientId: string, n: number) => {
    const tidied = tidy(clientId, n)
      .catch(() => heads.delete(clientId))
      .finally(() => tidying.delete(tidied));
    tidying.add(tidied);
  };

  /** Writes the document if it is still as it was known; false when it is not. */
  const succeed = async (
    clientId: string,
    { n }: Head,
    commit: Commit,
    { epoch }: Fence,
  ): Promise<boolean> => {
    const last = { _id: clientId, n, ...(epoch !== undefined && { epoch }) };
    // a claim has made the document: when it is gone it is not for this node to make
    const upsert = n === NOTHING_YET.n && epoch === undefined;
    try {
      const { matchedCount, upsertedCount } = await commits.updateOne(last, { $set: commit }, { upsert });
      return matchedCount + upsertedCount === 1;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  };

  const refusal = async (clientId: string, { epoch }: Fence): Promise<GatewayError> => {
    if (epoch === undefined) return writtenByAnother(clientId);
    const found = await commits.findOne({ _id: clientId }, { projection: { epoch: 1 } });
    return found?.epoch === epoch ? writtenByAnother(clientId) : sessionElsewhere(clientId);
  };

  const put = async (clientId: string, last: Head, changes: Changes, fence: Fence): Promise<Commit> => {
    const n = Math.max(last.n + 1, Date.now());
    const isNew = changes.clear || last.n === NOTHING_YET.n;
    const commit = { n, since: isNew ? n : last.since, changes };
    if (!(await succeed(clientId, last, commit, fence))) throw await refusal(clientId, fence);
    return commit;
  };

  const writeNow = async (clientId: string, changes: Changes, fence: Fence): Promise<void> => {
    const last = await settle(clientId);
    // until the commit is applied nothing is sure: after a failure the document is looked at again
    heads.delete(clientId);
    const lease = fences.leaseOf(clientId);
    const commit = await put(clientId, last, changes, fence);
    await apply(clientId, commit);
    heads.set(clientId, { n: commit.n, since: commit.since, lease });
    tidyLater(clientId, commit.n);
  };

  const stamp = async (clientId: string, epoch: number): Promise<boolean> => {
    const notLater = { _id: clientId, epoch: { $not: { $gt: epoch } } };
    const put = () =>
      commits.updateOne(notLater, { $set: { epoch }, $setOnInsert: NOTHING_YET }, { upsert: true });
    try {
      // where two make the document at once, the later epoch must win: the second time it is there
      await put().catch((error: unknown) => (isDuplicate(error) ? put() : Promise.reject(error)));
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  };

  const alone = <T>(clientId: string, work: () => Promise<T>) => turns.alone(clientId, () => run(work));

  return {
    read: (clientId, work) => turns.shared(clientId, () => run(async () => work(await settle(clientId)))),
    readAnew: (clientId, work) =>
      alone(clientId, async () => {
        heads.delete(clientId);
        return work(await settle(clientId));
      }),
    write: (clientId, changes) =>
      fences.run(clientId, (fence) => alone(clientId, () => writeNow(clientId, changes, fence))),
    end: (clientId, work) =>
      fences.run(clientId, (fence) =>
        alone(clientId, async () => {
          heads.delete(clientId);
          await writeNow(clientId, { keys: [], journal: [], clear: true }, fence);
          heads.delete(clientId);
          await work(fence);
        }),
      ),
    stamp: (clientId, epoch) => run(() => stamp(clientId, epoch)),
    async idle() {
      await Promise.all(tidying);
    },
  };
}

function writtenByAnother(clientId: string): GatewayError {
  return new GatewayError(
    'store_unavailable',
    `Session ${clientId} was written by another daemon in the meantime: nothing was changed.`,
  );
}
