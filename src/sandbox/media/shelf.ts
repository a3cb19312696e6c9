import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../refusal.js';
import type { MediaFolder } from './folder.js';

/** The largest file that is taken. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024;
/** Beyond this the oldest files of a shelf are dropped. */
const MAX_SHELF_BYTES = 2 * 1024 * 1024 * 1024;

/** A stored file, ready to be sent. */
export interface StoredFile {
  /** Bytes. */
  size: number;
  stream: Readable;
}

/** What is known of a file once all of it has passed. */
export interface Weighed {
  /** Bytes. */
  size: number;
  /** 32 bytes. */
  sha256: Buffer;
}

/** Where a file comes from, and what changes it on its way. */
export type Flow = readonly [Readable, ...Transform[]];

/** Files on disk under names that come from their bytes; the oldest go when there are too many. */
export class Shelf {
  readonly #folder: MediaFolder;
  readonly #name: string;
  #sizes: Promise<Map<string, number>> | undefined;

  /** @param name of its folder within the folder for media; empty for that folder itself */
  constructor(folder: MediaFolder, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  /**
   * Takes a file; one that is not accepted leaves nothing behind.
   * @param accept gives the file its name, or throws
   * @throws Refusal 413 when there are more than `MAX_FILE_BYTES`
   */
  async put(flow: Flow, accept: (weighed: Weighed) => string): Promise<Weighed & { name: string }> {
    const part = await this.#folder.part();
    const meter = new Meter();
    try {
      await pipeline([...flow, meter, createWriteStream(part, { flags: 'wx' })]);
      const weighed = meter.weigh();
      const name = accept(weighed);
      await rename(part, await this.#path(name));
      await this.#note(name, weighed.size);
      return { ...weighed, name };
    } finally {
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
      if (total <= MAX_SHELF_BYTES) break;
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

/** Weighs and hashes what passes. What is too much is swallowed, so that the sender gets to read the answer. */
class Meter extends Transform {
  #size = 0;
  readonly #hash = createHash('sha256');

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk?: Buffer) => void) {
    this.#size += chunk.length;
    if (this.#size > MAX_FILE_BYTES) return done(null);
    this.#hash.update(chunk);
    done(null, chunk);
  }

  /** @throws Refusal 413 when it was too much */
  weigh(): Weighed {
    if (this.#size > MAX_FILE_BYTES) throw new Refusal(413, `media may have ${MAX_FILE_BYTES} bytes at most`);
    return { size: this.#size, sha256: this.#hash.digest() };
  }
}
