import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Measured, pour, SourceFailure } from '../incoming-file.js';
import type { ByteRange } from '../store.js';
import { asUnavailable } from './database.js';
import { PRIVATE_DIR, PRIVATE_FILE } from './files.js';

/** The bytes of files on the disk, by id. All methods throw `store_unavailable` when the disk fails. */
export interface FileBytes {
  /** On failure nothing is left. @throws what the source fails with, as it is */
  write(id: string, source: Readable): Promise<Measured>;
  /** Undefined when they are not there. The stream must be read to its end or destroyed. */
  open(id: string, range: ByteRange): Promise<Readable | undefined>;
  /** How many there are; undefined when they are not there. */
  size(id: string): Promise<number | undefined>;
  remove(id: string): Promise<void>;
  /** All that lies there. */
  stored(): AsyncIterable<StoredBytes>;
}

export interface StoredBytes {
  id: string;
  /** False of bytes whose writing has not ended, or was interrupted. */
  whole: boolean;
  remove(): Promise<void>;
}

/** Ends the name of a file that is not whole. */
const PART = '.part';

/**
 * Bytes in the given folder, in subfolders by the first two digits of the id, so that none gets too large. A file gets its
 * name only when it is whole and on the disk.
 */
export function fileBytes(folder: string): FileBytes {
  const folderOf = (id: string) => join(folder, id.slice(0, 2));
  const pathOf = (id: string) => join(folderOf(id), id);

  return {
    async write(id, source) {
      const path = pathOf(id);
      try {
        await mkdir(folderOf(id), { recursive: true, mode: PRIVATE_DIR });
        const sink = createWriteStream(path + PART, { flags: 'wx', mode: PRIVATE_FILE, flush: true });
        const measured = await pour(source, sink);
        await rename(path + PART, path);
        return measured;
      } catch (error) {
        await rm(path + PART, { force: true }).catch(() => undefined);
        throw error instanceof SourceFailure ? error.cause : asUnavailable('A file cannot be stored', error);
      }
    },
    async open(id, range) {
      const handle = await unlessGone(open(pathOf(id)));
      return handle?.createReadStream(range);
    },
    size: async (id) => (await unlessGone(stat(pathOf(id))))?.size,
    async remove(id) {
      await unlessGone(rm(pathOf(id)));
    },
    async *stored() {
      for (const subfolder of (await unlessGone(readdir(folder))) ?? []) {
        for (const name of (await unlessGone(readdir(join(folder, subfolder)))) ?? []) {
          const whole = !name.endsWith(PART);
          const path = join(folder, subfolder, name);
          yield {
            id: whole ? name : name.slice(0, -PART.length),
            whole,
            remove: async () => void (await unlessGone(rm(path))),
          };
        }
      }
    },
  };
}

/** Undefined when there is no such file. */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw asUnavailable('The stored files cannot be used', error);
  }
}
