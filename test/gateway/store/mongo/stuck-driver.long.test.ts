import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { ClientKeeper } from '../../../../src/gateway/store/mongo/client-keeper.js';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import type { Backend } from '../../../../src/gateway/store/store.js';
import { bytes, expectFailure, session } from '../../../contracts/store/harness.js';
import { type Cut, type MongoProxy, startMongoProxy } from '../../../support/mongo-proxy.js';
import { until } from '../../../support/until.js';
import {
  MONGODB_URL,
  makeTestDatabase,
  serverAddress,
  type TestDatabase,
  throughProxy,
} from '../support/mongo.js';

/** More than the buffers of a connection take. */
const LARGE = Buffer.alloc(12 * 1024 * 1024);
const OUTAGE_MS = 700;
/** A busy machine may take longer than 2 s. */
const BACK_WITHIN_MS = 6_000;
/** The driver's timeout of a silent socket three times, and a second for slow machines. */
const LOST_AFTER_MS = 16_000;
/** Longer than this test may wait for the driver's own timeouts. */
const FAR_OFF_MS = 60_000;
/** Longer than the pause between two health checks. */
const BLOCKED_MS = 600;

const CLOSED: Cut = { phase: 'write', moment: 'after', breakage: 'closed', door: 'closed' };
const SWALLOWED: Cut = { phase: 'read', moment: 'replied', breakage: 'swallowed', door: 'silent' };

