import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { MAX_FILE_BYTES } from '../../contract/sandbox/contents.js';
import { Refusal } from '../wire/refusals.js';

const FOLDER = 'media';
const INCOMING = 'incoming';

/** The folder of all files; created at the first use, as most networks never carry media. */
export class MediaFolder {
  readonly #dataDir: string | undefined;
  #path: Promise<string> | undefined;

  /** @param dataDir stores the files below this folder; without it, in a temporary folder until `close` */
  constructor(dataDir?: string) {
    this.#dataDir = dataDir;
  }

  /** A folder of that name, or the root. */
  async open(name = ''): Promise<string> {
    this.#path ??= openFolder(this.#dataDir);
    const path = join(await this.#path, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  /** A path for an incomplete file. */
  async part(): Promise<string> {
    return join(await this.open(INCOMING), randomUUID());
  }

  /** Removes the temporary folder. */
  async close(): Promise<void> {
    const path = await this.#path?.catch(() => undefined);
    this.#path = undefined;
    if (path && this.#dataDir === undefined) await rm(path, { recursive: true, force: true });
  }
}

async function openFolder(dataDir: string | undefined): Promise<string> {
  if (dataDir === undefined) return mkdtemp(join(tmpdir(), 'sandbox-media-'));
  const folder = join(dataDir, FOLDER);
  // incomplete files of a crashed run
  await rm(join(folder, INCOMING), { recursive: true, force: true });
  return folder;
}

/** Beyond this the oldest files of a store are dropped. */
const MAX_STORE_BYTES = 2 * 1024 * 1024 * 1024;

/** A stored file, ready to be sent. */
export interface StoredFile {
  /** Bytes. */
  size: number;
  stream: Readable;
}

/** Size and hash of a stored file. */
interface Measured {
  /** Bytes. */
  size: number;
  /** 32 bytes. */
  sha256: Buffer;
}

/** A source and its transforms. */
export type Flow = readonly [Readable, ...Transform[]];

/** Files on disk, named by their content; drops the oldest when there are too many. */
export class FileStore {
  readonly #folder: MediaFolder;
  readonly #name: string;
  #sizes: Promise<Map<string, number>> | undefined;

  /** @param name the subfolder; empty for the media folder itself */
  constructor(folder: MediaFolder, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  /**
   * Stores a file; a refused one leaves nothing behind.
   * @param accept returns the file's name, or throws
   * @throws Refusal 413 when there are more than `MAX_FILE_BYTES`
   */
  async put(flow: Flow, accept: (measured: Measured) => string): Promise<Measured & { name: string }> {
    const part = await this.#folder.part();
    const meter = new ByteCounter();
    const file = createWriteStream(part, { flags: 'wx' });
    try {
      await pipeline([...flow, meter, file]);
      const measured = meter.measured();
      const name = accept(measured);
      await rename(part, await this.#path(name));
      await this.#note(name, measured.size);
      return { ...measured, name };
    } finally {
      // a stream may fail before its file is created: removed too early, the file would stay
      await finished(file).catch(() => undefined);
      await rm(part, { force: true });
    }
  }

  /** Opens a file; undefined when there is none of that name. */
  async get(name: string): Promise<StoredFile | undefined> {
    const path = await this.#path(name);
    const found = await stat(path).catch(() => undefined);
    return found?.isFile() ? { size: found.size, stream: createReadStream(path) } : undefined;
  }

  async remove(name: string): Promise<void> {
    (await this.#known()).delete(name);
    await rm(await this.#path(name), { force: true });
  }

  /** The names of all files, oldest first. */
  async names(): Promise<string[]> {
    return [...(await this.#known()).keys()];
  }

  async #path(name: string): Promise<string> {
    return join(await this.#folder.open(this.#name), name);
  }

  async #note(name: string, size: number): Promise<void> {
    const sizes = await this.#known();
    sizes.delete(name);
    sizes.set(name, size);
    let total = [...sizes.values()].reduce((sum, one) => sum + one, 0);
    for (const [oldest, bytes] of [...sizes]) {
      if (total <= MAX_STORE_BYTES) break;
      total -= bytes;
      await this.remove(oldest);
    }
  }

  #known(): Promise<Map<string, number>> {
    this.#sizes ??= this.#folder.open(this.#name).then(readSizes);
    return this.#sizes;
  }
}

/** The files of a folder with their sizes, oldest first. */
async function readSizes(folder: string): Promise<Map<string, number>> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isFile());
  const files = await Promise.all(
    entries.map(async ({ name }) => ({ name, ...pick(await stat(join(folder, name))) })),
  );
  files.sort((a, b) => a.mtimeMs - b.mtimeMs);
  return new Map(files.map(({ name, size }) => [name, size]));
}

function pick({ size, mtimeMs }: { size: number; mtimeMs: number }) {
  return { size, mtimeMs };
}

/** Counts and hashes a stream. Swallows the excess of a file that is too large, so that the sender can read the answer. */
class ByteCounter extends Transform {
  #size = 0;
  readonly #hash = createHash('sha256');

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk?: Buffer) => void) {
    this.#size += chunk.length;
    if (this.#size > MAX_FILE_BYTES) return done(null);
    this.#hash.update(chunk);
    done(null, chunk);
  }

  /** @throws Refusal 413 when the file was too large */
  measured(): Measured {
    if (this.#size > MAX_FILE_BYTES)
      throw new Refusal('file_too_large', `media may have ${MAX_FILE_BYTES} bytes at most`);
    return { size: this.#size, sha256: this.#hash.digest() };
  }
}
