import { Readable } from 'node:stream';
import type { ObjectId } from 'mongodb';
import { rangeWithin, requireNewFileId } from '../incoming-file.js';
import type { FileRecord, FileStore, NewFile } from '../store.js';
import type { MongoDatabase } from './database.js';
import { type FileBytes, fileBytes } from './file-bytes.js';
import { type FileDocument, type MongoFileRecords, mongoFileRecords, toRecord } from './file-records.js';

/** Milliseconds for which bytes without a record may still be written by another daemon. */
const WRITING_MS = 24 * 60 * 60_000;

/**
 * Files: records in the collection `files`, bytes in GridFS. Bytes are there before their record and go after it, so that
 * what an interruption leaves are bytes that no record names, which `check` finds. With their session they go before it:
 * an interrupted deletion can be repeated and leaves none.
 */
export function mongoFiles(database: MongoDatabase): FileStore {
  const { run } = database;
  const records = mongoFileRecords(database);
  const bytes = fileBytes(database);

  const keep = async (file: NewFile, source: Readable): Promise<FileRecord> => {
    const measured = await bytes.write(source);
    let kept: FileRecord | undefined;
    try {
      kept = await run(() => records.putIfAbsent({ ...file, ...measured }));
      return kept;
    } finally {
      if (kept && kept.id !== file.id) await bytes.remove(measured.bytesId);
    }
  };
  const remove = async ({ id, bytesId }: FileDocument): Promise<boolean> => {
    const removed = await run(() => records.remove(id));
    if (removed) await bytes.remove(bytesId);
    return removed;
  };

  return {
    async write(file, source) {
      const { id, clientId, chatRoomId, messageId } = file;
      try {
        const known = await run(() => records.ofMessage(clientId, chatRoomId, messageId));
        if (known) return known;
        requireNewFileId(id, (await run(() => records.find(id))) !== undefined);
        return await keep(file, source);
      } finally {
        source.destroy();
      }
    },
    async get(id) {
      const found = await run(() => records.find(id));
      return found && toRecord(found);
    },
    ofMessage: (clientId, chatRoomId, messageId) =>
      run(() => records.ofMessage(clientId, chatRoomId, messageId)),
    async open(id, range) {
      const found = await run(() => records.find(id));
      if (!found) return undefined;
      const within = rangeWithin(found, range);
      const stream = within ? await bytes.open(found.bytesId, within) : Readable.from([]);
      return stream && { record: toRecord(found), stream };
    },
    list: (clientId, page) => run(() => records.list(clientId, page)),
    async remove(id) {
      const found = await run(() => records.find(id));
      return found ? remove(found) : false;
    },
    removeAll: (clientId) =>
      removeEach(
        () => run(() => records.someOf(clientId)),
        async ({ id, bytesId }) => {
          await bytes.remove(bytesId);
          await run(() => records.remove(id));
        },
      ),
    prune: (createdBefore) => removeEach(() => run(() => records.someBefore(createdBefore)), remove),
    async check({ repair }) {
      const check = { run, records, bytes, repair };
      const withoutRecord = await checkBytes(check);
      return { withoutRecord, withoutBytes: await checkRecords(check) };
    },
  };
}

/** Removes what `some` names until it names none; returns how many. */
async function removeEach(
  some: () => Promise<FileDocument[]>,
  remove: (file: FileDocument) => Promise<unknown>,
): Promise<number> {
  let removed = 0;
  for (let files = await some(); files.length > 0; files = await some()) {
    for (const file of files) await remove(file);
    removed += files.length;
  }
  return removed;
}

interface Check extends Pick<MongoDatabase, 'run'> {
  records: MongoFileRecords;
  bytes: FileBytes;
  repair: boolean;
}

async function checkBytes({ run, records, bytes, repair }: Check): Promise<number> {
  const faults = new Set<string>();
  const isOld = (id: ObjectId) => id.getTimestamp().getTime() < Date.now() - WRITING_MS;
  for await (const stored of bytes.stored()) {
    const old = stored.filter(isOld);
    const named = await run(() => records.named(old));
    for (const bytesId of old) {
      if (named.has(bytesId.toHexString())) continue;
      faults.add(bytesId.toHexString());
      if (repair) await bytes.remove(bytesId);
    }
  }
  return faults.size;
}

async function checkRecords({ run, records, bytes, repair }: Check): Promise<number> {
  let faults = 0;
  let after = '';
  for (;;) {
    const some = await run(() => records.someAfter(after));
    const sizes = await bytes.sizes(some.map(({ bytesId }) => bytesId));
    for (const { id, bytesId, fileSize } of some) {
      if (sizes.get(bytesId.toHexString()) === fileSize) continue;
      // it may have been deleted in the meantime
      if (!(await run(() => records.find(id)))) continue;
      faults += 1;
      if (!repair) continue;
      await run(() => records.remove(id));
      await bytes.remove(bytesId);
    }
    const last = some.at(-1);
    if (!last) return faults;
    after = last.id;
  }
}
