import { join } from 'node:path';
import { Readable } from 'node:stream';
import { rangeWithin, requireNewFileId } from '../incoming-file.js';
import type { FileRecord, FileStore, NewFile } from '../store.js';
import type { OpenDatabase } from './database.js';
import { type FileBytes, fileBytes } from './file-bytes.js';
import { type SqliteFileRecords, sqliteFileRecords } from './file-records.js';

const FOLDER = 'media';

/**
 * Files: records in the database, bytes beside it in the folder `media`. Bytes are there before their record and go after
 * it, so that what an interruption leaves are bytes that no record names, which `check` finds. With their session they go
 * before it: an interrupted deletion can be repeated and leaves none.
 */
export function sqliteFiles(database: OpenDatabase, dataDir: string): FileStore {
  const records = sqliteFileRecords(database);
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
  const writeNew = async (file: NewFile, source: Readable): Promise<FileRecord> => {
    beingWritten.add(file.id);
    try {
      return await keep({ ...file, ...(await bytes.write(file.id, source)) });
    } finally {
      beingWritten.delete(file.id);
    }
  };
  const remove = async (id: string): Promise<boolean> => {
    const removed = records.remove(id);
    if (removed) await bytes.remove(id);
    return removed;
  };

  return {
    async write(file, source) {
      const { id, clientId, chatRoomId, messageId } = file;
      try {
        const known = records.ofMessage(clientId, chatRoomId, messageId);
        if (known) return known;
        requireNewFileId(id, beingWritten.has(id) || records.get(id) !== undefined);
        return await writeNew(file, source);
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
    prune: (createdBefore) => removeEach(() => records.someBefore(createdBefore), remove),
    async check({ repair }) {
      const withoutRecord = await checkBytes({ records, bytes, repair, beingWritten });
      return { withoutRecord, withoutBytes: await checkRecords({ records, bytes, repair }) };
    },
  };
}

/** Removes what `some` names until it names none; returns how many. */
async function removeEach(some: () => string[], remove: (id: string) => Promise<unknown>): Promise<number> {
  let removed = 0;
  for (let ids = some(); ids.length > 0; ids = some()) {
    for (const id of ids) await remove(id);
    removed += ids.length;
  }
  return removed;
}

interface Check {
  records: SqliteFileRecords;
  bytes: FileBytes;
  repair: boolean;
}

async function checkBytes(check: Check & { beingWritten: ReadonlySet<string> }): Promise<number> {
  const { records, bytes, repair, beingWritten } = check;
  let faults = 0;
  for await (const { id, whole, remove } of bytes.stored()) {
    if (beingWritten.has(id) || (whole && records.get(id))) continue;
    faults += 1;
    if (repair) await remove();
  }
  return faults;
}

async function checkRecords({ records, bytes, repair }: Check): Promise<number> {
  let faults = 0;
  for (let some = records.someAfter(''); some.length > 0; some = records.someAfter(some.at(-1)?.id ?? '')) {
    for (const { id, fileSize } of some) {
      if ((await bytes.size(id)) === fileSize) continue;
      // it may have been deleted in the meantime
      if (!records.get(id)) continue;
      faults += 1;
      if (!repair) continue;
      records.remove(id);
      await bytes.remove(id);
    }
  }
  return faults;
}
