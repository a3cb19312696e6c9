import { join } from 'node:path';
import { Readable } from 'node:stream';
import { rangeWithin, requireNewFileId } from '../port/files.js';
import type { ExpectedFile, ExpectedFileStore, FileRecord, FileStore } from '../store.js';
import type { OpenDatabase } from './database.js';
import { fileBytes } from './file-bytes.js';

/** Folder of the bytes in the data directory. */
export const FOLDER = 'media';

/**
 * Files: records in the table `files`, bytes in the folder `media`. The bytes are written before the record and deleted
 * after it, so that an interruption leaves only bytes without a record, which `check` finds. `removeAll` deletes the bytes
 * first: an interrupted deletion of a session can be repeated and leaves no bytes.
 */
export function sqliteFiles(database: OpenDatabase, dataDir: string): FileStore {
  const records = fileRecords(database);
  const bytes = fileBytes(join(dataDir, FOLDER));
  const beingWritten = new Set<string>();

  const keep = async (record: FileRecord): Promise<FileRecord> => {
    let kept: FileRecord | undefined;
    try {
      kept = records.putIfAbsent(record);
      return kept;
    } finally {
      if (kept?.id !== record.id) await bytes.remove(record.id);
    }
  };
  const remove = async (id: string): Promise<boolean> => {
    const removed = records.remove(id);
    if (removed) await bytes.remove(id);
    return removed;
  };
  const countBytesWithoutRecord = async (repair: boolean): Promise<number> => {
    let faults = 0;
    for await (const stored of bytes.stored()) {
      if (beingWritten.has(stored.id) || (stored.whole && records.get(stored.id))) continue;
      faults += 1;
      if (repair) await stored.remove();
    }
    return faults;
  };
  const countRecordsWithoutBytes = async (repair: boolean): Promise<number> => {
    let faults = 0;
    for (let some = records.someAfter(''); some.length > 0; some = records.someAfter(some.at(-1)?.id ?? '')) {
      for (const { id, fileSize } of some) {
        if ((await bytes.size(id)) === fileSize) continue;
        // deleted since it was listed
        if (!records.get(id)) continue;
        faults += 1;
        if (!repair) continue;
        records.remove(id);
        await bytes.remove(id);
      }
    }
    return faults;
  };

  return {
    async write(file, source) {
      const { id, clientId, chatRoomId, messageId } = file;
      try {
        const known = records.ofMessage(clientId, chatRoomId, messageId);
        if (known) return known;
        requireNewFileId(id, beingWritten.has(id) || records.get(id) !== undefined);
        beingWritten.add(id);
        try {
          return await keep({ ...file, ...(await bytes.write(id, source)) });
        } finally {
          beingWritten.delete(id);
        }
      } finally {
        source.destroy();
      }
    },
    async get(id) {
      return records.get(id);
    },
    async ofMessage(clientId, chatRoomId, messageId) {
      return records.ofMessage(clientId, chatRoomId, messageId);
    },
    async open(id, range) {
      const record = records.get(id);
      if (!record) return undefined;
      const within = rangeWithin(record, range);
      const stream = within ? await bytes.open(id, within) : Readable.from([]);
      return stream && { record, stream };
    },
    async list(clientId, page) {
      return records.list(clientId, page);
    },
    remove,
    removeAll: (clientId) =>
      removeEach(
        () => records.someOf(clientId),
        async (id) => {
          await bytes.remove(id);
          records.remove(id);
        },
      ),
    prune: (createdBefore, clientId) => removeEach(() => records.someBefore(createdBefore, clientId), remove),
    async check({ repair }) {
      const withoutRecord = await countBytesWithoutRecord(repair);
      return { withoutRecord, withoutBytes: await countRecordsWithoutBytes(repair) };
    },
  };
}

/** Removes batches of ids until there are none; returns the count. */
async function removeEach(some: () => string[], remove: (id: string) => Promise<unknown>): Promise<number> {
  let removed = 0;
  for (let ids = some(); ids.length > 0; ids = some()) {
    for (const id of ids) await remove(id);
    removed += ids.length;
  }
  return removed;
}

/** Size of the batches that the methods `some…` return. */
const SOME = 100;

const SELECT_FILE = `SELECT id, client_id AS clientId, chat_room_id AS chatRoomId, message_id AS messageId,
  mime_type AS mimeType, media_type AS mediaType, file_name AS fileName, file_size AS fileSize, sha256, caption,
  created_at AS createdAt FROM files`;
