import type { JournalEntry } from '../../domain/signal-state.js';
import type { JournalStore } from '../store.js';
import type { OpenDatabase } from './database.js';

type Row = Omit<JournalEntry, 'closedAt'> & { closedAt: number | null };
type NewRow = Row & { clientId: string };

/** The journal, and the door by which a key commit writes to it. */
export interface SqliteJournal extends JournalStore {
  /** Inserts inside the running transaction. An entry that is known stays as it is: a closed one must not reopen. */
  add(clientId: string, entry: JournalEntry): void;
}

const FIELDS = 'id, message_id AS messageId, plain, stanza, received_at AS receivedAt, closed_at AS closedAt';

/** Entries in the table `journal`. */
export function sqliteJournal({ sqlite, run, inTransaction }: OpenDatabase): SqliteJournal {
  const insert = sqlite.prepare<NewRow>(
    `INSERT INTO journal (client_id, id, message_id, plain, stanza, received_at, closed_at)
     VALUES (@clientId, @id, @messageId, @plain, @stanza, @receivedAt, @closedAt) ON CONFLICT DO NOTHING`,
  );
  const select = sqlite.prepare<[string, string], Row>(
    `SELECT ${FIELDS} FROM journal WHERE client_id = ? AND id = ?`,
  );
  const selectOpen = sqlite.prepare<[string], Row>(
    `SELECT ${FIELDS} FROM journal WHERE client_id = ? AND closed_at IS NULL ORDER BY received_at, rowid`,
  );
  const countAll = sqlite.prepare<[], number>('SELECT count(*) FROM journal WHERE closed_at IS NULL').pluck();
  const countOne = sqlite
    .prepare<[string], number>('SELECT count(*) FROM journal WHERE client_id = ? AND closed_at IS NULL')
    .pluck();
  const close = sqlite.prepare<[number, string, string]>(
    'UPDATE journal SET closed_at = ? WHERE client_id = ? AND id = ? AND closed_at IS NULL',
  );
  const prune = sqlite.prepare<[number]>('DELETE FROM journal WHERE closed_at < ?');

  return {
    add(clientId, entry) {
      insert.run({ ...entry, clientId, closedAt: entry.closedAt ?? null });
    },
    async get(clientId, id) {
      const row = run(() => select.get(clientId, id));
      return row && toEntry(row);
    },
    async open(clientId) {
      return run(() => selectOpen.all(clientId)).map(toEntry);
    },
    async countOpen(clientId) {
      return run(() => (clientId === undefined ? countAll.get() : countOne.get(clientId))) ?? 0;
    },
    async close(clientId, ids, at) {
      inTransaction(() => {
        for (const id of ids) close.run(at, clientId, id);
      });
    },
    async prune(closedBefore) {
      return run(() => prune.run(closedBefore).changes);
    },
  };
}

function toEntry({ closedAt, ...entry }: Row): JournalEntry {
  return closedAt === null ? entry : { ...entry, closedAt };
}
