import { createHash } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { collection, type RecordOf } from './fields.js';

/** Files of the hosted inbox, without their bytes. */
export const FILES = collection('files', {
  /** UUID; knowing it grants access to the file. */
  id: { is: 'text' },
  clientId: { is: 'text' },
  chatRoomId: { is: 'text' },
  /** The message with this file; empty for the picture of a room, which the media library does not list. */
  messageId: { is: 'text' },
  mimeType: { is: 'text' },
  mediaType: { is: 'text' },
  fileName: { is: 'text', sealed: ['id'] },
  /** Bytes. */
  fileSize: { is: 'number' },
  /** Hex hash of the bytes. */
  sha256: { is: 'text' },
  caption: { is: 'text', sealed: ['id'] },
  /** Milliseconds since the epoch. */
  createdAt: { is: 'number' },
});

export type FileRecord = RecordOf<typeof FILES>;

/** A file before its bytes are read. */
export type NewFile = Omit<FileRecord, 'fileSize' | 'sha256'>;

/** Positions of the first and last byte, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Inconsistencies that an interrupted write or manual changes on the disk left behind. */
export interface FileFaults {
  /** Stored bytes, complete or not, without a record. */
  withoutRecord: number;
  /** Records whose bytes are missing or of another size. */
  withoutBytes: number;
}

/** Files of the hosted inbox. Bytes are streamed in bounded pieces. */
export interface FileStore {
  /**
   * Stores a file. A message has one file: if it is stored already, returns it and does not read the source. Destroys the
   * source in any case; leaves nothing behind on failure.
   * @param file `id` is a new UUID
   * @throws the source's own error, unchanged
   */
  write(file: NewFile, source: Readable): Promise<FileRecord>;
  get(id: string): Promise<FileRecord | undefined>;
  /** The file of a message. */
  ofMessage(clientId: string, chatRoomId: string, messageId: string): Promise<FileRecord | undefined>;
  /**
   * A file and its bytes, or a range of them; undefined if either is missing. The caller reads the stream to its end or
   * destroys it.
   * @throws RangeError if the range is outside of the file
   */
  open(id: string, range?: ByteRange): Promise<{ record: FileRecord; stream: Readable } | undefined>;
  /**
   * One page of a session's media library, newest first; files of the same time by their ids, backwards.
   * @param page from 1; `limit` at least 1
   * @returns `total` counts all pages
   */
  list(
    clientId: string,
    page: { page: number; limit: number },
  ): Promise<{ files: FileRecord[]; total: number }>;
  /** Deletes a file; false if there is none. */
  remove(id: string): Promise<boolean>;
  /** Deletes the files of a session; returns the count. */
  removeAll(clientId: string): Promise<number>;
  /** Deletes files of messages from before the given time, of one session or of all; returns the count. Room pictures stay. */
  prune(createdBefore: number, clientId?: string): Promise<number>;
  /** Counts inconsistencies, and deletes them with `repair`. Files that are being written are not counted. */
  check(options: { repair: boolean }): Promise<FileFaults>;
}

/** Files that recorded messages have and that are not stored yet. */
export const EXPECTED_FILES = collection('expected_files', {
  /** The UUID that the stored file will have. */
  id: { is: 'text' },
  clientId: { is: 'text' },
  chatRoomId: { is: 'text' },
  messageId: { is: 'text' },
  /** Milliseconds since the epoch. */
  since: { is: 'number' },
  /** Part of an imported history: stored last, and the phone is not asked to upload it again. */
  past: { is: 'flag' },
});

export type ExpectedFile = RecordOf<typeof EXPECTED_FILES>;

/** The files that are still to be stored; a restart continues with them. */
export interface ExpectedFileStore {
  /** Inserts if absent by id. */
  add(file: ExpectedFile): Promise<void>;
  get(id: string): Promise<ExpectedFile | undefined>;
  /** The expected files of a session, oldest first. */
  list(clientId: string): Promise<ExpectedFile[]>;
  remove(id: string): Promise<void>;
}

/** Marks a failure of the source, as opposed to one of the store; `cause` is the source's error. */
export class SourceFailure extends Error {
  override name = 'SourceFailure';
}

/**
 * Copies a source to a sink, counting and hashing the bytes. Destroys both in any case.
 *
 * @throws SourceFailure if the source fails; errors of the sink unchanged
 */
export async function copyAndHash(
  source: Readable,
  sink: Writable,
): Promise<{ fileSize: number; sha256: string }> {
  const hash = createHash('sha256');
  let fileSize = 0;
  const measured = async function* () {
    try {
      for await (const chunk of source) {
        hash.update(chunk);
        fileSize += chunk.length;
        yield chunk;
      }
    } catch (cause) {
      throw new SourceFailure('the source of a file failed', { cause });
    }
  };
  // without this, a silent source would keep a failed sink waiting
  sink.once('error', () => source.destroy());
  try {
    await pipeline(measured, sink);
  } finally {
    source.destroy();
  }
  return { fileSize, sha256: hash.digest('hex') };
}

/**
 * The given range, or the range of the whole file.
 *
 * @returns undefined if the file is empty
 * @throws RangeError if the range is outside of the file
 */
export function rangeWithin({ fileSize }: FileRecord, range?: ByteRange): ByteRange | undefined {
  const { start, end } = range ?? { start: 0, end: fileSize - 1 };
  if (!range && fileSize === 0) return undefined;
  if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end < fileSize) {
    return { start, end };
  }
  throw new RangeError(`bytes ${start} to ${end} are not within a file of ${fileSize} bytes`);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Checks the id of a new file: it becomes a file name, and must be unguessable.
 * @throws TypeError if the id is no UUID, or is taken
 */
export function requireNewFileId(id: string, taken: boolean): void {
  if (!UUID.test(id)) throw new TypeError('the id of a file must be a UUID in lower case');
  if (taken) throw new TypeError(`there is a file ${id} already: take a new UUID`);
}
