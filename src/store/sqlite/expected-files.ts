import type { ExpectedFile, ExpectedFileStore } from '../store.js';
import type { OpenDatabase } from './database.js';

const SELECT = `SELECT id, client_id AS clientId, chat_room_id AS chatRoomId, message_id AS messageId, since
                FROM expected_files`;

/** Files that are to be stored, in the table `expected_files`. */
export function sqliteExpectedFiles({ sqlite, run }: OpenDatabase): ExpectedFileStore {
  const insert = sqlite.prepare<ExpectedFile>(
    `INSERT INTO expected_files (id, client_id, chat_room_id, message_id, since)
     VALUES (@id, @clientId, @chatRoomId, @messageId, @since) ON CONFLICT DO NOTHING`,
  );
  const select = sqlite.prepare<[string], ExpectedFile>(`${SELECT} WHERE id = ?`);
  const ofSession = sqlite.prepare<[string], ExpectedFile>(
    `${SELECT} WHERE client_id = ? ORDER BY since, rowid`,
  );
  const remove = sqlite.prepare<[string]>('DELETE FROM expected_files WHERE id = ?');

  return {
    async add(file) {
      run(() => insert.run(file));
    },
    async get(id) {
      return run(() => select.get(id));
    },
    async list(clientId) {
      return run(() => ofSession.all(clientId));
    },
    async remove(id) {
      run(() => remove.run(id));
    },
  };
}
