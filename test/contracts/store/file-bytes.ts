import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import type { ByteRange } from '../../../src/store/store.js';
import { newFile, type StoreHarness } from './harness.js';

const MIB = 1024 * 1024;
/** Bytes that differ wherever one looks: two and a half MiB and a bit. */
const LARGE = Buffer.from(
  Uint32Array.from({ length: (2.5 * MIB) / 4 + 3 }, (_, n) => n * 2_654_435_761).buffer,
);

export function fileBytesContract(harness: () => StoreHarness): void {
  describe('bytes of files', () => {
    const files = () => harness().store.files;
    const write = (content: Uint8Array, piece = 70_000) => files().write(newFile(), inPieces(content, piece));
    const read = async (id: string, range?: ByteRange) => {
      const opened = await files().open(id, range);
      return opened && buffer(opened.stream);
    };

    for (const piece of [LARGE.length, 70_000, 1_000]) {
      it(`come out as they went in, in pieces of ${piece}`, async () => {
        const record = await write(LARGE, piece);
        expect(record).to.include({ fileSize: LARGE.length, sha256: sha256(LARGE) });
        expect(sha256((await read(record.id)) ?? LARGE.subarray(1))).to.equal(record.sha256);
      });
    }

    it('may be as many as a boundary, or none', async () => {
      const none = await write(Buffer.alloc(0));
      expect(none).to.include({ fileSize: 0, sha256: sha256(Buffer.alloc(0)) });
      expect(await read(none.id)).to.deep.equal(Buffer.alloc(0));
      const mib = LARGE.subarray(0, MIB);
      const whole = await files().write(newFile({ messageId: 'M2' }), inPieces(mib, 65_536));
      expect(sha256((await read(whole.id)) ?? LARGE)).to.equal(sha256(mib));
    });

    it('come out in part', async () => {
      const { id } = await write(LARGE);
      const last = LARGE.length - 1;
      const ranges = [
        [0, 0],
        [0, last],
        [last, last],
        [5, 10],
        [MIB - 1, MIB - 1],
        [MIB, MIB],
        [MIB - 2, MIB + 3],
        [100, 2 * MIB],
        [2 * MIB - 1, last - 1],
      ] as const;
      for (const [start, end] of ranges) {
        const part = await read(id, { start, end });
        expect(part?.equals(LARGE.subarray(start, end + 1)), `${start} to ${end}`).to.equal(true);
      }
    });

    it('are refused in a part that is not there', async () => {
      const { id, fileSize } = await write(Buffer.from('content'));
      const ranges = [
        [0, fileSize],
        [fileSize, fileSize],
        [3, 2],
        [-1, 2],
        [0.5, 2],
        [0, Number.NaN],
      ] as const;
      for (const [start, end] of ranges) {
        const error = await read(id, { start, end }).catch((reason: unknown) => reason);
        expect(error, `${start} to ${end}`).to.be.instanceOf(RangeError);
      }
    });

    it('need not be read to their end', async () => {
      const { id } = await write(LARGE);
      const opened = await files().open(id);
      for await (const _ of opened?.stream ?? []) break;
      expect(opened?.stream.destroyed).to.equal(true);
      (await files().open(id))?.stream.destroy();
      expect(await files().remove(id)).to.equal(true);
    });

    for (const before of [0, 100, LARGE.length]) {
      it(`leave nothing when their source fails after ${before}, with the source's own error`, async () => {
        const failure = Object.assign(new Error('the line is cut'), { code: 'ECONNRESET' });
        const source = Readable.from(failing(LARGE.subarray(0, before), failure));
        const file = newFile();
        const error = await files()
          .write(file, source)
          .catch((reason: unknown) => reason);
        expect(error).to.equal(failure);
        expect(await files().get(file.id)).to.equal(undefined);
        expect((await files().list('acme', { page: 1, limit: 9 })).total).to.equal(0);
        expect(await files().check({ repair: false })).to.deep.equal({ withoutRecord: 0, withoutBytes: 0 });
      });
    }

    it('leave nothing when their source is destroyed, without an error too', async () => {
      const source = new Readable({ read() {} });
      const writing = files()
        .write(newFile(), source)
        .catch((reason: unknown) => reason);
      source.push('some');
      source.destroy();
      expect(await writing).to.be.instanceOf(Error);
      expect((await files().list('acme', { page: 1, limit: 9 })).total).to.equal(0);
    });
  });
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function inPieces(content: Uint8Array, size: number): Readable {
  const count = Math.ceil(content.length / size);
  return Readable.from(
    Array.from({ length: count }, (_, n) => content.subarray(n * size, (n + 1) * size)),
    { objectMode: false },
  );
}

function* failing(content: Uint8Array, failure: Error): Generator<Uint8Array> {
  if (content.length > 0) yield content;
  throw failure;
}
