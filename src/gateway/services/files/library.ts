import type { Readable } from 'node:stream';
import type { MediaFile } from '../../../contract/index.js';
import { GatewayError, unknownSession } from '../../../domain/errors.js';
import type { ByteRange, FileRecord, Store } from '../../store/store.js';
import type { Library, StoredFile } from '../services.js';
import type { FileKeeper } from './file-keeper.js';
import { fileNameOf } from './file-types.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Stored files as callers and the public see them. Every node can answer, because the files are in the store. */
export class MediaLibrary implements Library {
  readonly #options;

  constructor(options: {
    store: Pick<Store, 'sessions' | 'history' | 'files' | 'expectedFiles'>;
    keeper: Pick<FileKeeper, 'settled'>;
    /** Public address of this service, without a slash at its end. */
    publicUrl(): string;
  }) {
    this.#options = options;
  }

  /** The permanent link to a file. */
  linkTo(id: string, file: NamedFile): string {
    return fileLink(`${this.#options.publicUrl()}/media`, id, file);
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
    const { files, expectedFiles, history } = this.#options.store;
    if (!UUID.test(id)) throw unknownFile();
    const stored = await files.get(id);
    if (stored) return { clientId: stored.clientId, url: this.linkTo(id, stored) };
    const expected = await expectedFiles.get(id);
    if (!expected) throw unknownFile();
    const { clientId, chatRoomId, messageId } = expected;
    const row = await history.message(clientId, chatRoomId, messageId);
    if (!row?.media) throw unknownFile();
    return { clientId, url: this.linkTo(id, row.media) };
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

/** A file's name and type. */
interface NamedFile {
  /** Chosen by the sender; may be empty. */
  fileName: string;
  mimeType: string;
}

/** Characters that `encodeURIComponent` leaves, but that could end a link in a text or an attribute. */
const LEFT = /['()*!]/g;

/** The name under which a file is served: never empty, without folders and invisible characters. */
function shownName({ fileName, mimeType }: NamedFile): string {
  // replaces lone surrogates, which JSON can hold and URLs cannot
  return fileNameOf([Buffer.from(fileName).toString()], mimeType);
}

function fileLink(mediaBase: string, id: string, file: NamedFile): string {
  const name = encodeURIComponent(shownName(file)).replace(LEFT, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `${mediaBase}/${id}/${name}`;
}
