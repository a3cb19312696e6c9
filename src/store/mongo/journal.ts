import type { Filter } from 'mongodb';
import type { JournalEntry } from '../../domain/signal-state.js';
import type { JournalStore } from '../store.js';
import { fromBinary } from './bytes.js';
import type { Commit, CommitLog, StoredEntry } from './commits.js';
import type { MongoDatabase } from './database.js';
import type { Fences } from './fences.js';
import { unlessRefused } from './under-fence.js';

interface JournalDocument extends StoredEntry {
  clientId: string;
  /** The commit that wrote it. */
  n: number;
  /** True until it is closed, then missing: the index of what is open holds nothing else. */
  open?: true;
}

const OLDEST_FIRST = { receivedAt: 1, n: 1, _id: 1 } as const;

/** Entries in the collection `journal`, written by commits. */
export function mongoJournal(database: MongoDatabase, fences: Fences, log: CommitLog): JournalStore {
  const { db, run } = database;
  const journal = db.collection<JournalDocument>('journal');
  return {
    async get(clientId, id) {
      return log.read(clientId, async () => {
        const found = await journal.findOne({ clientId, id });
        return found ? toEntry(found) : undefined;
      });
    },
    async open(clientId) {
      return log.readAnew(clientId, async () => {
        const found = await journal.find({ clientId, open: true }).sort(OLDEST_FIRST).toArray();
        return found.map(toEntry);
      });
    },
    async countOpen(clientId) {
      const filter: Filter<JournalDocument> = { open: true, ...(clientId !== undefined && { clientId }) };
      return run(() => journal.countDocuments(filter));
    },
    async close(clientId, ids, at) {
      const entries = { clientId, id: { $in: [...ids] }, open: true } as const;
      const closed = [{ $set: { closedAt: at } }, { $unset: 'open' }];
      await fences.run(clientId, (fence) =>
        run(async () => {
          const { matchedCount } = await journal.updateMany({ ...entries, ...fence.condition() }, closed);
          await unlessRefused(database, clientId, fence, matchedCount > 0);
        }),
      );
    },
    async prune(closedBefore) {
      const { deletedCount } = await run(() => journal.deleteMany({ closedAt: { $lt: closedBefore } }));
      return deletedCount;
    },
  };
}

/** Writes the journal entries of a commit. An entry that is known stays as it is: a closed one must not reopen. */
export async function applyJournal({ db }: MongoDatabase, clientId: string, commit: Commit): Promise<void> {
  const { n, changes } = commit;
  if (changes.journal.length === 0) return;
  const operations = changes.journal.map(({ id, ...entry }) => ({
    updateOne: {
      filter: { clientId, id },
      update: {
        $setOnInsert: { ...entry, n, ...(entry.closedAt === undefined && { open: true as const }) },
      },
      upsert: true,
    },
  }));
  // in order, so that entries of the same time keep it
  await db.collection<JournalDocument>('journal').bulkWrite(operations, { ordered: true });
}

function toEntry({ id, messageId, plain, stanza, receivedAt, closedAt }: JournalDocument): JournalEntry {
  return {
    id,
    messageId,
    plain: fromBinary(plain),
    stanza: fromBinary(stanza),
    receivedAt,
    ...(closedAt !== undefined && { closedAt }),
  };
}
