import type { ObjectId } from 'mongodb';
import type { FileRecord } from '../store.js';
import type { MongoDatabase } from './database.js';
import { insertIfAbsent } from './put-if-absent.js';

/** A record as it is kept: `bytesId` names its bytes. */
export type FileDocument = FileRecord & { bytesId: ObjectId };

/** Records of files in the collection `files`. Call the methods inside `run`. */
export interface MongoFileRecords {
  /** Inserts unless the message has a file; returns the record that is there afterwards. */
  putIfAbsent(document: FileDocument): Promise<FileRecord>;
  find(id: string): Promise<FileDocument | undefined>;
  ofMessage(clientId: string, chatRoomId: string, messageId: string): Promise<FileRecord | undefined>;
  list(
    clientId: string,
    page: { page: number; limit: number },
  ): Promise<{ files: FileRecord[]; total: number }>;
  remove(id: string): Promise<boolean>;
  /** Some files of a session. */
  someOf(clientId: string): Promise<FileDocument[]>;
  /** Some files of messages from before that time. */
  someBefore(createdBefore: number): Promise<FileDocument[]>;
  /** Some files after that id, by id. */
  someAfter(id: string): Promise<FileDocument[]>;
  /** Those of the bytes that a record names, as hex. */
  named(bytesIds: readonly ObjectId[]): Promise<Set<string>>;
}

/** How many "some" are. */
const SOME = 100;

export function mongoFileRecords({ db }: MongoDatabase): MongoFileRecords {
  const files = db.collection<FileDocument>('files');
  const ofMessage = async (clientId: string, chatRoomId: string, messageId: string) => {
    if (messageId === '') return undefined;
    // said twice, because the index holds those with a message only
    const found = await files.findOne({
      clientId,
      chatRoomId,
      messageId,
      $and: [{ messageId: { $gt: '' } }],
    });
    return found ? toRecord(found) : undefined;
  };
  return {
    ofMessage,
    async putIfAbsent(document) {
      if (await insertIfAbsent(files, { ...document })) return toRecord(document);
      const kept = await ofMessage(document.clientId, document.chatRoomId, document.messageId);
      if (!kept) throw new TypeError(`there is a file ${document.id} already: take a new UUID`);
      return kept;
    },
    async find(id) {
      return (await files.findOne({ id })) ?? undefined;
    },
    async list(clientId, { page, limit }) {
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
      return { files: found.map(toRecord), total };
    },
    async remove(id) {
      return (await files.deleteOne({ id })).deletedCount > 0;
    },
    someOf: (clientId) => files.find({ clientId }).limit(SOME).toArray(),
    someBefore: (createdBefore) =>
      files
        .find({ createdAt: { $lt: createdBefore }, messageId: { $gt: '' } })
        .limit(SOME)
        .toArray(),
    someAfter: (id) =>
      files
        .find({ id: { $gt: id } })
        .sort({ id: 1 })
        .limit(SOME)
        .toArray(),
    async named(bytesIds) {
      const found = files
        .find({ bytesId: { $in: [...bytesIds] } })
        .project<{ bytesId: ObjectId }>({ bytesId: 1 });
      return new Set((await found.toArray()).map(({ bytesId }) => bytesId.toHexString()));
    },
  };
}

/** What the port tells of a file. */
export function toRecord({ id, clientId, chatRoomId, messageId, ...rest }: FileDocument): FileRecord {
  const { mimeType, mediaType, fileName, fileSize, sha256, caption, createdAt } = rest;
  return {
    ...{
      id,
      clientId,
      chatRoomId,
      messageId,
      mimeType,
      mediaType,
      fileName,
      fileSize,
      sha256,
      caption,
      createdAt,
    },
  };
}
