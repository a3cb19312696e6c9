import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { copyAndHash, SourceFailure } from '../port/files.js';
import type { ByteRange } from '../store.js';
import { asUnavailable, PRIVATE_DIR, PRIVATE_FILE } from './database.js';

/** Suffix of a file that is being written. */
const PART = '.part';

/**
 * Bytes of files in a folder, one file per id, in subfolders by the first two digits of the id to keep folders small. A file
 * gets its final name once it is complete and flushed. All methods throw `store_unavailable` if the disk fails.
 */
export function fileBytes(folder: string) {
  const folderOf = (id: string) => join(folder, id.slice(0, 2));
  const pathOf = (id: string) => join(folderOf(id), id);

  return {
    /** Leaves nothing behind on failure. @throws the source's own error, unchanged */
    async write(id: string, source: Readable): Promise<{ fileSize: number; sha256: string }> {
      const path = pathOf(id);
      try {
        await mkdir(folderOf(id), { recursive: true, mode: PRIVATE_DIR });
        // a stream would open it while the source fails already, and make it after it was removed
        const part = await open(path + PART, 'wx', PRIVATE_FILE);
        const measured = await copyAndHash(source, part.createWriteStream({ flush: true }));
        await rename(path + PART, path);
        return measured;
      } catch (error) {
        await rm(path + PART, { force: true }).catch(() => undefined);
        throw error instanceof SourceFailure ? error.cause : asUnavailable(undefined, error);
      }
    },
    /** Undefined if there is no such file. The caller reads the stream to its end or destroys it. */
    async open(id: string, range: ByteRange): Promise<Readable | undefined> {
      const handle = await ifExists(open(pathOf(id)));
      return handle?.createReadStream(range);
    },
    /** Undefined if there is no such file. */
    size: async (id: string): Promise<number | undefined> => (await ifExists(stat(pathOf(id))))?.size,
    async remove(id: string): Promise<void> {
      await ifExists(rm(pathOf(id)));
    },
    /** Every file in the folder; `whole` is false for one that is being written or was interrupted. */
    async *stored() {
      for (const subfolder of (await ifExists(readdir(folder))) ?? []) {
        for (const name of (await ifExists(readdir(join(folder, subfolder)))) ?? []) {
          const whole = !name.endsWith(PART);
          const path = join(folder, subfolder, name);
          yield {
            id: whole ? name : name.slice(0, -PART.length),
            whole,
            remove: async () => void (await ifExists(rm(path))),
          };
        }
      }
    },
  };
}

/** Undefined if there is no such file. */
async function ifExists<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw asUnavailable(undefined, error);
  }
}
