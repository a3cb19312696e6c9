import { Readable, Writable } from 'node:stream';
import { type Binary, GridFSBucket, type GridFSBucketWriteStream, type ObjectId } from 'mongodb';
import { GatewayError } from '../../../domain/errors.js';
import { copyAndHash, SourceFailure } from '../port/files.js';
import type { ByteRange } from '../store.js';
import type { MongoDatabase } from './database.js';

const BUCKET = 'file_bytes';
/** Bytes of a chunk. Each chunk waits for the majority, so few large chunks are faster than many small ones. */
const CHUNK = 1024 * 1024;
/** Chunks in memory per reader; the driver's own stream would read 16 MB at once. */
const READ_AT_ONCE = 2;
const LISTED_AT_ONCE = 500;

interface Head {
  length: number;
  chunkSize: number;
}

interface Chunk {
  files_id: ObjectId;
  n: number;
  data: Binary;
}

/** Bytes of files in GridFS. All methods and streams throw `store_unavailable` if the server fails. */
export function fileBytes({ db, run, pinned }: MongoDatabase) {
  const bucket = new GridFSBucket(db, { bucketName: BUCKET, chunkSizeBytes: CHUNK });
  const heads = db.collection<Head>(`${BUCKET}.files`);
  const chunks = db.collection<Chunk>(`${BUCKET}.chunks`);

  const remove = (bytesId: ObjectId): Promise<void> =>
    run(async () => {
      await heads.deleteOne({ _id: bytesId });
      await chunks.deleteMany({ files_id: bytesId });
    });

  const read = async function* (bytesId: ObjectId, { start, end }: ByteRange, size: number) {
    const [first, last] = [Math.floor(start / size), Math.floor(end / size)] as const;
    const asked = { files_id: bytesId, n: { $gte: first, $lte: last } };
    const next = pinned();
    const cursor = chunks.find(asked, { batchSize: READ_AT_ONCE }).sort({ n: 1 });
    try {
      for (let n = first; n <= last; n += 1) {
        const chunk = await next(() => cursor.next());
        if (chunk?.n !== n)
          throw new GatewayError('store_unavailable', 'Stored bytes of a file are missing.');
        yield chunk.data
          .value()
          .subarray(n === first ? start % size : 0, n === last ? (end % size) + 1 : size);
      }
    } finally {
      await cursor.close();
    }
  };

  const inLists = async function* (open: () => { next(): Promise<{ _id: ObjectId } | null> }) {
    let list: ObjectId[] = [];
    const next = pinned();
    const cursor = open();
    for (;;) {
      const found = await next(() => cursor.next());
      if (found) list.push(found._id);
      if (list.length === LISTED_AT_ONCE || !found) {
        yield list;
        list = [];
      }
      if (!found) return;
    }
  };

  return {
    remove,
    /** Leaves nothing behind on failure, unless the server is down. @throws the source's own error, unchanged */
    async write(source: Readable): Promise<{ fileSize: number; sha256: string; bytesId: ObjectId }> {
      const upload = bucket.openUploadStream('');
      try {
        return { ...(await run(() => copyAndHash(source, sinkTo(upload)))), bytesId: upload.id };
      } catch (error) {
        upload.destroy();
        await remove(upload.id).catch(() => undefined);
        throw error instanceof SourceFailure ? error.cause : error;
      }
    },
    /** Undefined if there are no such bytes. The caller reads the stream to its end or destroys it. */
    async open(bytesId: ObjectId, range: ByteRange): Promise<Readable | undefined> {
      const head = await run(() => heads.findOne({ _id: bytesId }));
      return head ? Readable.from(read(bytesId, range, head.chunkSize), { objectMode: false }) : undefined;
    },
    /** Sizes by the hex id; missing bytes are left out. */
    async sizes(bytesIds: readonly ObjectId[]): Promise<Map<string, number>> {
      const found = await run(() => heads.find({ _id: { $in: [...bytesIds] } }).toArray());
      return new Map(found.map(({ _id, length }) => [_id.toHexString(), length]));
    },
    /** Ids of all bytes, complete or not, in bounded lists; most ids come twice. */
    async *stored() {
      yield* inLists(() => heads.find().project<{ _id: ObjectId }>({ _id: 1 }));
      // sorted like the index, so that the server reads only the index
      yield* inLists(() =>
        chunks.aggregate<{ _id: ObjectId }>([{ $sort: { files_id: 1 } }, { $group: { _id: '$files_id' } }]),
      );
    },
  };
}

/** Writes one piece at a time: if the source fails, no write is in flight that could arrive after the cleanup. */
function sinkTo(upload: GridFSBucketWriteStream): Writable {
  // errors are reported by the callbacks
  upload.on('error', () => undefined);
  return new Writable({
    highWaterMark: 1,
    write: (chunk, _encoding, done) => void upload.write(chunk, done),
    final: (done) => void upload.end(done),
  });
}
