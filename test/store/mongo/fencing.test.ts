import { expect } from 'chai';
import { openMongoBackend } from '../../../src/store/mongo/mongo-store.js';
import type { Backend, LeaseStore } from '../../../src/store/store.js';
import { bytes, expectFailure, text } from '../../contracts/store/harness.js';
import { ManualClock } from '../../support/manual-clock.js';
import { MONGODB_URL, makeTestDatabase, type TestDatabase } from '../support/mongo.js';

const LONG_MS = 60_000;
const SHORT_MS = 300;

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  describe('what a node writes to MongoDB that does not hold the session any more', () => {
    let database: TestDatabase;
    let a: Backend;
    let b: Backend;
    beforeEach(async () => {
      database = makeTestDatabase(server);
      // a process whose clock stands still does not know by itself that its lease is over
      a = await openMongoBackend({ ...database, clock: new ManualClock() });
      b = await openMongoBackend(database);
    });
    afterEach(async () => {
      await a.close();
      await b.close();
      await database.drop();
    });

    it('is refused where another one has committed nothing yet', async () => {
      expect(await leasesOf(a).claim('acme', 'a', SHORT_MS)).to.equal(1);
      await a.keys.commit('acme', { credentials: bytes('of a') });
      expect(await claimed(leasesOf(b))).to.equal(2);
      await expectFailure(a.keys.commit('acme', { credentials: bytes('late') }), 'session_elsewhere');
      expect(text(await b.keys.credentials('acme'))).to.equal('of a');
      await b.keys.commit('acme', { credentials: bytes('of b') });
      await expectFailure(a.keys.commit('acme', { credentials: bytes('late') }), 'session_elsewhere');
      await expectFailure(a.forget('acme'), 'session_elsewhere');
      expect(text(await a.keys.credentials('acme'))).to.equal('of b');
    });
  });
}

function leasesOf({ cluster }: Backend): LeaseStore {
  if (!cluster) throw new Error('the store has no leases');
  return cluster.leases;
}

/** Claims as soon as it can be. */
async function claimed(leases: LeaseStore): Promise<number> {
  for (;;) {
    const epoch = await leases.claim('acme', 'b', LONG_MS);
    if (epoch !== undefined) return epoch;
  }
}
