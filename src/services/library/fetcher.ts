import { Readable } from 'node:stream';
import { parseJid } from '../../domain/address.js';
import { GatewayError, isGatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { MediaExtra } from '../../events/extras.js';
import { readContent } from '../../kinds/index.js';
import type { LinkFactory, MediaMessage, MediaSource, MessageContent } from '../../link/link.js';
import type { ExpectedFile, FileRecord, HistoryMessage, NewFile, Store } from '../../store/store.js';
import { liveLink } from '../live-links.js';
import { referenceTo } from '../send/earlier-messages.js';
import type { SessionSource } from '../send/paired.js';
import { mediaSource } from './media-source.js';

export interface FetcherOptions {
  store: Pick<Store, 'history' | 'files' | 'expectedFiles'>;
  links: Pick<LinkFactory, 'decode' | 'download'>;
  sessions: SessionSource;
}

/** A stored message that names a file. */
interface FileMessage {
  row: HistoryMessage;
  content: MessageContent;
  media: MediaExtra;
  source: MediaSource;
}

/** Takes the file of a stored message from the network into the store, in pieces. */
export class FileFetcher {
  readonly #options: FetcherOptions;

  constructor(options: FetcherOptions) {
    this.#options = options;
  }

  /**
   * One attempt. A message that is not there any more has no file to be stored.
   * @returns false when there was nothing to do
   * @throws GatewayError `media_gone` when neither the network nor the phone has it (of messages of the past the phone is
   * not asked); media_too_large, media_unfetchable, media_phone_silent, session_not_connected, session_unpaired,
   * store_unavailable; the reason of the signal
   */
  async store(expected: ExpectedFile, signal: AbortSignal): Promise<boolean> {
    const message = await this.#find(expected);
    if (!message) {
      await this.#requireRoom(expected);
      return false;
    }
    const { files } = this.#options.store;
    const { id } = await this.#write(expected, message, signal);
    if (id !== expected.id) await this.#replace(id);
    try {
      await this.#requireRoom(expected);
      // the message may have been deleted meanwhile, with the files that were there
      if (!(await this.#rowOf(expected))) await files.remove(id);
    } catch (error) {
      await files.remove(id);
      throw error;
    }
    return true;
  }

  async #write(expected: ExpectedFile, message: FileMessage, signal: AbortSignal): Promise<FileRecord> {
    const stream = await this.#open(expected, message, signal);
    try {
      return await this.#options.store.files.write(newFile(expected, message), limited(stream));
    } finally {
      // a store that fails before it reads leaves the connection open behind it
      stream.destroy();
    }
  }

  /** A message that was in two rooms, which are one now, may have a file that it does not name: its own is in the way. */
  async #replace(id: string): Promise<never> {
    await this.#options.store.files.remove(id);
    throw new GatewayError('media_unfetchable', 'The message had a file that it did not name.');
  }

  /** What was done in the name of a room that got another one meanwhile is done again. */
  async #requireRoom({ id, chatRoomId }: ExpectedFile): Promise<void> {
    const current = await this.#options.store.expectedFiles.get(id);
    if (!current || current.chatRoomId === chatRoomId) return;
    throw new GatewayError('media_unfetchable', 'The room of the file got another name while it was stored.');
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

  /** What the network does not have any more, the phone uploads again. */
  async #open(expected: ExpectedFile, message: FileMessage, signal: AbortSignal): Promise<Readable> {
    const { links } = this.#options;
    try {
      return await links.download(message.source, signal);
    } catch (error) {
      if (expected.past || !isGatewayError(error, 'media_gone')) throw error;
      const place = await this.#renew(expected, message);
      signal.throwIfAborted();
      return links.download({ ...message.source, ...place }, signal);
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

/** What a message tells of its file's size may be wrong. */
function limited(stream: Readable): Readable {
  return Readable.from(within(stream, LIMITS.libraryFileBytes), { objectMode: false });
}

async function* within(stream: Readable, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const piece of stream) {
    left -= piece.length;
    if (left < 0) {
      throw new GatewayError('media_too_large', `The file has more than ${bytes / 1024 / 1024} MB.`);
    }
    yield piece;
  }
}

function newFile({ id, clientId, chatRoomId, messageId }: ExpectedFile, message: FileMessage): NewFile {
  const { mimeType, mediaType, fileName, caption } = message.media;
  return {
    id,
    clientId,
    chatRoomId,
    messageId,
    mimeType,
    mediaType,
    fileName,
    caption,
    // as old as its message: both are pruned by the same date
    createdAt: message.row.sentAt,
  };
}
