import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import { openStore } from '../../../../src/gateway/store/open.js';
import type { Backend } from '../../../../src/gateway/store/store.js';
import {
  bytes,
  contact,
  expectFailure,
  idempotent,
  sent,
  session,
  text,
} from '../../../contracts/store/harness.js';
import { startTcpProxy, type TcpProxy } from '../../../support/tcp-proxy.js';
import {
  breakAt,
  MONGODB_URL,
  makeTestDatabase,
  serverAddress,
  type TestDatabase,
  throughProxy,
} from '../support/mongo.js';

/** Milliseconds in which an outage must show. */
const SECONDS = 9_000;
const PING_SECONDS = 4_000;

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  describe('a MongoDB server that becomes unavailable', () => {
    let database: TestDatabase;
    let proxy: TcpProxy;
    let backend: Backend;
    beforeEach(async () => {
      database = makeTestDatabase(server);
      proxy = await startTcpProxy(...serverAddress(server));
      backend = await openMongoBackend({ url: throughProxy(database, proxy.port) });
      await backend.sessions.create(session('acme'));
      await backend.keys.commit('acme', { credentials: bytes('before') });
    });
    afterEach(async () => {
      proxy.restore();
      await backend.close();
      await proxy.stop();
      await database.drop();
    });

    it('the server is detected within seconds when it refuses, and used again when it is back', async () => {
      proxy.cut();
      await expectOutage(backend);
      proxy.restore();
      await expectWorking(backend);
    });

    it('the server is detected within seconds when it is silent, and used again when it answers', async () => {
      proxy.freeze();
      await expectOutage(backend);
      proxy.restore();
      await expectWorking(backend);
    });

    it('delays no caller longer when several wait', async () => {
      await backend.ping();
      proxy.cut();
      const waiting = Array.from({ length: 50 }, (_, n) =>
        expectSoon(SECONDS, backend.keys.commit(`session-${n % 5}`, { credentials: bytes(String(n)) })),
      );
      await Promise.all(waiting);
      proxy.restore();
      await expectWorking(backend);
    });

    it('the server is used again after a request broke off in the middle', async () => {
      // long enough after the last look at it that the failure makes the driver look at once
      await setTimeout(700);
      proxy.watch(breakAt(1, database.name, 'cut'));
      await expectFailure(backend.keys.get('acme', 'session', ['a']), 'store_unavailable');
      proxy.restore();
      await expectWorking(backend);
    });

    it('does not prevent the store from closing', async () => {
      proxy.cut();
      await expectFailure(backend.keys.credentials('acme'), 'store_unavailable');
      await backend.close();
      await expectFailure(backend.ping(), 'store_unavailable');
    });
  });

  describe('a MongoDB server that does not exist', () => {
    const open = (url: string) => openStore({ url, dataDir: '', encryptionKey: new Uint8Array(32) });

    it('the server is reported in one line, within seconds', async () => {
      const message = await expectFailure(open('mongodb://127.0.0.1:1/x'), 'store_unavailable');
      expect(message).to.contain('127.0.0.1:1').and.not.contain('\n');
    });

    it('the server is reported in one line when its URL is invalid', async () => {
      const message = await expectFailure(open('mongodb://user:pass word@:x/'), 'store_unavailable');
      expect(message).to.contain('URL').and.not.contain('\n').and.not.contain('pass word');
    });
  });
}

async function expectOutage(backend: Backend): Promise<void> {
  const calls = [
    () => backend.sessions.get('acme'),
    () => backend.sessions.update('acme', { name: 'during' }),
    () => backend.keys.credentials('acme'),
    () => backend.keys.commit('acme', { credentials: bytes('during') }),
    () => backend.journal.countOpen(),
    () => backend.contacts.learn('acme', contact({ lid: 'L1' })),
    () => backend.sends.put('acme', sent('M1')),
    () => backend.idempotency.claim('acme', idempotent('k1')),
  ];
  const pinged = expectSoon(PING_SECONDS, backend.ping());
  await Promise.all([pinged, ...calls.map((call) => expectSoon(SECONDS, call()))]);
}

async function expectSoon(ms: number, promise: Promise<unknown>): Promise<void> {
  const start = performance.now();
  await expectFailure(promise, 'store_unavailable');
  expect(performance.now() - start).to.be.below(ms);
}

async function expectWorking(backend: Backend): Promise<void> {
  await backend.ping();
  expect(text(await backend.keys.credentials('acme'))).to.be.oneOf(['before', 'during']);
  await backend.keys.commit('acme', { credentials: bytes('after') });
  expect(text(await backend.keys.credentials('acme'))).to.equal('after');
  await backend.sessions.update('acme', { name: 'after' });
  expect((await backend.sessions.get('acme'))?.name).to.equal('after');
}