const IN_LIBRARY = `client_id = ? AND message_id <> ''`;

/** Records in the table `files`. */
function fileRecords({ sqlite, run, inTransaction }: OpenDatabase) {
  const insert = sqlite.prepare<FileRecord>(
    `INSERT INTO files (id, client_id, chat_room_id, message_id, mime_type, media_type, file_name, file_size, sha256,
       caption, created_at)
     VALUES (@id, @clientId, @chatRoomId, @messageId, @mimeType, @mediaType, @fileName, @fileSize, @sha256, @caption,
       @createdAt)`,
  );
  const select = sqlite.prepare<[string], FileRecord>(`${SELECT_FILE} WHERE id = ?`);
  const ofMessage = sqlite.prepare<[string, string, string], FileRecord>(
    `${SELECT_FILE} WHERE client_id = ? AND chat_room_id = ? AND message_id = ? AND message_id <> ''`,
  );
  const page = sqlite.prepare<[string, number, number], FileRecord>(
    `${SELECT_FILE} WHERE ${IN_LIBRARY} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
  );
  const count = sqlite.prepare<[string], number>(`SELECT count(*) FROM files WHERE ${IN_LIBRARY}`).pluck();
  const remove = sqlite.prepare<[string]>('DELETE FROM files WHERE id = ?');
  const ofSession = sqlite
    .prepare<[string], string>(`SELECT id FROM files WHERE client_id = ? LIMIT ${SOME}`)
    .pluck();
  const before = sqlite
    .prepare<[number], string>(`SELECT id FROM files WHERE created_at < ? AND message_id <> '' LIMIT ${SOME}`)
    .pluck();
  const ofSessionBefore = sqlite
    .prepare<[number, string], string>(
      `SELECT id FROM files WHERE created_at < ? AND client_id = ? AND message_id <> '' LIMIT ${SOME}`,
    )
    .pluck();
  const after = sqlite.prepare<[string], FileRecord>(`${SELECT_FILE} WHERE id > ? ORDER BY id LIMIT ${SOME}`);

  return {
    /** Inserts unless the message has a file; returns the stored record. */
    putIfAbsent: (record: FileRecord): FileRecord =>
      inTransaction(() => {
        const known = ofMessage.get(record.clientId, record.chatRoomId, record.messageId);
        if (!known) insert.run(record);
        return known ?? { ...record };
      }),
    get: (id: string) => run(() => select.get(id)),
    ofMessage: (clientId: string, chatRoomId: string, messageId: string) =>
      run(() => ofMessage.get(clientId, chatRoomId, messageId)),
    list: (clientId: string, { page: number, limit }: { page: number; limit: number }) =>
      run(() => ({
        files: page.all(clientId, limit, (number - 1) * limit),
        total: count.get(clientId) ?? 0,
      })),
    remove: (id: string): boolean => run(() => remove.run(id).changes > 0),
    someOf: (clientId: string) => run(() => ofSession.all(clientId)),
    someBefore: (createdBefore: number, clientId?: string) =>
      run(() =>
        clientId === undefined ? before.all(createdBefore) : ofSessionBefore.all(createdBefore, clientId),
      ),
    /** In the order of the ids. */
    someAfter: (id: string) => run(() => after.all(id)),
  };
}

type ExpectedFileRow = Omit<ExpectedFile, 'past'> & { past: number };

const SELECT_EXPECTED = `SELECT id, client_id AS clientId, chat_room_id AS chatRoomId, message_id AS messageId, since, past
                FROM expected_files`;

/** Files that are still to be stored, in the table `expected_files`. */
export function sqliteExpectedFiles({ sqlite, run }: OpenDatabase): ExpectedFileStore {
  const insert = sqlite.prepare<ExpectedFileRow>(
    `INSERT INTO expected_files (id, client_id, chat_room_id, message_id, since, past)
     VALUES (@id, @clientId, @chatRoomId, @messageId, @since, @past) ON CONFLICT DO NOTHING`,
  );
  const select = sqlite.prepare<[string], ExpectedFileRow>(`${SELECT_EXPECTED} WHERE id = ?`);
  const ofSession = sqlite.prepare<[string], ExpectedFileRow>(
    `${SELECT_EXPECTED} WHERE client_id = ? ORDER BY since, rowid`,
  );
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

function toExpected(row: ExpectedFileRow): ExpectedFile {
  return { ...row, past: row.past === 1 };
}
