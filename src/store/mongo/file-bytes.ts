import { Readable, Writable } from 'node:stream';
import { type Binary, GridFSBucket, type GridFSBucketWriteStream, type ObjectId } from 'mongodb';
import { GatewayError } from '../../domain/errors.js';
import { type Measured, pour, SourceFailure } from '../incoming-file.js';
import type { ByteRange } from '../store.js';
import type { MongoDatabase } from './database.js';

/** The bytes of files. All methods throw `store_unavailable`, and so do the streams that they give. */
export interface FileBytes {
  /** On failure nothing is left, unless the server is gone. @throws what the source fails with, as it is */
  write(source: Readable): Promise<Measured & { bytesId: ObjectId }>;
  /** Undefined when they are not there. The stream must be read to its end or destroyed. */
  open(bytesId: ObjectId, range: ByteRange): Promise<Readable | undefined>;
  /** How many there are of each, by the id in hex; without those that are not there. */
  sizes(bytesIds: readonly ObjectId[]): Promise<Map<string, number>>;
  remove(bytesId: ObjectId): Promise<void>;
  /** Ids of all that is there, also in part, in bounded lists; most come twice. */
  stored(): AsyncIterable<ObjectId[]>;
}

const BUCKET = 'file_bytes';
/** Bytes of a chunk: each waits for the majority, so that few large ones are faster than many small ones. */
const CHUNK = 1024 * 1024;
/** Chunks that a reader holds at once, at most: the driver's own reading stream asks for 16 MB. */
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

/** Bytes in GridFS. */
export function fileBytes({ db, run }: MongoDatabase): FileBytes {
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
    const cursor = chunks.find(asked, { batchSize: READ_AT_ONCE }).sort({ n: 1 });
    try {
      for (let n = first; n <= last; n += 1) {
        const chunk = await run(() => cursor.next());
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

  const inLists = async function* (cursor: { next(): Promise<{ _id: ObjectId } | null> }) {
    let list: ObjectId[] = [];
    for (;;) {
      const found = await run(() => cursor.next());
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
    async write(source) {
      const upload = bucket.openUploadStream('');
      try {
        return { ...(await run(() => pour(source, sinkTo(upload)))), bytesId: upload.id };
      } catch (error) {
        upload.destroy();
        await remove(upload.id).catch(() => undefined);
        throw error instanceof SourceFailure ? error.cause : error;
      }
    },
    async open(bytesId, range) {
      const head = await run(() => heads.findOne({ _id: bytesId }));
      return head ? Readable.from(read(bytesId, range, head.chunkSize), { objectMode: false }) : undefined;
    },
    async sizes(bytesIds) {
      const found = await run(() => heads.find({ _id: { $in: [...bytesIds] } }).toArray());
      return new Map(found.map(({ _id, length }) => [_id.toHexString(), length]));
    },
    async *stored() {
      yield* inLists(heads.find().project<{ _id: ObjectId }>({ _id: 1 }));
      // in the order of the index, so that no chunk is read for it
      yield* inLists(
        chunks.aggregate<{ _id: ObjectId }>([{ $sort: { files_id: 1 } }, { $group: { _id: '$files_id' } }]),
      );
    },
  };
}

/**
 * Takes one piece after the other: when the source fails, no write is under way that could come after the clearing up.
 */
function sinkTo(upload: GridFSBucketWriteStream): Writable {
  // errors come by the callbacks
  upload.on('error', () => undefined);
  return new Writable({
    highWaterMark: 1,
    write: (chunk, _encoding, done) => void upload.write(chunk, done),
    final: (done) => void upload.end(done),
  });
}
