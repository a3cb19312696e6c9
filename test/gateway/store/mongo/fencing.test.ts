import { expect } from 'chai';
import type { Db, Document } from 'mongodb';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import type { Backend, LeaseStore } from '../../../../src/gateway/store/store.js';
import { bytes, expectFailure, message, roomUpdate, text } from '../../../contracts/store/harness.js';
import { fill } from '../../../contracts/store/life.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.js';
import {
  FENCED_BY_PROCESS,
  FENCED_BY_SERVER,
  FREE,
  methodsOf,
  READS,
  type SessionWrite,
} from '../support/fenced-methods.js';
import {
  MONGODB_URL,
  makeTestDatabase,
  serverAddress,
  type TestDatabase,
  throughProxy,
} from '../support/mongo.js';

const LONG_MS = 60_000;
const SHORT_MS = 50;
/** Markers in the bytes of a request: the commit itself, its keys, a room. */
const COMMITTING = 'since';
const APPLYING = 'goneAt';
const TELLING = 'unreadCount';

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  describe('the writes of a node that no longer holds a session in MongoDB', () => {
    let database: TestDatabase;
    let proxy: TcpProxy;
    let clock: ManualClock;
    let a: Backend;
    let b: Backend;
    before(() => {
      database = makeTestDatabase(server);
    });
    beforeEach(async () => {
      proxy = await startTcpProxy(...serverAddress(server));
      // a process whose clock stands still does not know by itself that its lease is over
      clock = new ManualClock();
      a = await openMongoBackend({ url: throughProxy(database, proxy.port), clock });
      b = await openMongoBackend(database);
    });
    afterEach(async () => {
      proxy.restore();
      await a.close();
      await b.close();
      await proxy.stop();
      // the indexes stay: to make them takes longer than all else
      await database.inspect(async (db) => {
        const names = await namesOf(db);
        await Promise.all(names.map((name) => db.collection(name).deleteMany({})));
      });
    });
    after(() => database.drop());

    /** Runs as soon as the client has sent what contains that text; it waits on its way until it is let go. */
    const whileHeldUp = async (part: string, write: Promise<unknown>, work: () => Promise<unknown>) => {
      await new Promise<void>((resolve) => {
        proxy.watch((chunk) => {
          if (!chunk.includes(database.name) || !chunk.includes(part)) return 'pass';
          resolve();
          return 'hold';
        });
      });
      proxy.watch(() => 'pass');
      await work();
      proxy.letGo();
      return write;
    };
    const commit = (store: Backend, value: string) =>
      store.keys.commit('acme', { credentials: bytes(value) });
    const credentials = async (store: Backend) => text(await store.keys.credentials('acme'));
    const record = ({ history }: Backend) => history.record('acme', roomUpdate(), message('M1'));

    it('cover all methods of the store', () => {
      const known = [...Object.keys(FENCED_BY_SERVER), ...Object.keys(FENCED_BY_PROCESS), ...READS, ...FREE];
      expect(methodsOf(a)).to.have.members(known);
    });

    it("writes of an old holder are refused by the server once another node holds it, and that node's writes are accepted", async () => {
      await fill(b, 'acme');
      await leasesOf(a).claim('acme', 'a', SHORT_MS);
      expect(await claimed(leasesOf(b), 'b')).to.equal(2);
      await database.inspect(async (db) => {
        const { expectRefused, expectTaken } = await watched(db, [a, b]);
        for (const [name, write] of Object.entries(FENCED_BY_SERVER)) {
          await expectRefused(a, name, write);
          await expectTaken(b, name, write);
          // also where the other one has left nothing to change
          await expectRefused(a, name, write);
        }
      });
    });

    it('writes of an old holder are refused by the node itself after a release', async () => {
      await fill(b, 'acme');
      await leasesOf(a).claim('acme', 'a', LONG_MS);
      await leasesOf(a).release('acme', 'a', 1);
      await database.inspect((db) => expectAllRefused(db, a));
    });

    it('writes of an old holder are refused by the node itself once its clock shows the lease as expired, and not before', async () => {
      await fill(b, 'acme');
      await leasesOf(a).claim('acme', 'a', LONG_MS);
      await database.inspect(async (db) => {
        clock.advance(LONG_MS - 1);
        const { expectTaken } = await watched(db, [a]);
        for (const [name, write] of Object.entries(FENCED_BY_PROCESS)) await expectTaken(a, name, write);
        clock.advance(1);
        await expectAllRefused(db, a);
      });
      expect([...(await leasesOf(a).renew('a', LONG_MS))]).to.deep.equal([['acme', 1]]);
      await commit(a, 'renewed');
    });

    it('change nothing when a commit arrives after the next claim', async () => {
      await leasesOf(a).claim('acme', 'a', SHORT_MS);
      await commit(a, 'early');
      const late = commit(a, 'late').catch((error: unknown) => error);
      const outcome = whileHeldUp(COMMITTING, late, () => claimed(leasesOf(b), 'b'));
      await expectFailure(
        outcome.then((error) => Promise.reject(error)),
        'session_elsewhere',
      );
      expect(await credentials(b)).to.equal('early');
      await commit(b, 'of the next');
      expect(await credentials(a)).to.equal('of the next');
    });

    it('undo nothing when a commit is applied after the next one', async () => {
      await leasesOf(a).claim('acme', 'a', SHORT_MS);
      await commit(a, 'early');
      await whileHeldUp(APPLYING, commit(a, 'committed'), async () => {
        await claimed(leasesOf(b), 'b');
        expect(await credentials(b)).to.equal('committed');
        await commit(b, 'of the next');
      });
      expect(await credentials(b)).to.equal('of the next');
    });

    it('writes of an old holder are accepted until another node claims it, and again after the next claim', async () => {
      await leasesOf(a).claim('acme', 'a', LONG_MS);
      await commit(a, 'first');
      await leasesOf(a).release('acme', 'a', 1);
      await leasesOf(b).claim('acme', 'b', LONG_MS);
      await commit(b, 'second');
      await leasesOf(b).release('acme', 'b', 2);
      expect(await leasesOf(a).claim('acme', 'a', LONG_MS)).to.equal(3);
      await commit(a, 'third');
      expect(await credentials(b)).to.equal('third');
      // a program that claims nothing may write beside it
      const tool = await openMongoBackend(database);
      await commit(tool, 'of a tool');
      await tool.close();
      expect(await credentials(a)).to.equal('of a tool');
    });

    it('writes of an old holder are refused when the next holder has deleted the session, and a new session can be created', async () => {
      await leasesOf(a).claim('acme', 'a', SHORT_MS);
      await claimed(leasesOf(b), 'b');
      await b.forget('acme');
      await expectFailure(commit(a, 'late'), 'session_elsewhere');
      expect(await credentials(b)).to.equal(undefined);
      await commit(b, 'anew');
      expect(await credentials(b)).to.equal('anew');
    });

    it('complete before a release does', async () => {
      await leasesOf(a).claim('acme', 'a', LONG_MS);
      let released: Promise<void> = Promise.resolve();
      await whileHeldUp(TELLING, record(a), async () => {
        released = leasesOf(a).release('acme', 'a', 1);
        await expectFailure(record(a), 'session_elsewhere');
        // time enough for one that waits for nothing
        for (let asked = 0; asked < 5; asked += 1) await a.ping();
        expect(await leasesOf(b).claim('acme', 'b', LONG_MS)).to.equal(undefined);
      });
      await released;
      expect(await leasesOf(b).claim('acme', 'b', LONG_MS)).to.equal(2);
      expect((await b.history.room('acme', 'acme-1-2'))?.unreadCount).to.equal(1);
    });

    it('delay the release until the lease expires when the result of one is unknown', async () => {
      const impatient = `${throughProxy(database, proxy.port)}&socketTimeoutMS=2000`;
      const c = await openMongoBackend({ url: impatient });
      await leasesOf(c).claim('acme', 'c', LONG_MS);
      proxy.watch((chunk) => (chunk.includes(TELLING) ? 'hold' : 'pass'));
      await expectFailure(record(c), 'store_unavailable');
      proxy.watch(() => 'pass');
      await leasesOf(c).release('acme', 'c', 1);
      expect(await leasesOf(b).claim('acme', 'b', LONG_MS)).to.equal(undefined);
      await c.close();
    });
  });
}

