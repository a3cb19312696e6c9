import type { Readable } from 'node:stream';

/** A file of the hosted inbox, without its bytes. */
export interface FileRecord {
  /** UUID: whoever knows it may fetch the file. */
  id: string;
  clientId: string;
  chatRoomId: string;
  /** Of the message that it came with; empty for the picture of a room, which the media library does not list. */
  messageId: string;
  mimeType: string;
  mediaType: string;
  fileName: string;
  /** Bytes. */
  fileSize: number;
  /** Of the bytes, in hex. */
  sha256: string;
  caption: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** A file that is about to be stored; what else is to know of it shows as its bytes go by. */
export type NewFile = Omit<FileRecord, 'fileSize' | 'sha256'>;

/** Part of a file: the positions of its first and last byte, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/** What an interrupted write or a hand on the disk left behind. */
export interface FileFaults {
  /** Stored bytes, also parts of them, that no record names. */
  withoutRecord: number;
  /** Records whose bytes are gone or of another size. */
  withoutBytes: number;
}

/** Files of the hosted inbox. Their bytes go in and out as streams, in bounded pieces. */
export interface FileStore {
  /**
   * Stores a file. A message has one: when it has one already, that one is answered and the source is not read. In the
   * end the source is destroyed; on failure nothing of the file is left.
   * @param file `id` a new UUID
   * @throws what the source fails with, as it is
   */
  write(file: NewFile, source: Readable): Promise<FileRecord>;
  get(id: string): Promise<FileRecord | undefined>;
  /** The file of a message. */
  ofMessage(clientId: string, chatRoomId: string, messageId: string): Promise<FileRecord | undefined>;
  /**
   * A file and its bytes, or a part of them; undefined when either is not there. The caller reads the stream to its end or
   * destroys it.
   * @throws RangeError when the range is not within the file
   */
  open(id: string, range?: ByteRange): Promise<{ record: FileRecord; stream: Readable } | undefined>;
  /**
   * One page of a session's media library, newest first.
   * @param page from 1; `limit` at least 1
   * @returns `total` counts all pages
   */
  list(
    clientId: string,
    page: { page: number; limit: number },
  ): Promise<{ files: FileRecord[]; total: number }>;
  /** Deletes a file; false when there is none. */
  remove(id: string): Promise<boolean>;
  /** Deletes the files of a session; returns how many. */
  removeAll(clientId: string): Promise<number>;
  /** Deletes the files of messages from before the given time, of all sessions; returns how many. Rooms keep their pictures. */
  prune(createdBefore: number): Promise<number>;
  /** Looks for what does not belong together, and deletes it with `repair`. What is just being written is no fault. */
  check(options: { repair: boolean }): Promise<FileFaults>;
}
