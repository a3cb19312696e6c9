import { createHash } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteRange, FileRecord } from './store.js';

/** What shows of a file as its bytes go by. */
export type Measured = Pick<FileRecord, 'fileSize' | 'sha256'>;

/** Tells a failure of the source, which is its caller's, from one of the store. */
export class SourceFailure extends Error {
  override name = 'SourceFailure';
}

/**
 * Pours a source into a sink and measures what goes by. Afterwards both are destroyed, however it ends.
 *
 * @throws SourceFailure whose `cause` is what the source failed with; the sink's errors as they are
 */
export async function pour(source: Readable, sink: Writable): Promise<Measured> {
  const hash = createHash('sha256');
  let fileSize = 0;
  const measured = async function* () {
    try {
      for await (const chunk of source) {
        hash.update(chunk);
        fileSize += chunk.length;
        yield chunk;
      }
    } catch (cause) {
      throw new SourceFailure('the source of a file failed', { cause });
    }
  };
  // a source that is silent would keep a failed sink waiting
  sink.once('error', () => source.destroy());
  try {
    await pipeline(measured, sink);
  } finally {
    source.destroy();
  }
  return { fileSize, sha256: hash.digest('hex') };
}

/**
 * The bytes that a range names, or all of them.
 *
 * @returns undefined when there are none, because the file is empty
 * @throws RangeError when the range is not within the file
 */
export function rangeWithin({ fileSize }: FileRecord, range?: ByteRange): ByteRange | undefined {
  const { start, end } = range ?? { start: 0, end: fileSize - 1 };
  if (!range && fileSize === 0) return undefined;
  if (Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end < fileSize) {
    return { start, end };
  }
  throw new RangeError(`bytes ${start} to ${end} are not within a file of ${fileSize} bytes`);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Ids name files on the disk, and must not be guessed.
 * @throws TypeError unless the id is a UUID, and not taken
 */
export function requireNewFileId(id: string, taken: boolean): void {
  if (!UUID.test(id)) throw new TypeError('the id of a file must be a UUID in lower case');
  if (taken) throw new TypeError(`there is a file ${id} already: take a new UUID`);
}
