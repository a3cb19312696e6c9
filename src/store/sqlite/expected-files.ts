import type { ExpectedFile, ExpectedFileStore } from '../store.js';
import type { OpenDatabase } from './database.js';

type Row = Omit<ExpectedFile, 'past'> & { past: number };

const SELECT = `SELECT id, client_id AS clientId, chat_room_id AS chatRoomId, message_id AS messageId, since, past
                FROM expected_files`;

/** Files that are to be stored, in the table `expected_files`. */
export function sqliteExpectedFiles({ sqlite, run }: OpenDatabase): ExpectedFileStore {
  const insert = sqlite.prepare<Row>(
    `INSERT INTO expected_files (id, client_id, chat_room_id, message_id, since, past)
     VALUES (@id, @clientId, @chatRoomId, @messageId, @since, @past) ON CONFLICT DO NOTHING`,
  );
  const select = sqlite.prepare<[string], Row>(`${SELECT} WHERE id = ?`);
  const ofSession = sqlite.prepare<[string], Row>(`${SELECT} WHERE client_id = ? ORDER BY since, rowid`);
  const remove = sqlite.prepare<[string]>('DELETE FROM expected_files WHERE id = ?');

  return {
    async add(file) {
      run(() => insert.run({ ...file, past: Number(file.past) }));
    },
    async get(id) {
      const row = run(() => select.get(id));
      return row && toExpected(row);
    },
    async list(clientId) {
      return run(() => ofSession.all(clientId)).map(toExpected);
    },
    async remove(id) {
      run(() => remove.run(id));
    },
  };
}

function toExpected(row: Row): ExpectedFile {
  return { ...row, past: row.past === 1 };
}