function leasesOf({ cluster }: Backend): LeaseStore {
  if (!cluster) throw new Error('the store has no leases');
  return cluster.leases;
}

/** Claims as soon as it can be. */
async function claimed(leases: LeaseStore, nodeId: string): Promise<number> {
  for (;;) {
    const epoch = await leases.claim('acme', nodeId, LONG_MS);
    if (epoch !== undefined) return epoch;
  }
}

async function expectAllRefused(db: Db, store: Backend): Promise<void> {
  const before = await everything(db);
  for (const write of Object.values({ ...FENCED_BY_SERVER, ...FENCED_BY_PROCESS })) {
    await expectFailure(write(store), 'session_elsewhere');
  }
  expect(await everything(db)).to.deep.equal(before);
}

/** Checks how each write changes the documents of sessions, once the stores have applied it. */
async function watched(db: Db, stores: readonly Backend[]) {
  const applied = async () => {
    for (const { journal } of stores) await journal.countOpen();
    return everything(db);
  };
  let before = await applied();
  return {
    async expectRefused(store: Backend, name: string, write: SessionWrite): Promise<void> {
      const outcome = await expectFailure(write(store), 'session_elsewhere').catch((error: Error) => error);
      expect(outcome, name).to.be.a('string');
      expect(await applied(), name).to.deep.equal(before);
    },
    async expectTaken(store: Backend, name: string, write: SessionWrite): Promise<void> {
      await write(store);
      const after = await applied();
      expect(after, name).not.to.deep.equal(before);
      before = after;
    },
  };
}

/** All documents of sessions, but for what a commit leaves to be tidied up. */
async function everything(db: Db): Promise<object> {
  const names = (await namesOf(db)).filter((name) => !['leases', 'nodes'].includes(name));
  const found = await Promise.all(names.map((name) => db.collection(name).find().sort({ _id: 1 }).toArray()));
  return Object.fromEntries(names.map((name, index) => [name, (found[index] ?? []).map(tidy)]));
}

async function namesOf(db: Db): Promise<string[]> {
  return (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
}

function tidy({ log: _, ...document }: Document): Document {
  return document;
}
