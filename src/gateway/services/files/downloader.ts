import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { MediaExtra } from '../../../contract/events/extras.js';
import { parseJid } from '../../../domain/address.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import { readContent } from '../../kinds/index.js';
import type { LinkFactory, MediaMessage, MediaSource, MessageContent } from '../../link/link.js';
import type { ExpectedFile, FileRecord, HistoryMessage, NewFile, Store } from '../../store/store.js';
import { liveLink, referenceTo, type SessionSource } from '../access.js';

/** A stored message with a file. */
interface FileMessage {
  row: HistoryMessage;
  content: MessageContent;
  media: MediaExtra;
  source: MediaSource;
}

/** Streams the file of a stored message from the network into the store. */
export class FileDownloader {
  readonly #options;

  constructor(options: {
    store: Pick<Store, 'history' | 'files' | 'expectedFiles'>;
    links: Pick<LinkFactory, 'decode' | 'download'>;
    sessions: SessionSource;
  }) {
    this.#options = options;
  }

  /**
   * Makes one attempt.
   * @param localPath the file on this machine's disk, in place of the network
   * @returns false when the file is stored already, or its message does not exist
   * @throws GatewayError `media_gone` when neither the network nor the phone has the file (the phone is not asked for files
   * of past messages); media_too_large, media_unfetchable, media_phone_silent, session_not_connected, session_unpaired,
   * store_unavailable; the reason of the signal
   */
  async store(expected: ExpectedFile, signal: AbortSignal, localPath?: string): Promise<boolean> {
    const message = await this.#find(expected);
    if (!message) {
      await this.#requireRoom(expected);
      return false;
    }
    const { files } = this.#options.store;
    const { id } = await this.#write(expected, message, signal, localPath);
    if (id !== expected.id) await this.#replace(id);
    try {
      await this.#requireRoom(expected);
      // the message may have been deleted meanwhile, for everyone or here, with the files that it had then
      if ((await this.#rowOf(expected))?.fileId !== expected.id) await files.remove(id);
    } catch (error) {
      await files.remove(id);
      throw error;
    }
    return true;
  }

  async #write(
    expected: ExpectedFile,
    message: FileMessage,
    signal: AbortSignal,
    localPath: string | undefined,
  ): Promise<FileRecord> {
    const stream =
      localPath === undefined ? await this.#open(expected, message, signal) : openLocal(localPath, signal);
    try {
      return await this.#options.store.files.write(newFile(expected, message), limited(stream));
    } finally {
      // a store that fails before it reads leaves the connection open
      stream.destroy();
    }
  }

  /** Two rooms that were merged may both have stored a file of the message: removes the one that its row does not name. */
  async #replace(id: string): Promise<never> {
    await this.#options.store.files.remove(id);
    throw new GatewayError('media_unfetchable', 'the message had a stored file with another id');
  }

  /** Fails the attempt when the room was renamed meanwhile, so that it is repeated with the new id. */
  async #requireRoom({ id, chatRoomId }: ExpectedFile): Promise<void> {
    const current = await this.#options.store.expectedFiles.get(id);
    if (!current || current.chatRoomId === chatRoomId) return;
    throw new GatewayError('media_unfetchable', 'the room was renamed while its file was stored');
  }

  #rowOf({ clientId, chatRoomId, messageId }: ExpectedFile): Promise<HistoryMessage | undefined> {
    return this.#options.store.history.message(clientId, chatRoomId, messageId);
  }

  async #find(expected: ExpectedFile): Promise<FileMessage | undefined> {
    const { store, links } = this.#options;
    const row = await this.#rowOf(expected);
    if (row?.fileId !== expected.id || (await store.files.get(expected.id))) return undefined;
    const content = links.decode(row.content);
    const media = readContent(content).reading.extra?.media;
    const source = media && mediaSource(media);
    return source && { row, content, media, source };
  }

  /** If the network has deleted the file, the phone is asked to upload it again. */
  async #open(expected: ExpectedFile, message: FileMessage, signal: AbortSignal): Promise<Readable> {
    const { links, sessions } = this.#options;
    const { proxy } = sessions.find(expected.clientId).record;
    try {
      return await links.download(message.source, proxy, signal);
    } catch (error) {
      if (expected.past || !isGatewayError(error, 'media_gone')) throw error;
      const location = await this.#renew(expected, message);
      signal.throwIfAborted();
      return links.download({ ...message.source, ...location }, proxy, signal);
    }
  }

  async #renew({ clientId, chatRoomId }: ExpectedFile, { row, content }: FileMessage) {
    const { sessions, store } = this.#options;
    const room = await store.history.room(clientId, chatRoomId);
    const chat = parseJid(room?.remoteJid ?? '');
    if (!room || !chat) throw new Error('a stored message has a room with an address');
    const link = await liveLink(sessions, clientId);
    const reference = referenceTo(sessions.find(clientId), chat, row);
    const message: MediaMessage = { ...reference, chat: room.remoteJid, content };
    return link.renewMedia(message);
  }
}

/** @throws the reason of a signal that is aborted: a stream would report it before anybody listens */
function openLocal(path: string, signal: AbortSignal): Readable {
  signal.throwIfAborted();
  return createReadStream(path, { signal });
}

/** The size that a message states may be wrong. */
function limited(stream: Readable): Readable {
  return Readable.from(within(stream, LIMITS.libraryFileBytes), { objectMode: false });
}

async function* within(stream: Readable, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const piece of stream) {
    left -= piece.length;
    if (left < 0) {
      throw new GatewayError('media_too_large', `the file has more than ${bytes / 1024 / 1024} MB.`);
    }
    yield piece;
  }
}

function newFile({ id, clientId, chatRoomId, messageId }: ExpectedFile, message: FileMessage): NewFile {
  const { mimeType, mediaType, caption } = message.media;
  return {
    id,
    clientId,
    chatRoomId,
    messageId,
    mimeType,
    mediaType,
    // the content of an own picture has no file name
    fileName: message.row.media?.fileName ?? '',
    caption,
    // the message's date, so that pruning removes message and file together
    createdAt: message.row.sentAt,
  };
}

const TYPES: readonly MediaSource['mediaType'][] = ['image', 'video', 'audio', 'document', 'sticker'];

/** Location and key of a message's file; undefined when the message lacks them. */
export function mediaSource({ mediaType: named, download }: MediaExtra): MediaSource | undefined {
  const mediaType = TYPES.find((type) => type === named);
  const { url, directPath, mediaKey, fileSha256, fileEncSha256 } = download;
  if (!mediaType || mediaKey === '' || (url === '' && directPath === '')) return undefined;
  return {
    mediaType,
    url,
    directPath,
    mediaKey: Buffer.from(mediaKey, 'base64'),
    fileSha256: Buffer.from(fileSha256, 'base64'),
    fileEncSha256: Buffer.from(fileEncSha256, 'base64'),
  };
}
