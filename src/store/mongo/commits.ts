import type { Binary } from 'mongodb';
import { GatewayError } from '../../domain/errors.js';
import { isDuplicate, type MongoDatabase } from './database.js';
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
 * The document is written only as the successor of the commit that this process knows as the last one: a node that has
 * lost the session to another cannot write it. A lease's epoch, when there is one, belongs into the same condition.
 */
export interface CommitLog {
  /** Reads what belongs to the session while no commit of it is half applied. */
  read<T>(clientId: string, work: (head: Head) => Promise<T>): Promise<T>;
  /** As `read`, but looks first what another node may have committed since. */
  readAnew<T>(clientId: string, work: (head: Head) => Promise<T>): Promise<T>;
  /**
   * Commits all changes or none.
   * @throws GatewayError `store_unavailable` also when another node has written in between; nothing is changed then
   */
  write(clientId: string, changes: Changes): Promise<void>;
  /** Clears the session's keys, runs `work` and takes the session for a new one from then on. */
  end(clientId: string, work: () => Promise<void>): Promise<void>;
  /** Waits for what is still written in the background. */
  idle(): Promise<void>;
}

interface CommitDocument extends Head {
  _id: string;
  /** Missing once they are applied. */
  changes?: Changes;
}

const NOTHING_YET: Head = { n: 0, since: 0 };

/** The log in the collection `commits`. */
export function commitLog({ db, run }: MongoDatabase, apply: ApplyCommit): CommitLog {
  const commits = db.collection<CommitDocument>('commits');
  /** The last commit of each session, where it is known and applied. */
  const heads = new Map<string, Head>();
  const turns = new Turns();
  const tidying = new Set<Promise<unknown>>();

  const settle = async (clientId: string): Promise<Head> => {
    const known = heads.get(clientId);
    if (known) return known;
    const found = await commits.findOne({ _id: clientId });
    if (found?.changes) {
      await apply(clientId, { ...found, changes: found.changes });
      await tidy(clientId, found.n);
    }
    const head = found ? { n: found.n, since: found.since } : NOTHING_YET;
    heads.set(clientId, head);
    return head;
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
  const succeed = async (clientId: string, last: Head, commit: Commit): Promise<boolean> => {
    if (last !== NOTHING_YET) {
      return (await commits.updateOne({ _id: clientId, n: last.n }, { $set: commit })).matchedCount === 1;
    }
    try {
      return (await commits.insertOne({ _id: clientId, ...commit })).acknowledged;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  };

  const put = async (clientId: string, last: Head, changes: Changes): Promise<Commit> => {
    const n = Math.max(last.n + 1, Date.now());
    const commit = { n, since: changes.clear || last === NOTHING_YET ? n : last.since, changes };
    if (!(await succeed(clientId, last, commit))) throw writtenByAnother(clientId);
    return commit;
  };

  const writeNow = async (clientId: string, changes: Changes): Promise<void> => {
    const last = await settle(clientId);
    // until the commit is applied nothing is sure: after a failure the document is looked at again
    heads.delete(clientId);
    const commit = await put(clientId, last, changes);
    await apply(clientId, commit);
    heads.set(clientId, { n: commit.n, since: commit.since });
    tidyLater(clientId, commit.n);
  };

  const alone = <T>(clientId: string, work: () => Promise<T>) => turns.alone(clientId, () => run(work));

  return {
    read: (clientId, work) => turns.shared(clientId, () => run(async () => work(await settle(clientId)))),
    readAnew: (clientId, work) =>
      alone(clientId, async () => {
        heads.delete(clientId);
        return work(await settle(clientId));
      }),
    write: (clientId, changes) => alone(clientId, () => writeNow(clientId, changes)),
    end: (clientId, work) =>
      alone(clientId, async () => {
        heads.delete(clientId);
        await writeNow(clientId, { keys: [], journal: [], clear: true });
        heads.delete(clientId);
        await work();
      }),
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
