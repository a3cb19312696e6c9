import type { Readable } from 'node:stream';
import type { MediaFile } from '../../../contract/index.js';
import { GatewayError, unknownSession } from '../../../domain/errors.js';
import type { ByteRange, FileRecord, Store } from '../../store/store.js';
import type { FileKeeper } from './file-keeper.js';
import { type FileLinks, shownName } from './file-links.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A stored file for download. */
export interface StoredFile {
  id: string;
  /** MIME type that the sender declared. */
  mimeType: string;
  /** Never empty, without folders and control characters. */
  fileName: string;
  /** Bytes. */
  fileSize: number;
  /** SHA-256 of the bytes, in hex. */
  sha256: string;
}

/**
 * Stored files as callers and the public see them, by their unguessable ids. Every node can answer, because the files are
 * in the store. All methods throw file_unknown.
 */
export class MediaLibrary {
  readonly #options;

  constructor(options: {
    store: Pick<Store, 'sessions' | 'history' | 'files' | 'expectedFiles'>;
    keeper: Pick<FileKeeper, 'settled'>;
    links: Pick<FileLinks, 'linkTo'>;
  }) {
    this.#options = options;
  }

  /**
   * Waits for a file that is still being stored, for at most 60 s.
   * @param signal ends the waiting
   * @throws file_not_ready
   */
  async find(id: string, signal: AbortSignal): Promise<StoredFile> {
    const { store, keeper } = this.#options;
    if (!UUID.test(id)) throw unknownFile();
    const found = await store.files.get(id);
    if (found) return storedFile(found);
    const isSettled = await keeper.settled(id, signal);
    const stored = await store.files.get(id);
    if (stored) return storedFile(stored);
    if (isSettled) throw unknownFile();
    throw new GatewayError('file_not_ready', 'the file is still being stored; try again in a minute');
  }

  /** The bytes of a file, or a range within them. The caller reads the stream to its end or destroys it. */
  async open(id: string, range?: ByteRange): Promise<Readable> {
    const opened = await this.#options.store.files.open(id, range);
    if (!opened) throw unknownFile();
    return opened.stream;
  }

  /**
   * One page of a session's files, newest first; none for an orgId that is not the session's.
   * @param page from 1
   * @throws session_unknown
   */
  async list(
    clientId: string,
    orgId: string,
    page: { page: number; limit: number },
  ): Promise<{ files: MediaFile[]; total: number }> {
    const { sessions, files } = this.#options.store;
    const session = await sessions.get(clientId);
    if (!session) throw unknownSession(clientId);
    if (session.orgId !== orgId) return { files: [], total: 0 };
    const { files: records, total } = await files.list(clientId, page);
    return { files: records.map(mediaFileView), total };
  }

  /** The session of the file, and its permanent link. */
  async urlOf(id: string): Promise<{ clientId: string; url: string }> {
    const { links, store } = this.#options;
    const { files, expectedFiles, history } = store;
    if (!UUID.test(id)) throw unknownFile();
    const stored = await files.get(id);
    if (stored) return { clientId: stored.clientId, url: links.linkTo(id, stored) };
    const expected = await expectedFiles.get(id);
    if (!expected) throw unknownFile();
    const { clientId, chatRoomId, messageId } = expected;
    const row = await history.message(clientId, chatRoomId, messageId);
    if (!row?.media) throw unknownFile();
    return { clientId, url: links.linkTo(id, row.media) };
  }
}

function storedFile(record: FileRecord): StoredFile {
  const { id, mimeType, fileSize, sha256 } = record;
  return { id, mimeType, fileName: shownName(record), fileSize, sha256 };
}

function mediaFileView({ id, ...record }: FileRecord): MediaFile {
  const { clientId, mimeType, mediaType, fileName, fileSize, caption, createdAt } = record;
  return {
    messageId: id,
    clientId,
    mimeType,
    mediaType,
    fileName,
    fileSize,
    caption,
    createdAt: new Date(createdAt).toISOString(),
  };
}

function unknownFile(): GatewayError {
  return new GatewayError('file_unknown', 'there is no such file, or it was deleted');
}
