import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import { newFileId } from '../../../src/domain/ids.js';
import type { ByteRange, ExpectedFile, FileRecord, NewFile } from '../../../src/gateway/store/store.js';
import { bytes, newFile, type StoreHarness } from './harness.js';

export function filesContract(harness: () => StoreHarness): void {
  describe('files', () => {
    const files = () => harness().store.files;
    const write = (fields: Partial<NewFile> = {}, content = 'content') =>
      files().write(newFile(fields), Readable.from([bytes(content)]));
    const read = async (id: string) => {
      const opened = await files().open(id);
      return opened && textOf(opened.stream);
    };
    const list = async (page: number, limit: number, clientId = 'acme') => {
      const listed = await files().list(clientId, { page, limit });
      return { ids: listed.files.map(({ messageId }) => messageId), total: listed.total };
    };

    it('returns every field of a stored file, and the detected properties of its bytes', async () => {
      const given = newFile();
      const expected: FileRecord = {
        ...given,
        fileSize: 7,
        sha256: createHash('sha256').update('content').digest('hex'),
      };
      expect(await files().write(given, Readable.from([bytes('con'), bytes('tent')]))).to.deep.equal(
        expected,
      );
      expect(await files().get(given.id)).to.deep.equal(expected);
      expect(await files().ofMessage('acme', 'acme-1-2', 'M1')).to.deep.equal(expected);
      expect(await files().list('acme', { page: 1, limit: 50 })).to.deep.equal({
        files: [expected],
        total: 1,
      });
      const opened = await files().open(given.id);
      expect(opened?.record).to.deep.equal(expected);
      expect(opened && (await textOf(opened.stream))).to.equal('content');
    });

    it('returns nothing for unknown ids', async () => {
      await write();
      for (const id of [randomUUID(), '', '..', '../switchboard.db']) {
        expect(await files().get(id)).to.equal(undefined);
        expect(await files().open(id)).to.equal(undefined);
        expect(await files().remove(id)).to.equal(false);
      }
      expect(await files().ofMessage('acme', 'acme-1-2', 'M2')).to.equal(undefined);
      expect(await files().ofMessage('other', 'acme-1-2', 'M1')).to.equal(undefined);
      expect(await files().ofMessage('acme', 'acme-1-2', '')).to.equal(undefined);
    });

    it('gives each file a UUID', async () => {
      for (const id of ['', '../../escape', randomUUID().toUpperCase()]) {
        expect(await outcome(write({ id }))).to.be.instanceOf(TypeError);
      }
      const { id } = await write();
      expect(await outcome(write({ id, messageId: 'M2' }, 'other'))).to.be.instanceOf(TypeError);
      expect(await read(id)).to.equal('content');
      expect((await list(1, 9)).total).to.equal(1);
    });

    it('stores one file for each message: it keeps the first and closes the second source', async () => {
      const first = await write();
      const source = Readable.from([bytes('again')]);
      expect(await files().write(newFile({ caption: 'again' }), source)).to.deep.equal(first);
      expect(source.destroyed).to.equal(true);
      expect(await read(first.id)).to.equal('content');
      expect((await list(1, 9)).total).to.equal(1);
      for (const other of [{ messageId: 'M2' }, { chatRoomId: 'acme-1-3' }, { clientId: 'other' }]) {
        expect(await write(other)).to.deep.include(other);
      }
    });

    it('stores one file for each message under concurrent writes', async () => {
      const written = await Promise.all(Array.from({ length: 6 }, (_, n) => write({}, `content ${n}`)));
      const winners = new Set(written.map(({ id }) => id));
      expect([...winners]).to.have.length(1);
      expect(await read([...winners][0] ?? '')).to.match(/^content \d$/);
      expect((await list(1, 9)).total).to.equal(1);
    });

    it('lists files page by page, newest first, with their total', async () => {
      for (const [n, createdAt] of [10, 30, 20, 50, 40].entries())
        await write({ messageId: `M${n}`, createdAt });
      await write({ clientId: 'other' });
      expect(await list(1, 2)).to.deep.equal({ ids: ['M3', 'M4'], total: 5 });
      expect(await list(2, 2)).to.deep.equal({ ids: ['M1', 'M2'], total: 5 });
      expect(await list(3, 2)).to.deep.equal({ ids: ['M0'], total: 5 });
      expect(await list(4, 2)).to.deep.equal({ ids: [], total: 5 });
      expect(await list(1, 50, 'nobody')).to.deep.equal({ ids: [], total: 0 });
    });

    it('lists files of the same instant by their ids, the last first, however they were stored', async () => {
      const arrived = Array.from({ length: 7 }, (_, n) => ({ id: newFileId(), messageId: `M${n}` }));
      for (const n of [3, 0, 6, 2, 5, 1, 4]) await write(arrived[n]);
      const pages = await Promise.all([1, 2, 3].map((page) => list(page, 3)));
      const newest = ['M6', 'M5', 'M4', 'M3', 'M2', 'M1', 'M0'];
      expect(pages.flatMap(({ ids }) => ids)).to.deep.equal(newest);
    });

    it('keeps the pictures of a room, any number of them, without listing them', async () => {
      const pictures = [await write({ messageId: '' }, 'old'), await write({ messageId: '' }, 'new')];
      expect(await Promise.all(pictures.map(({ id }) => read(id)))).to.deep.equal(['old', 'new']);
      expect(await list(1, 9)).to.deep.equal({ ids: [], total: 0 });
    });

    it('removes a file, so that its message can have another one', async () => {
      const { id } = await write();
      const other = await write({ messageId: 'M2' });
      expect(await files().remove(id)).to.equal(true);
      expect(await files().remove(id)).to.equal(false);
      expect(await files().get(id)).to.equal(undefined);
      expect(await read(id)).to.equal(undefined);
      expect(await read(other.id)).to.equal('content');
      expect(await read((await write({}, 'another')).id)).to.equal('another');
    });

    it('removes all files of a session, and no other', async () => {
      const own = [await write(), await write({ messageId: '' }), await write({ messageId: 'M2' })];
      const other = await write({ clientId: 'other' });
      expect(await files().removeAll('acme')).to.equal(3);
      expect(await files().removeAll('acme')).to.equal(0);
      for (const { id } of own) expect(await read(id)).to.equal(undefined);
      expect(await read(other.id)).to.equal('content');
    });

    it('prunes files from before a time', async () => {
      const old = [await write({ createdAt: 999 }), await write({ createdAt: 1, clientId: 'other' })];
      const kept = await write({ messageId: 'M2' });
      expect(await files().prune(1_000)).to.equal(2);
      for (const { id } of old) expect(await read(id)).to.equal(undefined);
      expect(await read(kept.id)).to.equal('content');
    });

    it('prunes files of one session, and of no other', async () => {
      const [old, others] = [await write({ createdAt: 1 }), await write({ createdAt: 1, clientId: 'other' })];
      expect(await files().prune(1_000, 'acme')).to.equal(1);
      expect(await read(old.id)).to.equal(undefined);
      expect(await read(others.id)).to.equal('content');
    });

    it('prunes no pictures of rooms, whatever their number and age', async () => {
      const pictures = await Promise.all(
        Array.from({ length: 110 }, (_, n) => write({ messageId: '', chatRoomId: '', createdAt: n })),
      );
      await write({ createdAt: 500 });
      expect(await files().prune(1_000)).to.equal(1);
      expect(await files().prune(1_000)).to.equal(0);
      for (const picture of [pictures[0], pictures[109]]) {
        expect(await read(picture?.id ?? '')).to.equal('content');
      }
    });

    it('passes the check after files were written, read and removed', async () => {
      for (const repair of [false, true]) {
        const { id } = await write();
        await write({ messageId: 'M2' }, '');
        expect(await files().check({ repair })).to.deep.equal({ withoutRecord: 0, withoutBytes: 0 });
        expect(await read(id)).to.equal('content');
        await files().remove(id);
        expect(await files().check({ repair })).to.deep.equal({ withoutRecord: 0, withoutBytes: 0 });
      }
    });

    it('passes the check while files are being written', async () => {
      const source = new Readable({ read() {} });
      const writing = files().write(newFile(), source);
      source.push(bytes('con'));
      expect(await files().check({ repair: true })).to.deep.equal({ withoutRecord: 0, withoutBytes: 0 });
      source.push(bytes('tent'));
      source.push(null);
      expect(await read((await writing).id)).to.equal('content');
    });
  });
}

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: unknown) => error);
}

