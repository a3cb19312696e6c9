import type { Readable } from 'node:stream';
import type { MediaFile } from '../../../contract/index.js';
import { GatewayError, unknownSession } from '../../../domain/errors.js';
import type { ByteRange, FileRecord, Store } from '../../store/store.js';
import type { Library, StoredFile } from '../services.js';
import type { FileKeeper } from './file-keeper.js';
import { type FileLinks, shownName } from './file-links.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Stored files as callers and the public see them. Every node can answer, because the files are in the store. */
export class MediaLibrary implements Library {
  readonly #options;

  constructor(options: {
    store: Pick<Store, 'sessions' | 'history' | 'files' | 'expectedFiles'>;
    keeper: Pick<FileKeeper, 'settled'>;
    links: Pick<FileLinks, 'linkTo'>;
  }) {
    this.#options = options;
  }

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

  async open(id: string, range?: ByteRange): Promise<Readable> {
    const opened = await this.#options.store.files.open(id, range);
    if (!opened) throw unknownFile();
    return opened.stream;
  }

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
