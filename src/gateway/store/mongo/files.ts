import { Readable } from 'node:stream';
import type { ObjectId } from 'mongodb';
import { EXPECTED_FILES, FILES, rangeWithin, requireNewFileId } from '../port/files.js';
import type { ExpectedFile, ExpectedFileStore, FileRecord, FileStore, NewFile } from '../store.js';
import type { MongoDatabase } from './database.js';
import { type DocumentOf, documentsOf } from './documents.js';
import { fileBytes } from './file-bytes.js';
import { insertIfAbsent } from './writes.js';

/** Milliseconds during which bytes without a record may still be written by another daemon. */
const WRITING_MS = 24 * 60 * 60_000;

/**
 * Files: records in the collection `files`, bytes in GridFS. The bytes are written before the record and deleted after it,
 * so that an interruption leaves only bytes without a record, which `check` finds. `removeAll` deletes the bytes first: an
 * interrupted deletion of a session can be repeated and leaves no bytes.
 */
export function mongoFiles(database: MongoDatabase): FileStore {
  const { run } = database;
  const records = fileRecords(database);
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

  const countBytesWithoutRecord = async (repair: boolean): Promise<number> => {
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
  };
  const countRecordsWithoutBytes = async (repair: boolean): Promise<number> => {
    let faults = 0;
    let after = '';
    for (;;) {
      const some = await run(() => records.someAfter(after));
      const sizes = await bytes.sizes(some.map(({ bytesId }) => bytesId));
      for (const { id, bytesId, fileSize } of some) {
        if (sizes.get(bytesId.toHexString()) === fileSize) continue;
        // deleted since it was listed
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
      return found && ofFiles.toRecord(found);
    },
    ofMessage: (clientId, chatRoomId, messageId) =>
      run(() => records.ofMessage(clientId, chatRoomId, messageId)),
    async open(id, range) {
      const found = await run(() => records.find(id));
      if (!found) return undefined;
      const within = rangeWithin(found, range);
      const stream = within
        ? await bytes.open(found.bytesId, within)
        : Readable.from([], { objectMode: false });
      return stream && { record: ofFiles.toRecord(found), stream };
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
    prune: (createdBefore, clientId) =>
      removeEach(() => run(() => records.someBefore(createdBefore, clientId)), remove),
    async check({ repair }) {
      const withoutRecord = await countBytesWithoutRecord(repair);
      return { withoutRecord, withoutBytes: await countRecordsWithoutBytes(repair) };
    },
  };
}

/** Removes batches of files until there are none; returns the count. */
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

/** A record and the id of its bytes. */
type FileDocument = FileRecord & { bytesId: ObjectId };

const ofFiles = documentsOf(FILES);
const ofExpected = documentsOf(EXPECTED_FILES);

/** Size of the batches that the methods `some…` return. */
const SOME = 100;

/** Records in the collection `files`. Call the methods inside `run`. */
function fileRecords({ db }: MongoDatabase) {
  const files = db.collection<FileDocument>('files');
  const ofMessage = async (clientId: string, chatRoomId: string, messageId: string) => {
    if (messageId === '') return undefined;
    // repeats the condition of the partial index, so that the server uses it
    const found = await files.findOne({
      clientId,
      chatRoomId,
      messageId,
      $and: [{ messageId: { $gt: '' } }],
    });
    return found ? ofFiles.toRecord(found) : undefined;
  };
  return {
    ofMessage,
    /** Inserts unless the message has a file; returns the stored record. */
    async putIfAbsent(document: FileDocument): Promise<FileRecord> {
      if (await insertIfAbsent(files, { ...document })) return ofFiles.toRecord(document);
      const kept = await ofMessage(document.clientId, document.chatRoomId, document.messageId);
      if (!kept) throw new TypeError(`there is a file ${document.id} already: take a new UUID`);
      return kept;
    },
    async find(id: string): Promise<FileDocument | undefined> {
      return (await files.findOne({ id })) ?? undefined;
    },
    async list(clientId: string, { page, limit }: { page: number; limit: number }) {
      const library = { clientId, messageId: { $gt: '' } };
      const [found, total] = await Promise.all([
        files
          .find(library, { batchSize: limit })
          .sort({ createdAt: -1, id: -1 })
          .skip((page - 1) * limit)
          .limit(limit)
          .toArray(),
        files.countDocuments(library),
      ]);
      return { files: found.map(ofFiles.toRecord), total };
    },
    async remove(id: string): Promise<boolean> {
      return (await files.deleteOne({ id })).deletedCount > 0;
    },
    someOf: (clientId: string) => files.find({ clientId }).limit(SOME).toArray(),
    someBefore: (createdBefore: number, clientId?: string) =>
      files
        .find({
          ...(clientId !== undefined && { clientId }),
          ...{ createdAt: { $lt: createdBefore }, messageId: { $gt: '' } },
        })
        .limit(SOME)
        .toArray(),
    /** In the order of the ids. */
    someAfter: (id: string) =>
      files
        .find({ id: { $gt: id } })
        .sort({ id: 1 })
        .limit(SOME)
        .toArray(),
    /** Those of the bytes that a record names, as hex. */
    async named(bytesIds: readonly ObjectId[]): Promise<Set<string>> {
      const found = files
        .find({ bytesId: { $in: [...bytesIds] } })
        .project<{ bytesId: ObjectId }>({ bytesId: 1 });
      return new Set((await found.toArray()).map(({ bytesId }) => bytesId.toHexString()));
    },
  };
}

/** Files that are still to be stored, in the collection `expected_files`. */
export function mongoExpectedFiles({ db, run }: MongoDatabase): ExpectedFileStore {
  const expected = db.collection<DocumentOf<ExpectedFile>>(EXPECTED_FILES.name);
  return {
    async add(file) {
      await run(() => insertIfAbsent(expected, { ...file }));
    },
    async get(id) {
      const found = await run(() => expected.findOne({ id }));
      return found ? ofExpected.toRecord(found) : undefined;
    },
    async list(clientId) {
      const found = expected.find({ clientId }).sort({ since: 1, _id: 1 });
      return (await run(() => found.toArray())).map(ofExpected.toRecord);
    },
    async remove(id) {
      await run(() => expected.deleteOne({ id }));
    },
  };
}
