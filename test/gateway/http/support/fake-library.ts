import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { MediaFile } from '../../../../src/contract/index.js';
import { GatewayError } from '../../../../src/domain/errors.js';
import type { StoredFile } from '../../../../src/gateway/services/services.js';
import type { ByteRange } from '../../../../src/gateway/store/store.js';

/** A file in memory. */
interface Kept {
  clientId: string;
  file: StoredFile;
  content: Buffer;
}

/** Files in memory. */
export class FakeLibrary {
  /** Streams that were given out. */
  readonly opened: Readable[] = [];
  /** Ids of files that are never finished. */
  readonly unfinished = new Set<string>();
  readonly #kept = new Map<string, Kept>();
  readonly #sessions: { get(clientId: string): { orgId: string } };

  constructor(sessions: { get(clientId: string): { orgId: string } }) {
    this.#sessions = sessions;
  }

  /** @returns its id */
  add(
    clientId: string,
    content: Buffer,
    facts: { mimeType?: string; fileName?: string; id?: string } = {},
  ): string {
    const { id = randomUUID(), mimeType = 'image/jpeg', fileName = 'a.jpg' } = facts;
    const sha256 = createHash('sha256').update(content).digest('hex');
    this.#kept.set(id, {
      clientId,
      content,
      file: { id, mimeType, fileName, fileSize: content.length, sha256 },
    });
    return id;
  }

  async find(id: string, signal: AbortSignal): Promise<StoredFile> {
    if (this.unfinished.has(id)) {
      if (!signal.aborted) await once(signal, 'abort');
      throw new GatewayError('file_not_ready', 'the file is still being stored');
    }
    return this.#find(id).file;
  }

  async open(id: string, range?: ByteRange): Promise<Readable> {
    const { content } = this.#find(id);
    const part = range ? content.subarray(range.start, range.end + 1) : content;
    const stream = Readable.from(pieces(part), { objectMode: false });
    this.opened.push(stream);
    return stream;
  }

  async list(clientId: string, orgId: string, { page, limit }: { page: number; limit: number }) {
    if (this.#sessions.get(clientId).orgId !== orgId) return { files: [], total: 0 };
    const all = [...this.#kept.values()].filter((kept) => kept.clientId === clientId).map(viewOf);
    return { files: all.slice((page - 1) * limit, page * limit), total: all.length };
  }

  async urlOf(id: string): Promise<{ clientId: string; url: string }> {
    return { clientId: this.#find(id).clientId, url: `https://example.com/media/${id}/a.jpg` };
  }

  #find(id: string): Kept {
    const kept = this.#kept.get(id);
    if (kept) return kept;
    throw new GatewayError('file_unknown', 'there is no such file');
  }
}

const PIECE = 64 * 1024;

function* pieces(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += PIECE) yield content.subarray(at, at + PIECE);
}

function viewOf({ clientId, file: { id, mimeType, fileName, fileSize } }: Kept): MediaFile {
  const facts = { mimeType, mediaType: 'image', fileName, fileSize, caption: '' };
  return { messageId: id, clientId, ...facts, createdAt: '2026-11-21T10:00:00.000Z' };
}
