import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Refusal } from '../refusal.js';

/** The largest blob that is taken. */
export const MAX_BLOB_BYTES = 128 * 1024 * 1024;

const FOLDER = 'media';
const INCOMING = 'incoming';
/** A SHA-256, base64url without padding. */
const HASH = /^[\w-]{43}$/;

/** A stored file, ready to be sent. */
export interface Blob {
  /** Bytes. */
  size: number;
  stream: Readable;
}

/** Encrypted media files by the hash of their bytes, on disk: the network cannot read them either. */
export class Blobs {
  readonly #dataDir: string | undefined;
  #folder: Promise<string> | undefined;

  /** @param dataDir keeps the files below this folder; without it they live in a temporary one until `close` */
  constructor(dataDir?: string) {
    this.#dataDir = dataDir;
  }

  /**
   * Takes a file; bytes that turn out wrong leave nothing behind.
   * @param hash SHA-256 of the bytes, base64url without padding
   * @throws Refusal 400 when the bytes have another hash, 413 when there are more than `MAX_BLOB_BYTES`
   */
  async put(hash: string, source: Readable): Promise<void> {
    const folder = await this.#open();
    const part = join(folder, INCOMING, randomUUID());
    const meter = new Meter();
    try {
      await pipeline(source, meter, createWriteStream(part, { flags: 'wx' }));
      if (meter.size > MAX_BLOB_BYTES)
        throw new Refusal(413, `media may have ${MAX_BLOB_BYTES} bytes at most`);
      if (meter.digest() !== hash)
        throw new Refusal(400, 'the bytes do not have the hash that the path names');
      await rename(part, join(folder, hash));
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Opens a file; undefined when there is none with that hash. */
  async get(hash: string): Promise<Blob | undefined> {
    if (!HASH.test(hash)) return undefined;
    const path = join(await this.#open(), hash);
    const found = await stat(path).catch(() => undefined);
    return found && { size: found.size, stream: createReadStream(path) };
  }

  /** Removes the files, unless they are kept. */
  async close(): Promise<void> {
    const folder = await this.#folder?.catch(() => undefined);
    this.#folder = undefined;
    if (folder && this.#dataDir === undefined) await rm(folder, { recursive: true, force: true });
  }

  /** The folder is made when it is first needed: most networks never carry media. */
  #open(): Promise<string> {
    this.#folder ??= openFolder(this.#dataDir);
    return this.#folder;
  }
}

async function openFolder(dataDir: string | undefined): Promise<string> {
  const folder =
    dataDir === undefined ? await mkdtemp(join(tmpdir(), 'sandbox-media-')) : join(dataDir, FOLDER);
  const incoming = join(folder, INCOMING);
  // uploads that a crash broke off
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true });
  return folder;
}

/** Weighs and hashes what passes. What is too much is swallowed, so that the sender gets to read the answer. */
class Meter extends Transform {
  size = 0;
  readonly #hash = createHash('sha256');

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk?: Buffer) => void) {
    this.size += chunk.length;
    if (this.size > MAX_BLOB_BYTES) return done(null);
    this.#hash.update(chunk);
    done(null, chunk);
  }

  digest(): string {
    return this.#hash.digest('base64url');
  }
}
