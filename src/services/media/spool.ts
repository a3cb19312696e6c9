import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { SpooledFile } from '../services.js';

/** Milliseconds after which the folder of a run on another machine, of which nobody here can know, counts as left over. */
const FOREIGN_RUN_MS = 24 * 60 * 60_000;
/** Written in few large pieces: each has its price. */
const NEW_FILE = { flags: 'wx', mode: 0o600, highWaterMark: 1024 * 1024 };
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Bytes on their way: each chunk is passed on, or the whole is refused by an error. */
export type Passage = (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

/** Files on their way through this process, in a folder of its own that nobody else on the machine can read. */
export class Spool {
  readonly #root: string;
  readonly #folder: string;

  /** @param root may be shared with other processes, on this machine or another */
  constructor(root: string) {
    this.#root = root;
    this.#folder = join(root, `${process.pid}@${hostname()}`);
  }

  /** Makes the folder, and removes those of runs that ended without doing so. */
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

  /** Takes an uploaded stream to disk. @throws media_too_large, store_unavailable; then nothing is left behind */
  take(stream: Readable): Promise<SpooledFile> {
    return this.write(stream, atMost(LIMITS.uploadBytes));
  }

  /** Takes a stream to disk, as far as `passage` lets it. @throws what the stream or the passage throw, store_unavailable */
  async write(stream: Readable, passage: Passage): Promise<SpooledFile> {
    const { path, discard } = this.newFile();
    const hash = createHash('sha256');
    let size = 0;
    async function* weigh(source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    }
    try {
      await pipeline(stream, passage, weigh, createWriteStream(path, NEW_FILE));
    } catch (error) {
      await discard();
      throw isFull(error) ? noRoom(error) : error;
    }
    return { path, size, sha256: hash.digest('hex'), discard };
  }

  /** A place for a new file of this run; whether there is one yet, or not any more, does not matter to `discard`. */
  newFile(): Pick<SpooledFile, 'path' | 'discard'> {
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

/** True for the folder of a process that is gone. A namesake of this process can only be its predecessor. */
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
    // there is one, of another user
    return codeOf(error) === 'EPERM';
  }
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
