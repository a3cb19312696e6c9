import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import type { FileRecord, NewFile } from '../../../src/store/store.js';
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

    it('give back what was written, every field, and what showed of the bytes', async () => {
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

    it('are not there under ids that nobody gave out', async () => {
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

    it('have a UUID of their own', async () => {
      for (const id of ['', '../../escape', randomUUID().toUpperCase()]) {
        expect(await outcome(write({ id }))).to.be.instanceOf(TypeError);
      }
      const { id } = await write();
      expect(await outcome(write({ id, messageId: 'M2' }, 'other'))).to.be.instanceOf(TypeError);
      expect(await read(id)).to.equal('content');
      expect((await list(1, 9)).total).to.equal(1);
    });

    it('are one for each message: the first one stays and the source is let go', async () => {
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

    it('are one for each message, also of many at the same moment', async () => {
      const written = await Promise.all(Array.from({ length: 6 }, (_, n) => write({}, `content ${n}`)));
      const winners = new Set(written.map(({ id }) => id));
      expect([...winners]).to.have.length(1);
      expect(await read([...winners][0] ?? '')).to.match(/^content \d$/);
      expect((await list(1, 9)).total).to.equal(1);
    });

    it('are listed by pages, newest first, with their total', async () => {
      for (const [n, createdAt] of [10, 30, 20, 50, 40].entries())
        await write({ messageId: `M${n}`, createdAt });
      await write({ clientId: 'other' });
      expect(await list(1, 2)).to.deep.equal({ ids: ['M3', 'M4'], total: 5 });
      expect(await list(2, 2)).to.deep.equal({ ids: ['M1', 'M2'], total: 5 });
      expect(await list(3, 2)).to.deep.equal({ ids: ['M0'], total: 5 });
      expect(await list(4, 2)).to.deep.equal({ ids: [], total: 5 });
      expect(await list(1, 50, 'nobody')).to.deep.equal({ ids: [], total: 0 });
    });

    it('of the same instant are each on one page', async () => {
      for (let n = 0; n < 7; n += 1) await write({ messageId: `M${n}` });
      const pages = await Promise.all([1, 2, 3].map((page) => list(page, 3)));
      expect(new Set(pages.flatMap(({ ids }) => ids)).size).to.equal(7);
    });

    it('that are the picture of a room are kept, as many as come, but not listed', async () => {
      const pictures = [await write({ messageId: '' }, 'old'), await write({ messageId: '' }, 'new')];
      expect(await Promise.all(pictures.map(({ id }) => read(id)))).to.deep.equal(['old', 'new']);
      expect(await list(1, 9)).to.deep.equal({ ids: [], total: 0 });
    });

    it('can be removed, so that their message may have another one', async () => {
      const { id } = await write();
      const other = await write({ messageId: 'M2' });
      expect(await files().remove(id)).to.equal(true);
      expect(await files().remove(id)).to.equal(false);
      expect(await files().get(id)).to.equal(undefined);
      expect(await read(id)).to.equal(undefined);
      expect(await read(other.id)).to.equal('content');
      expect(await read((await write({}, 'another')).id)).to.equal('another');
    });

    it('are removed with all others of their session, and no other', async () => {
      const own = [await write(), await write({ messageId: '' }), await write({ messageId: 'M2' })];
      const other = await write({ clientId: 'other' });
      expect(await files().removeAll('acme')).to.equal(3);
      expect(await files().removeAll('acme')).to.equal(0);
      for (const { id } of own) expect(await read(id)).to.equal(undefined);
      expect(await read(other.id)).to.equal('content');
    });

    it('are pruned when they are from before a time', async () => {
      const old = [await write({ createdAt: 999 }), await write({ createdAt: 1, clientId: 'other' })];
      const kept = await write({ messageId: 'M2' });
      expect(await files().prune(1_000)).to.equal(2);
      for (const { id } of old) expect(await read(id)).to.equal(undefined);
      expect(await read(kept.id)).to.equal('content');
    });

    it('that are pictures of rooms are not pruned, however many and old they are', async () => {
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

    it('are sound when they were written, read and removed', async () => {
      for (const repair of [false, true]) {
        const { id } = await write();
        await write({ messageId: 'M2' }, '');
        expect(await files().check({ repair })).to.deep.equal({ withoutRecord: 0, withoutBytes: 0 });
        expect(await read(id)).to.equal('content');
        await files().remove(id);
        expect(await files().check({ repair })).to.deep.equal({ withoutRecord: 0, withoutBytes: 0 });
      }
    });

    it('are not found unsound while they are being written', async () => {
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
