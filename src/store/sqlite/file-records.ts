import type { FileRecord } from '../store.js';
import type { OpenDatabase } from './database.js';

/** Records of files in the table `files`. */
export interface SqliteFileRecords {
  /** Inserts unless the message has a file; returns the record that is there afterwards. */
  putIfAbsent(record: FileRecord): FileRecord;
  get(id: string): FileRecord | undefined;
  ofMessage(clientId: string, chatRoomId: string, messageId: string): FileRecord | undefined;
  list(clientId: string, page: { page: number; limit: number }): { files: FileRecord[]; total: number };
  remove(id: string): boolean;
  /** Some ids of a session. */
  someOf(clientId: string): string[];
  /** Some ids of messages' files from before that time. */
  someBefore(createdBefore: number): string[];
  /** Some records after that id, by id. */
  someAfter(id: string): FileRecord[];
}

/** How many "some" are. */
const SOME = 100;

const SELECT = `SELECT id, client_id AS clientId, chat_room_id AS chatRoomId, message_id AS messageId,
  mime_type AS mimeType, media_type AS mediaType, file_name AS fileName, file_size AS fileSize, sha256, caption,
  created_at AS createdAt FROM files`;
const LIBRARY = `client_id = ? AND message_id <> ''`;

/** Prepares the statements. */
export function sqliteFileRecords({ sqlite, run, inTransaction }: OpenDatabase): SqliteFileRecords {
  const insert = sqlite.prepare<FileRecord>(
    `INSERT INTO files (id, client_id, chat_room_id, message_id, mime_type, media_type, file_name, file_size, sha256,
       caption, created_at)
     VALUES (@id, @clientId, @chatRoomId, @messageId, @mimeType, @mediaType, @fileName, @fileSize, @sha256, @caption,
       @createdAt)`,
  );
  const select = sqlite.prepare<[string], FileRecord>(`${SELECT} WHERE id = ?`);
  const ofMessage = sqlite.prepare<[string, string, string], FileRecord>(
    `${SELECT} WHERE client_id = ? AND chat_room_id = ? AND message_id = ? AND message_id <> ''`,
  );
  const page = sqlite.prepare<[string, number, number], FileRecord>(
    `${SELECT} WHERE ${LIBRARY} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
  );
  const count = sqlite.prepare<[string], number>(`SELECT count(*) FROM files WHERE ${LIBRARY}`).pluck();
  const remove = sqlite.prepare<[string]>('DELETE FROM files WHERE id = ?');
  const ofSession = sqlite
    .prepare<[string], string>(`SELECT id FROM files WHERE client_id = ? LIMIT ${SOME}`)
    .pluck();
  const before = sqlite
    .prepare<[number], string>(`SELECT id FROM files WHERE created_at < ? AND message_id <> '' LIMIT ${SOME}`)
    .pluck();
  const after = sqlite.prepare<[string], FileRecord>(`${SELECT} WHERE id > ? ORDER BY id LIMIT ${SOME}`);

  return {
    putIfAbsent: (record) =>
      inTransaction(() => {
        const known = ofMessage.get(record.clientId, record.chatRoomId, record.messageId);
        if (!known) insert.run(record);
        return known ?? { ...record };
      }),
    get: (id) => run(() => select.get(id)),
    ofMessage: (clientId, chatRoomId, messageId) => run(() => ofMessage.get(clientId, chatRoomId, messageId)),
    list: (clientId, { page: number, limit }) =>
      run(() => ({
        files: page.all(clientId, limit, (number - 1) * limit),
        total: count.get(clientId) ?? 0,
      })),
    remove: (id) => run(() => remove.run(id).changes > 0),
    someOf: (clientId) => run(() => ofSession.all(clientId)),
    someBefore: (createdBefore) => run(() => before.all(createdBefore)),
    someAfter: (id) => run(() => after.all(id)),
  };
}
