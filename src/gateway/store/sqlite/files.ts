import { join } from 'node:path';
import { Readable } from 'node:stream';
import { EXPECTED_FILES, FILES, rangeWithin, requireNewFileId } from '../port/files.js';
import type { ExpectedFileStore, FileRecord, FileStore } from '../store.js';
import type { OpenDatabase } from './database.js';
import { fileBytes } from './file-bytes.js';
import { type Column, tableOf } from './table.js';

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
      const stream = within ? await bytes.open(id, within) : Readable.from([], { objectMode: false });
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

const IN_LIBRARY = `client_id = ? AND message_id <> ''`;

/** Records in the table `files`. */
function fileRecords({ sqlite, run, inTransaction }: OpenDatabase) {
  const { columns, into, read, values } = tableOf(FILES);
  const selecting = `SELECT ${columns} FROM files`;
  const insert = sqlite.prepare<[Column[]]>(`INSERT ${into}`);
  const select = sqlite.prepare<[string], Column[]>(`${selecting} WHERE id = ?`).raw();
  const ofMessage = sqlite
    .prepare<[string, string, string], Column[]>(
      `${selecting} WHERE client_id = ? AND chat_room_id = ? AND message_id = ? AND message_id <> ''`,
    )
    .raw();
  const page = sqlite
    .prepare<[string, number, number], Column[]>(
      `${selecting} WHERE ${IN_LIBRARY} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
    )
    .raw();
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
  const after = sqlite
    .prepare<[string], Column[]>(`${selecting} WHERE id > ? ORDER BY id LIMIT ${SOME}`)
    .raw();
  const found = (row: Column[] | undefined) => row && read(row);

  return {
    /** Inserts unless the message has a file; returns the stored record. */
    putIfAbsent: (record: FileRecord): FileRecord =>
      inTransaction(() => {
        const { clientId, chatRoomId, messageId } = record;
        const known = found(ofMessage.get(clientId, chatRoomId, messageId));
        if (!known) insert.run(values(clientId, record));
        return known ?? { ...record };
      }),
    get: (id: string) => run(() => found(select.get(id))),
    ofMessage: (clientId: string, chatRoomId: string, messageId: string) =>
      run(() => found(ofMessage.get(clientId, chatRoomId, messageId))),
    list: (clientId: string, { page: number, limit }: { page: number; limit: number }) =>
      run(() => ({
        files: page.all(clientId, limit, (number - 1) * limit).map(read),
        total: count.get(clientId) ?? 0,
      })),
    remove: (id: string): boolean => run(() => remove.run(id).changes > 0),
    someOf: (clientId: string) => run(() => ofSession.all(clientId)),
    someBefore: (createdBefore: number, clientId?: string) =>
      run(() =>
        clientId === undefined ? before.all(createdBefore) : ofSessionBefore.all(createdBefore, clientId),
      ),
    /** In the order of the ids. */
    someAfter: (id: string) => run(() => after.all(id).map(read)),
  };
}

/** Files that are still to be stored, in the table `expected_files`. */
export function sqliteExpectedFiles({ sqlite, run }: OpenDatabase): ExpectedFileStore {
  const { columns, into, read, values } = tableOf(EXPECTED_FILES);
  const insert = sqlite.prepare<[Column[]]>(`INSERT ${into} ON CONFLICT DO NOTHING`);
  const select = sqlite
    .prepare<[string], Column[]>(`SELECT ${columns} FROM expected_files WHERE id = ?`)
    .raw();
  const ofSession = sqlite
    .prepare<[string], Column[]>(
      `SELECT ${columns} FROM expected_files WHERE client_id = ? ORDER BY since, rowid`,
    )
    .raw();
  const remove = sqlite.prepare<[string]>('DELETE FROM expected_files WHERE id = ?');

  return {
    async add(file) {
      run(() => insert.run(values(file.clientId, file)));
    },
    async get(id) {
      const row = run(() => select.get(id));
      return row && read(row);
    },
    async list(clientId) {
      return run(() => ofSession.all(clientId)).map(read);
    },
    async remove(id) {
      run(() => remove.run(id));
    },
  };
}