/** The driver while it waits for a command that it has lost, such as one that ends a cursor. */
class NeverClosed extends MongoClient {
  override close(): Promise<void> {
    return new Promise(() => undefined);
  }
}

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  describe('a MongoDB driver that waits for ever', () => {
    let database: TestDatabase;
    let proxy: MongoProxy;
    let backend: Backend | undefined;
    beforeEach(async () => {
      database = makeTestDatabase(server);
      proxy = await startMongoProxy(...serverAddress(server));
    });
    afterEach(async () => {
      await backend?.close();
      backend = undefined;
      await proxy.stop();
      await database.drop();
    });
    const open = async () => {
      backend = await openMongoBackend({ url: throughProxy(database, proxy.port) });
      await backend.sessions.create(session('acme'));
      return backend;
    };
    /** Cuts the connections of a write, so that the driver starts a health check on a connection that is closing. */
    const losesHealthChecks = async (sockets: ReadonlySet<Socket>, write: () => Promise<unknown>) => {
      const cutting = proxy.cutAt(CLOSED);
      const failed = write().catch(() => undefined);
      await Promise.all([cutting, blockedWhileClosing(sockets)]);
      await setTimeout(OUTAGE_MS);
      await proxy.restore();
      await failed;
    };

    it('does not recover on its own after a health check on a closing connection', async () => {
      const sockets = collectSockets(proxy.port);
      const client = new MongoClient(throughProxy(database, proxy.port), {
        heartbeatFrequencyMS: 500,
        serverSelectionTimeoutMS: 1_000,
      });
      try {
        await client.connect();
        const rows = client.db(database.name).collection('rows');
        await rows.insertOne({});
        await losesHealthChecks(sockets.stop(), () => rows.insertOne({}));
        for (const _ of [1, 2, 3]) {
          const message = await rows.insertOne({}).then(String, (error: Error) => error.message);
          expect(message).to.match(/^connection \d+ to \S+ closed$/);
        }
      } finally {
        await client.close();
      }
    });

    it('is replaced when it does not find the server again', async () => {
      const sockets = collectSockets(proxy.port);
      const store = await open();
      await losesHealthChecks(sockets.stop(), () => store.ping());
      await expectBack(store);
    });

    it('is replaced when a server answers neither an operation nor a health check, although other operations succeed', async () => {
      const keeper = new ClientKeeper({
        make: () =>
          new MongoClient(throughProxy(database, proxy.port), {
            heartbeatFrequencyMS: 500,
            connectTimeoutMS: FAR_OFF_MS,
            socketTimeoutMS: FAR_OFF_MS,
          }),
        probe: async (client) => void (await client.db(database.name).command({ ping: 1 })),
      });
      const read = () => keeper.run(() => keeper.client.db(database.name).collection('rows').findOne());
      await keeper.connect();
      const { client } = keeper;
      try {
        const cutting = proxy.cutAt(SWALLOWED);
        await read();
        await cutting;
        await proxy.restore();
        void read().catch(() => undefined);
        await until('another client', async () => {
          await keeper.run(async () => undefined);
          return keeper.client !== client;
        });
        expect(await read()).to.equal(null);
      } finally {
        await keeper.close();
      }
    });

    it('is closed with its connections and health checks, although it never reports its end', async () => {
      const sockets = collectSockets(proxy.port);
      const keeper = new ClientKeeper({
        make: () => new NeverClosed(throughProxy(database, proxy.port)),
        probe: async (client) => void (await client.db(database.name).command({ ping: 1 })),
      });
      await keeper.connect();
      await keeper.run(async () => keeper.client.db(database.name).collection('rows').insertOne({}));
      await keeper.close();
      const opened = [...sockets.stop()];
      expect(opened).to.have.length.above(1);
      expect(opened.map(({ destroyed }) => destroyed)).not.to.include(false);
    });

    it('stays open until operations that began with the client before it have ended', async () => {
      const lost = new Set<MongoClient>();
      const keeper = new ClientKeeper({
        make: () => new MongoClient(throughProxy(database, proxy.port)),
        probe: async (client) => {
          if (lost.has(client)) throw new Error('this client does not find the server');
          await client.db(database.name).command({ ping: 1 });
        },
      });
      const replaced = async () => {
        const { client } = keeper;
        lost.add(client);
        keeper.noteFailure();
        await until('another client', async () => keeper.client !== client);
      };
      await keeper.connect();
      try {
        const rows = () => keeper.client.db(database.name).collection('rows');
        await rows().insertMany(Array.from({ length: 10 }, () => ({})));
        const read = await keeper.run(async () => {
          await replaced();
          const cursor = rows().find({}, { batchSize: 2 });
          await cursor.next();
          await replaced();
          // the keeper looks for clients to close several times a second
          await setTimeout(OUTAGE_MS);
          return 1 + (await cursor.toArray()).length;
        });
        expect(read).to.equal(10);
      } finally {
        await keeper.close();
      }
    });

    it('fails a large write that it lost within a limited time, and delays no other caller', async () => {
      const store = await open();
      await store.keys.commit('large', { credentials: bytes('before') });
      const cutting = proxy.cutAt(SWALLOWED);
      await store.sessions.get('acme');
      await cutting;
      const start = performance.now();
      const written = expectFailure(store.keys.commit('large', { credentials: LARGE }), 'store_unavailable');
      await setTimeout(OUTAGE_MS);
      await proxy.restore();
      await expectBack(store);
      await written;
      expect(performance.now() - start).to.be.within(LOST_AFTER_MS / 2, LOST_AFTER_MS + BACK_WITHIN_MS);
      await store.keys.commit('large', { credentials: bytes('after') });
    });
  });
}

async function expectBack(store: Backend): Promise<void> {
  const start = performance.now();
  const isBack = () =>
    store.keys.commit('acme', { credentials: bytes('back') }).then(
      () => true,
      () => false,
    );
  while (!(await isBack())) {
    expect(performance.now() - start).to.be.below(BACK_WITHIN_MS);
    await setTimeout(20);
  }
}

/** The sockets to a port that this process opens until it stops. */
function collectSockets(port: number): { stop(): ReadonlySet<Socket> } {
  const sockets = new Set<Socket>();
  const collect = (message: unknown) => {
    const isObject = typeof message === 'object' && message !== null;
    if (isObject && 'socket' in message && message.socket instanceof Socket) sockets.add(message.socket);
  };
  subscribe('net.client.socket', collect);
  return {
    stop() {
      unsubscribe('net.client.socket', collect);
      for (const socket of sockets) if (socket.remotePort !== port) sockets.delete(socket);
      return sockets;
    },
  };
}

/** Keeps the process busy once the sockets are destroyed and have not said so yet, as on a machine with much to do. */
function blockedWhileClosing(sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (![...sockets].every(({ destroyed }) => destroyed)) return setImmediate(look);
      const end = performance.now() + BLOCKED_MS;
      while (performance.now() < end);
      resolve();
    };
    setImmediate(look);
  });
}
