import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { ObjectId } from 'mongodb';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import type { Backend } from '../../../../src/gateway/store/store.js';
import { bytes, expectFailure, newFile } from '../../../contracts/store/harness.js';
import { startTcpProxy } from '../../../support/tcp-proxy.js';
import { until } from '../../../support/until.js';
import {
  breakAt,
  MONGODB_URL,
  makeTestDatabase,
  serverAddress,
  type TestDatabase,
  throughProxy,
} from '../support/mongo.js';

const SOUND = { withoutRecord: 0, withoutBytes: 0 };
const TWO_DAYS_S = 2 * 24 * 60 * 60;
const LARGE = Buffer.alloc(3 * 1024 * 1024, 'content');

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  describe('files in MongoDB', () => {
    let database: TestDatabase;
    let backend: Backend;
    beforeEach(async () => {
      database = makeTestDatabase(server);
      backend = await openMongoBackend(database);
    });
    afterEach(async () => {
      await backend.close();
      await database.drop();
    });
    const write = (messageId = 'M1', content: Uint8Array = bytes('content')) =>
      backend.files.write(newFile({ messageId }), Readable.from([content]));
    const stored = () =>
      database.inspect(async (db) => {
        const names = ['files', 'file_bytes.files', 'file_bytes.chunks'];
        return Promise.all(names.map((name) => db.collection(name).countDocuments()));
      });

    it('files leave nothing behind when they are removed, pruned, forgotten or aborted', async () => {
      await backend.files.remove((await write('M1', LARGE)).id);
      await write();
      await backend.files.prune(Number.MAX_SAFE_INTEGER);
      await write();
      await backend.forget('acme');
      const pieces = [LARGE, LARGE, LARGE];
      const source = new Readable({
        read() {
          const piece = pieces.pop();
          if (piece) this.push(piece);
          else this.destroy(new Error('cut'));
        },
      });
      await backend.files.write(newFile(), source).catch(() => undefined);
      expect(await stored()).to.deep.equal([0, 0, 0]);
      await Promise.all([write(), write(), write()]);
      expect(await stored()).to.deep.equal([1, 1, 1]);
    });

    it('files are reported without a record, whole or in part, once no node can still be writing them', async () => {
      await write();
      const leaveBehind = (ago: number) =>
        database.inspect(async (db) => {
          const at = Math.floor(Date.now() / 1_000) - ago;
          const [whole, part] = [ObjectId.createFromTime(at), ObjectId.createFromTime(at + 1)];
          await db.collection('file_bytes.files').insertOne({ _id: whole, length: 3, chunkSize: 255 });
          for (const files_id of [whole, part]) {
            await db.collection('file_bytes.chunks').insertOne({ files_id, n: 0, data: 'abc' });
          }
        });
      await leaveBehind(0);
      await leaveBehind(TWO_DAYS_S);
      expect(await backend.files.check({ repair: false })).to.deep.equal({ ...SOUND, withoutRecord: 2 });
      expect(await stored()).to.deep.equal([1, 3, 5]);
      expect(await backend.files.check({ repair: true })).to.deep.equal({ ...SOUND, withoutRecord: 2 });
      expect(await stored()).to.deep.equal([1, 2, 3]);
      expect(await backend.files.check({ repair: true })).to.deep.equal(SOUND);
    });

    it('files are reported without bytes, or with too few, among many, and repaired', async () => {
      const written = await Promise.all(Array.from({ length: 120 }, (_, n) => write(`M${n}`)));
      const damaged = written.slice(0, 2).map(({ id }) => id);
      await database.inspect(async (db) => {
        const found = await db
          .collection('files')
          .find({ id: { $in: damaged } })
          .toArray();
        const heads = db.collection('file_bytes.files');
        await heads.deleteOne({ _id: found[0]?.bytesId });
        await heads.updateOne({ _id: found[1]?.bytesId }, { $set: { length: 3 } });
      });
      expect(await backend.files.check({ repair: false })).to.deep.equal({ ...SOUND, withoutBytes: 2 });
      expect(await backend.files.check({ repair: true })).to.deep.equal({ ...SOUND, withoutBytes: 2 });
      expect(await stored()).to.deep.equal([118, 118, 118]);
    });

    it('files fail to be read when bytes are missing', async () => {
      const { id } = await write('M1', LARGE);
      await database.inspect((db) => db.collection('file_bytes.chunks').deleteOne({ n: 1 }));
      const opened = await backend.files.open(id);
      const read = opened ? buffer(opened.stream) : Promise.resolve(bytes('not there'));
      expect(await expectFailure(read, 'store_unavailable')).to.contain('missing');
    });

    it('files fail as unavailable when the connection breaks while they are read or written', async () => {
      const { id } = await write('M1', LARGE);
      const proxy = await startTcpProxy(...serverAddress(server));
      const broken = await openMongoBackend({
        url: `${throughProxy(database, proxy.port)}&serverSelectionTimeoutMS=500`,
      });
      try {
        const opened = await broken.files.open(id);
        proxy.cut();
        await expectFailure(buffer(opened?.stream ?? Readable.from([])), 'store_unavailable');
        proxy.restore();
        const isBack = () =>
          broken.ping().then(
            () => true,
            () => false,
          );
        await until('the store to be back', isBack);
        proxy.watch(breakAt(4, database.name, 'cut'));
        const source = Readable.from([LARGE, LARGE]);
        await expectFailure(broken.files.write(newFile({ messageId: 'M2' }), source), 'store_unavailable');
        expect(source.destroyed).to.equal(true);
        expect(await backend.files.ofMessage('acme', 'acme-1-2', 'M2')).to.equal(undefined);
      } finally {
        proxy.restore();
        await broken.close();
        await proxy.stop();
      }
    });
  });
}
