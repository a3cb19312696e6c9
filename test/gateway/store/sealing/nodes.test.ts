import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { openStore, rotateEncryptionKey } from '../../../../src/gateway/store/open.js';
import type { SealedStore } from '../../../../src/gateway/store/sealing/sealed-store.js';
import {
  bytes,
  expectFailure,
  message,
  roomUpdate,
  session,
  text,
} from '../../../contracts/store/harness.js';
import { MONGODB_URL, makeTestDatabase, type TestDatabase } from '../support/mongo.js';

const LONG_MS = 60_000;

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('two nodes with one sealed store', () => {
    const encryptionKey = randomBytes(32);
    let database: TestDatabase;
    let stores: SealedStore[] = [];

    beforeEach(() => {
      database = makeTestDatabase(server);
    });
    afterEach(async () => {
      await Promise.all(stores.map((store) => store.close()));
      stores = [];
      await database.drop();
    });

    async function open(): Promise<SealedStore> {
      const store = await openStore({ url: database.url, dataDir: '', encryptionKey });
      stores.push(store);
      return store;
    }

    async function claim(store: SealedStore, nodeId: string): Promise<number> {
      const epoch = await store.cluster?.leases.claim('acme', nodeId, LONG_MS);
      if (epoch === undefined) throw new Error('it is held');
      return epoch;
    }

    it('read a session that the other node has deleted and created again', async () => {
      const [a, b] = [await open(), await open()];
      const first = await claim(a, 'a');
      await a.sessions.create(session('acme'));
      await a.history.record('acme', roomUpdate(), message('M1'));
      await a.cluster?.leases.release('acme', 'a', first);
      const second = await claim(b, 'b');
      await b.forget('acme');
      await b.sessions.create(session('acme'));
      await b.history.record('acme', roomUpdate(), message('M2'));
      await b.keys.commit('acme', { credentials: bytes('fresh') });
      await b.cluster?.leases.release('acme', 'b', second);
      await claim(a, 'a');
      expect(await a.history.message('acme', 'acme-1-2', 'M1')).to.equal(undefined);
      expect((await a.history.message('acme', 'acme-1-2', 'M2'))?.body).to.equal('body M2');
      expect(text(await a.keys.credentials('acme'))).to.equal('fresh');
    });

    it('keep their encryption key while one of them is running', async () => {
      const store = await open();
      const node = { nodeId: '1', name: 'east', url: 'http://east', version: '2026-11' };
      await store.cluster?.nodes.announce(node, LONG_MS);
      const rotate = () =>
        rotateEncryptionKey({ url: database.url, dataDir: '', from: encryptionKey, to: randomBytes(32) });
      expect(await expectFailure(rotate(), 'store_in_use')).to.contain('east');
      await store.cluster?.nodes.leave('1');
      await rotate();
    });
  });
}