export function expectedFilesContract(harness: () => StoreHarness): void {
  describe('expected files', () => {
    const files = () => harness().store.expectedFiles;
    const ids = async (clientId = 'acme') => (await files().list(clientId)).map(({ id }) => id);

    it('returns every field of an expected file', async () => {
      await files().add(expectedFile('F1'));
      expect(await files().get('F1')).to.deep.equal(expectedFile('F1'));
      expect(await files().list('acme')).to.deep.equal([expectedFile('F1')]);
      expect(await files().get('never there')).to.equal(undefined);
      await files().add(expectedFile('F2', { past: true }));
      expect(await files().get('F2')).to.deep.equal(expectedFile('F2', { past: true }));
    });

    it('lists the expected files of a session, oldest first, then in the order in which they were added', async () => {
      for (const [id, since] of Object.entries({ F3: 30, F1: 10, G2: 20, A2: 20 })) {
        await files().add(expectedFile(id, { since }));
      }
      await files().add(expectedFile('other', { clientId: 'other' }));
      expect(await ids()).to.deep.equal(['F1', 'G2', 'A2', 'F3']);
      expect(await ids('other')).to.deep.equal(['other']);
      expect(await ids('nobody')).to.deep.equal([]);
    });

    it('keeps the first expected file of an id', async () => {
      await files().add(expectedFile('F1'));
      await Promise.all([2, 3].map((since) => files().add(expectedFile('F1', { since }))));
      expect(await files().list('acme')).to.deep.equal([expectedFile('F1')]);
    });

    it('keeps an expected file until it is removed', async () => {
      for (const id of ['F1', 'F2']) await files().add(expectedFile(id));
      await files().remove('F1');
      await files().remove('never there');
      expect(await files().get('F1')).to.equal(undefined);
      expect(await ids()).to.deep.equal(['F2']);
    });
  });
}

