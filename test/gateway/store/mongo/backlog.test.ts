import { expect } from 'chai';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import type { Backend } from '../../../../src/gateway/store/store.js';
import { bytes, sent, text, trace } from '../../../contracts/store/harness.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.js';
import { commitGeneration, expectWhole } from '../support/generations.js';
import {
  breakAt,
  MONGODB_URL,
  makeTestDatabase,
  serverAddress,
  type TestDatabase,
  throughProxy,
} from '../support/mongo.js';
import { CommandCount } from '../support/mongo-commands.js';

const LONG_MS = 3_600_000;
/** The requests of the step below: its commits, the bulk writes that apply them, the end. */
const REQUESTS = [1, 2, 3, 4, 5, 6, 7];

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  describe('commits to MongoDB by the node that holds the session', () => {
    let database: TestDatabase;
    let proxy: TcpProxy;
    let holder: Backend;
    let next: Backend;
    before(() => {
      database = makeTestDatabase(server);
    });
    beforeEach(async () => {
      proxy = await startTcpProxy(...serverAddress(server));
      next = await openMongoBackend(database);
      holder = await openMongoBackend({
        url: `${throughProxy(database, proxy.port)}&serverSelectionTimeoutMS=500`,
      });
      await holder.cluster?.leases.claim('acme', 'a', LONG_MS);
      await commitGeneration(holder, 1);
      await holder.sends.put('acme', sent('M1'));
      await holder.traces.add('acme', trace('M1'));
      await holder.journal.countOpen();
    });
    afterEach(async () => {
      proxy.restore();
      await holder.close();
      await next.close();
      await proxy.stop();
      // the indexes stay: to make them takes longer than all else
      await database.inspect(async (db) => {
        const names = await db.listCollections({}, { nameOnly: true }).toArray();
        await Promise.all(
          names.filter(({ name }) => name !== 'schema').map(({ name }) => db.collection(name).deleteMany({})),
        );
      });
    });
    after(() => database.drop());

    /** What a node finds that takes the session over. */
    const takenOver = async () => {
      await database.inspect((db) =>
        db.collection('leases').updateMany({}, { $set: { expiresAt: new Date(0) } }),
      );
      expect(await next.cluster?.leases.claim('acme', 'b', LONG_MS)).to.be.a('number');
      return next;
    };

    for (const verdict of ['cut', 'cut-answer'] as const) {
      for (const request of REQUESTS) {
        it(`are found whole or not at all by the next holder when the node dies: ${verdict}, request ${request}`, async () => {
          const done = { generation: 1, acknowledged: false, hasTrace: false };
          proxy.watch(breakAt(request, database.name, verdict));
          const step = async () => {
            await commitGeneration(holder, 2);
            done.generation = 2;
            await holder.traces.add('acme', trace('M2'));
            await holder.sends.finish('acme', 'M1');
            Object.assign(done, { acknowledged: true, hasTrace: true });
            await holder.journal.countOpen();
          };
          await step().catch(() => undefined);
          proxy.cut();

          const other = await takenOver();
          expect(await expectWhole(other)).to.be.within(done.generation, 2);
          const send = await other.sends.get('acme', 'M1');
          const isTraced = (await other.traces.get('acme', 'M2')) !== undefined;
          expect(send?.closed).to.equal(send?.acknowledged);
          if (done.acknowledged) expect(send?.acknowledged).to.equal(true);
          if (done.hasTrace) expect(isTraced).to.equal(true);
          // both were written in one step
          expect(isTraced).to.equal(send?.acknowledged);
        });
      }
    }

    it('are not read back while the node knows them, and are read from the server by the next holder', async () => {
      const count = new CommandCount();
      proxy.watch(count.watch);
      const get = async (store: Backend) => text((await store.keys.get('acme', 'session', ['1'])).get('1'));
      await commitGeneration(holder, 2);
      expect(await get(holder)).to.equal('2');
      expect((await holder.sends.get('acme', 'M1'))?.messageId).to.equal('M1');
      expect((await holder.traces.get('acme', 'M1'))?.messageId).to.equal('M1');
      expect(count.commands.filter(({ name }) => name === 'find')).to.deep.equal([]);
      expect(await get(await takenOver())).to.equal('2');
    });

    it('are one command for steps that are ready at the same moment', async () => {
      const count = new CommandCount();
      proxy.watch(count.watch);
      await Promise.all(
        ['a', 'b', 'c'].map((id) =>
          holder.keys.commit('acme', { keys: [{ type: 'session', id, value: bytes(id) }] }),
        ),
      );
      expect(count.commands).to.deep.equal([{ name: 'update', collection: 'commits' }]);
      const other = await takenOver();
      expect((await other.keys.get('acme', 'session', ['a', 'b', 'c'])).size).to.equal(3);
    });

    it('are left alone by a node that has lost the session, so that a deleted session stays deleted', async () => {
      const clock = new ManualClock();
      const lost = await openMongoBackend({ ...database, clock });
      await lost.cluster?.leases.claim('other', 'a', LONG_MS);
      const plain = bytes('a message');
      const entry = { id: '1', messageId: 'M', plain, stanza: plain, receivedAt: 1 };
      await lost.keys.commit('other', { journal: [entry] });
      await lost.sends.put('other', sent('M1'));
      await takenOver();
      await next.cluster?.leases.claim('other', 'b', LONG_MS);
      await next.forget('other');
      clock.advance(2 * LONG_MS);
      // before they count, all that waits is applied
      await lost.journal.countOpen();
      await lost.close();
      expect(await next.journal.open('other')).to.deep.equal([]);
      expect(await next.sends.open('other')).to.deep.equal([]);
    });

    it('are applied when a node of the previous release died before it applied them', async () => {
      await holder.close();
      await database.inspect(async (db) => {
        const commits = db.collection<{ _id: string; n: number }>('commits');
        const found = await commits.findOne({ _id: 'acme' });
        const n = Number(found?.n) + 1;
        const plain = Buffer.from('2');
        const entry = { id: '2', messageId: 'M', plain, stanza: plain, receivedAt: 2 };
        const keys = [
          { type: '', id: '', value: plain },
          ...Array.from({ length: 20 }, (_, id) => ({ type: 'session', id: String(id), value: plain })),
        ];
        await commits.updateOne(
          { _id: 'acme' },
          { $set: { n, changes: { keys, journal: [entry] } }, $unset: { log: '' } },
        );
        await db.collection('sends').updateMany({}, { $unset: { fileName: '' } });
      });
      const other = await takenOver();
      expect(await expectWhole(other)).to.equal(2);
      expect(await other.sends.get('acme', 'M1')).to.include({ fileName: '' });
      await commitGeneration(other, 3);
      expect(await expectWhole(other)).to.equal(3);
    });
  });
}
