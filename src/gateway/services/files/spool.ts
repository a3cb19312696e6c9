import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { GatewayError } from '../../../domain/errors.js';
import { nextFileSlice } from '../../../domain/file-slices.js';
import { LIMITS } from '../../../domain/limits.js';

/** Milliseconds after which the folder of a run on another machine counts as abandoned: its process cannot be checked. */
const FOREIGN_RUN_MS = 24 * 60 * 60_000;
/** A large buffer: each write has a fixed cost. */
const NEW_FILE = { flags: 'wx', mode: 0o600, highWaterMark: 1024 * 1024 };
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** A step of a pipeline: passes each chunk on, or throws to refuse the whole stream. */
export type Passage = (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

/** A file that the caller uploaded, on this machine's disk until `discard`. */
export interface SpooledFile {
  path: string;
  /** Bytes. */
  size: number;
  /** Hex SHA-256. */
  sha256: string;
  discard(): Promise<void>;
}

/** A file on disk, until it is discarded. */
export type LocalFile = Pick<SpooledFile, 'path' | 'discard'>;

/** A file with several users, which is removed when the last one has discarded it. */
class SharedFile {
  readonly #path;
  readonly #remove;
  #users = 0;

  constructor(path: string, remove: () => Promise<void>) {
    this.#path = path;
    this.#remove = remove;
  }

  use(): LocalFile {
    this.#users += 1;
    let isUsed = true;
    const discard = async () => {
      if (!isUsed) return;
      isUsed = false;
      this.#users -= 1;
      if (this.#users === 0) await this.#remove();
    };
    return { path: this.#path, discard };
  }
}

/** Temporary files of this process, in a folder that no other user of the machine can read. */
export class Spool {
  readonly #root: string;
  readonly #folder: string;
  /** Bytes of the files on disk, by session. */
  readonly #bytes = new Map<string, number>();
  /** The files on disk, by session and SHA-256. */
  readonly #shared = new Map<string, SharedFile>();
  #files = 0;

  readonly #maxBytes: number;

  /**
   * @param root may be shared with other processes, on this machine or another
   * @param maxBytes of the files of one session at the same time
   */
  constructor(root: string, maxBytes: number = LIMITS.uploadsOfSessionBytes) {
    this.#maxBytes = maxBytes;
    this.#root = root;
    this.#folder = join(root, `${process.pid}@${hostname()}`);
  }

  /** The files on disk that were uploaded or fetched, also those that are being written. */
  onDisk(): { files: number; bytes: number } {
    const bytes = [...this.#bytes.values()].reduce((sum, ofSession) => sum + ofSession, 0);
    return { files: this.#files, bytes };
  }

  /** Creates the folder, and removes those of crashed runs. */
  async start(): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#root)) {
      const path = join(this.#root, name);
      if (await isLeftOver(name, path)) await rm(path, { recursive: true, force: true });
    }
    await mkdir(this.#folder, { mode: 0o700 });
  }

  /** Removes the folder with everything in it. */
  async stop(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  /**
   * Writes an uploaded stream to disk.
   * @throws media_too_large, too_many_uploads, store_unavailable; no file is left behind
   */
  take(clientId: string, stream: Readable): Promise<SpooledFile> {
    return this.write(clientId, stream, atMost(LIMITS.uploadBytes));
  }

  /**
   * Writes a stream through `passage` to disk.
   * @throws what the stream or the passage throw, too_many_uploads, store_unavailable
   */
  async write(clientId: string, stream: Readable, passage: Passage): Promise<SpooledFile> {
    const { path, discard: remove } = this.newFile();
    const hash = createHash('sha256');
    let size = 0;
    let counted = 0;
    let isRemoved = false;
    const count = (bytes: number) => {
      // a piece of a failed stream that was still waiting
      if (isRemoved) return;
      counted += bytes;
      this.#count(clientId, bytes);
    };
    async function* weigh(source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        await nextFileSlice();
        hash.update(chunk);
        size += chunk.length;
        count(chunk.length);
        yield chunk;
      }
    }
    let name = '';
    const shared = new SharedFile(path, async () => {
      if (this.#shared.get(name) === shared) this.#shared.delete(name);
      this.#files -= 1;
      count(-counted);
      isRemoved = true;
      await remove();
    });
    const { discard } = shared.use();
    this.#files += 1;
    const file = createWriteStream(path, NEW_FILE);
    try {
      await pipeline(stream, passage, weigh, file);
    } catch (error) {
      // a stream may fail before its file is created: removed too early, the file would stay
      await finished(file).catch(() => undefined);
      await discard();
      throw isFull(error) ? noRoom(error) : error;
    }
    const sha256 = hash.digest('hex');
    name = nameOf(clientId, sha256);
    this.#shared.set(name, shared);
    return { path, size, sha256, discard };
  }

  /**
   * Keeps a file on disk until this user discards it, too. The file still counts for the limit of its session. Keeps no
   * file while the files of the session use more than half of that limit, or those of all sessions together more than the
   * whole limit.
   * @param sha256 in hex
   * @returns undefined if the file is missing, or is not kept
   */
  hold(clientId: string, sha256: string): LocalFile | undefined {
    const ofSession = this.#bytes.get(clientId) ?? 0;
    if (ofSession > this.#maxBytes / 2 || this.onDisk().bytes > this.#maxBytes) return undefined;
    return this.#shared.get(nameOf(clientId, sha256))?.use();
  }

  /** @throws GatewayError too_many_uploads */
  #count(clientId: string, bytes: number): void {
    const total = (this.#bytes.get(clientId) ?? 0) + bytes;
    if (total > 0) this.#bytes.set(clientId, total);
    else this.#bytes.delete(clientId);
    if (bytes <= 0 || total <= this.#maxBytes) return;
    const limit = `${this.#maxBytes} bytes`;
    const message = `nothing was sent: the files of this session that are being sent or stored have more than ${limit}; try again in a moment`;
    throw new GatewayError('too_many_uploads', message);
  }

  /** A path for a new file. `discard` also works when the file does not exist. */
  newFile(): LocalFile {
    const path = join(this.#folder, randomUUID());
    return { path, discard: () => rm(path, { force: true }) };
  }
}

function atMost(bytes: number): Passage {
  return async function* bounded(source) {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > bytes) {
        throw new GatewayError('media_too_large', `file must have ${bytes} bytes at most`);
      }
      yield chunk;
    }
  };
}

/** True for the folder of a process that has ended. One with this process's own name is left from a predecessor. */
async function isLeftOver(name: string, path: string): Promise<boolean> {
  const [pid = '', ...host] = name.split('@');
  if (host.join('@') === hostname()) return Number(pid) === process.pid || !isRunning(Number(pid));
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > FOREIGN_RUN_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user
    return codeOf(error) === 'EPERM';
  }
}

function nameOf(clientId: string, sha256: string): string {
  return `${clientId} ${sha256}`;
}

function noRoom(cause: unknown): GatewayError {
  const message = "nothing was sent: this node's disk has no room for the file; free some and retry";
  return new GatewayError('store_unavailable', message, { cause });
}

function isFull(error: unknown): boolean {
  return FULL.has(codeOf(error));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