export function expectedFile(id: string, fields: Partial<ExpectedFile> = {}): ExpectedFile {
  return {
    id,
    clientId: 'acme',
    chatRoomId: 'acme-1-2',
    messageId: `M-${id}`,
    since: 1_000,
    past: false,
    ...fields,
  };
}

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
      it(`returns the bytes that were written, in chunks of ${piece}`, async () => {
        const record = await write(LARGE, piece);
        expect(record).to.include({ fileSize: LARGE.length, sha256: sha256(LARGE) });
        expect(sha256((await read(record.id)) ?? LARGE.subarray(1))).to.equal(record.sha256);
      });
    }

    it('stores files that end at a chunk boundary, and empty files', async () => {
      const none = await write(Buffer.alloc(0));
      expect(none).to.include({ fileSize: 0, sha256: sha256(Buffer.alloc(0)) });
      const opened = await files().open(none.id);
      // HTTP refuses a stream of objects
      expect(opened?.stream.readableObjectMode).to.equal(false);
      expect(opened && (await buffer(opened.stream))).to.deep.equal(Buffer.alloc(0));
      const mib = LARGE.subarray(0, MIB);
      const whole = await files().write(newFile({ messageId: 'M2' }), inPieces(mib, 65_536));
      expect(sha256((await read(whole.id)) ?? LARGE)).to.equal(sha256(mib));
    });

    it('returns a range', async () => {
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

    it('refuses a range outside of the file', async () => {
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

    it('lets a reader stop early', async () => {
      const { id } = await write(LARGE);
      const opened = await files().open(id);
      for await (const _ of opened?.stream ?? []) break;
      expect(opened?.stream.destroyed).to.equal(true);
      (await files().open(id))?.stream.destroy();
      expect(await files().remove(id)).to.equal(true);
    });

    for (const before of [0, 100, LARGE.length]) {
      it(`leaves nothing when the source fails after ${before}, and rejects with the source's own error`, async () => {
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

    it('leaves nothing when the source is destroyed, with or without an error', async () => {
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
