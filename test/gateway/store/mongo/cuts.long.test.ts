import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongoBackend } from '../../../../src/gateway/store/mongo/store.js';
import type { Backend } from '../../../../src/gateway/store/store.js';
import { bytes, session } from '../../../contracts/store/harness.js';
import { Chance } from '../../../support/chance.js';
import { type Cut, type MongoProxy, startMongoProxy } from '../../../support/mongo-proxy.js';
import {
  MONGODB_URL,
  makeTestDatabase,
  serverAddress,
  type TestDatabase,
  throughProxy,
} from '../support/mongo.js';

/** A sample; 500 were run whole, with the limit of 2 s. */
const CUTS = Number(process.env.SWITCHBOARD_TEST_CUTS ?? 12);
/** A busy machine may take longer than 2 s. */
const BACK_WITHIN_MS = Number(process.env.SWITCHBOARD_TEST_BACK_MS ?? 6_000);
const OUTAGE_MS = [100, 2_500] as const;
/** A list of so many sessions takes a second batch. */
const SESSIONS = 120;

if (MONGODB_URL) suite(MONGODB_URL);

function suite(server: string): void {
  const chance = new Chance();

  describe('a MongoDB server that is cut off in each phase of the driver', () => {
    let database: TestDatabase;
    let proxy: MongoProxy;
    let backend: Backend;
    let load: Load;
    before(async () => {
      database = makeTestDatabase(server);
      proxy = await startMongoProxy(...serverAddress(server));
      backend = await openMongoBackend({ url: throughProxy(database, proxy.port) });
      for (let n = 0; n < SESSIONS; n++) await backend.sessions.create(session(`session-${n}`));
      load = startLoad(backend);
    });
    after(async () => {
      await load.stop();
      await backend.close();
      await proxy.stop();
      await database.drop();
    });

    it(`is used again within ${BACK_WITHIN_MS} ms of its return, after each of ${CUTS} cuts (seed ${chance.seed})`, async () => {
      const late: string[] = [];
      let slowest = 0;
      for (let n = 1; n <= CUTS; n++) {
        const cut = anyCut(chance);
        const outageMs = chance.between(...OUTAGE_MS);
        await proxy.cutAt(cut);
        await setTimeout(outageMs);
        await proxy.restore();
        const backMs = await untilBack(backend);
        slowest = Math.max(slowest, backMs);
        if (backMs > BACK_WITHIN_MS) late.push(`${n}: ${JSON.stringify(cut)} ${outageMs} ms: ${backMs} ms`);
      }
      console.info(`    cuts: ${CUTS}, slowest return ${slowest} ms`);
      expect(late).to.deep.equal([]);
    }).timeout(CUTS * 20_000);
  });
}

function anyCut(chance: Chance): Cut {
  return {
    phase: chance.pick('handshake', 'monitor', 'write', 'read', 'cursor'),
    moment: chance.pick('before', 'mid-request', 'after', 'mid-reply', 'replied'),
    breakage: chance.pick('closed', 'reset', 'swallowed'),
    door: chance.pick('refused', 'closed', 'silent'),
  };
}

/** Milliseconds until the server answers a ping and takes a write of a session that has no request in flight. */
async function untilBack(backend: Backend): Promise<number> {
  const start = performance.now();
  for (;;) {
    try {
      await backend.ping();
      await backend.keys.commit('session-0', { credentials: bytes('back') });
      return Math.round(performance.now() - start);
    } catch {
      await setTimeout(20);
    }
  }
}

interface Load {
  stop(): Promise<void>;
}

/** Reads and writes all the time, so that each phase comes: new connections too, because lists take several at once. */
function startLoad(backend: Backend): Load {
  let isStopping = false;
  const again = async (work: () => Promise<unknown>) => {
    while (!isStopping) {
      await work().catch(() => undefined);
      await setTimeout(5);
    }
  };
  const loops = [
    ...[1, 2, 3].map((n) =>
      again(() => backend.keys.commit(`session-${n}`, { credentials: bytes('x'.repeat(20_000)) })),
    ),
    ...[1, 2].map(() => again(() => backend.sessions.list())),
    again(() => backend.keys.get('session-1', 'session', ['a'])),
    again(async () => {
      await setTimeout(400);
      await Promise.all(Array.from({ length: 12 }, () => backend.journal.countOpen()));
    }),
  ];
  return {
    async stop() {
      isStopping = true;
      await Promise.all(loops);
    },
  };
}
