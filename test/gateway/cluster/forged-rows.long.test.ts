import { expect } from 'chai';
import { type Db, type Document, MaxKey, MongoClient, Timestamp } from 'mongodb';
import { systemClock } from '../../../src/domain/clock.js';
import { HOP_HEADER, NodeAuth } from '../../../src/gateway/cluster/node-auth.js';
import { openStore } from '../../../src/gateway/store/open.js';
import { startReceiver, type TestReceiver } from '../../support/receiver.js';
import { until } from '../../support/until.js';
import { BOB, linkSession, startWorld, TOKEN, type World } from '../../support/world.js';
import { MONGODB_URL } from '../store/support/mongo.js';

const IN_A_THOUSAND_YEARS = new Date(Date.UTC(3026, 0));
const LEASE_SECONDS = 4;
const PATHS = [
  '/health/ready',
  '/nodes',
  '/nodes?leases=true',
  '/nodes?leases=true&clientId=acme',
  '/fleet',
  '/clients',
];
/** What a field holds that somebody has written by hand. */
const WRONG: readonly unknown[] = [
  ...[5, -1, Number.NaN, 1e308, '', 'text', null, true, [], {}, { $gt: '' }, ['http://127.0.0.1:1']],
  ...[new Timestamp({ t: 2_000_000_000, i: 1 }), new MaxKey(), /x/, IN_A_THOUSAND_YEARS, new Date(8.64e15)],
];

type Collection = 'nodes' | 'leases';

if (MONGODB_URL) {
  describe('forged rows of nodes and leases in the database', function () {
    this.timeout(60_000);
    let world: World;
    let intruder: TestReceiver;
    let client: MongoClient;
    let db: Db;
    // as commands: filters of the driver know ids of one type only
    const own = async (collection: Collection, id?: string) => {
      const isIt = id === undefined ? {} : { $expr: { $eq: ['$_id', id] } };
      const row = await db.collection(collection).findOne(isIt);
      if (!row) throw new Error(`the daemon has no row in ${collection}`);
      return row;
    };
    const change = (collection: Collection, id: unknown, fields: Document) =>
      db.command({ update: collection, updates: [{ q: { _id: id }, u: { $set: fields } }] });

    before(async () => {
      [world, intruder] = await Promise.all([
        startWorld({ settings: { leaseSeconds: LEASE_SECONDS } }),
        startReceiver(),
      ]);
      client = await new MongoClient(world.place.setting).connect();
      db = client.db();
      await world.phones.addPhone(BOB);
      await linkSession(world, 'acme');
    });
    after(async () => {
      await client.close();
      await intruder.stop();
      await world.stop();
    });

    const send = (clientId: string) =>
      world.api.post('/send-message', { clientId, to: BOB.number, body: 'hello' });

    /** Resolves when the daemon has announced itself, read the other nodes, and renewed its lease. */
    async function renewed(nodeId: string): Promise<void> {
      const { seenAt } = await own('nodes', nodeId);
      const { expiresAt } = await own('leases', 'acme');
      await until('a heartbeat and a renewal', async () => {
        const [node, lease] = [await own('nodes', nodeId), await own('leases', 'acme')];
        return node.seenAt > seenAt && lease.expiresAt > expiresAt;
      });
    }

    /** The daemon lists its nodes and leases, and serves its session, also when it has renewed the leases twice. */
    async function serves(): Promise<void> {
      const { nodeId } = await own('leases', 'acme');
      for (let renewals = 0; renewals < 2; renewals++) {
        for (const path of PATHS) {
          const { status, body } = await world.api.get(path);
          expect(status, `${path} ${JSON.stringify(body)}`).to.equal(200);
          if (body.nodes) expect(body.nodes).to.have.lengthOf(1);
        }
        expect((await send('acme')).status).to.equal(200);
        await renewed(nodeId);
      }
      expect(intruder.calls).to.deep.equal([]);
    }

    /** Puts rows there while the work lasts. */
    async function among(collection: Collection, made: readonly Document[], work: () => Promise<void>) {
      await db.command({ insert: collection, documents: made });
      try {
        await work();
      } finally {
        const ids = made.map(({ _id }) => _id);
        await db.command({ delete: collection, deletes: [{ q: { _id: { $in: ids } }, limit: 0 }] });
      }
    }

    it('do not stop the heartbeats, whatever type a field of a node has', async () => {
      const right = {
        ...(await own('nodes')),
        name: 'intruder',
        url: intruder.url,
        seenAt: IN_A_THOUSAND_YEARS,
      };
      const fields = ['name', 'url', 'version', 'proof', 'draining', 'startedAt', 'seenAt'];
      const made = fields.flatMap((field) =>
        WRONG.map((value, index) => ({ ...right, _id: `${field}-${index}`, [field]: value })),
      );
      const ids = [7, { a: 1 }, new Timestamp({ t: 1, i: 1 }), IN_A_THOUSAND_YEARS];
      await among('nodes', [...made, ...ids.map((_id) => ({ ...right, _id }))], serves);
    });

    it('do not stop the heartbeats of a node whose own row they replace', async () => {
      const { _id } = await own('nodes');
      for (const startedAt of ['then', IN_A_THOUSAND_YEARS, 5, new MaxKey()]) {
        await change('nodes', _id, { startedAt, draining: 'no', proof: 5 });
        await until('the row is right again', async () => {
          const row = await own('nodes', String(_id));
          return row.startedAt instanceof Date && row.startedAt < IN_A_THOUSAND_YEARS && row.proof !== 5;
        });
        await serves();
      }
    });

    it('do not stop the other nodes, whatever type a field of a lease has', async () => {
      const right: Document = {
        ...{ nodeId: 'nobody', epoch: 1, claim: 'x', gone: false },
        ...{ claimedAt: new Date(), expiresAt: IN_A_THOUSAND_YEARS },
      };
      const fields = ['nodeId', 'epoch', 'claim', 'claimedAt', 'expiresAt', 'gone'];
      const valid = fields.flatMap((field) =>
        WRONG.map((value, index) => ({ ...right, _id: `${field}${index}`, [field]: value })),
      );
      const expired = valid.map((row) => ({
        ...row,
        _id: `${row._id}old`,
        gone: 0,
        expiresAt: row.expiresAt === IN_A_THOUSAND_YEARS ? new Date(0) : row.expiresAt,
      }));
      const ids = [7, { a: 1 }, new Timestamp({ t: 1, i: 1 })].map((_id) => ({ ...right, _id }));
      await among('leases', [...valid, ...expired, ...ids], serves);
    });

    it('take a session from its node, which gets the session back when the lease is right again', async () => {
      const right = await own('leases', 'acme');
      const taken = [
        { nodeId: 'nobody', expiresAt: IN_A_THOUSAND_YEARS },
        { nodeId: 'nobody', expiresAt: IN_A_THOUSAND_YEARS, epoch: 1e300 },
        { nodeId: 'nobody', expiresAt: IN_A_THOUSAND_YEARS, epoch: -1 },
      ];
      for (const fields of taken) {
        await change('leases', 'acme', fields);
        await until('the session is left', async () => (await send('acme')).status >= 500);
        // what the docs tell an operator to do
        await change('leases', 'acme', { expiresAt: new Date(0) });
        await until('the session is back', async () => (await send('acme')).status === 200);
      }
      await serves();
      expect((await own('leases', 'acme')).epoch).to.be.above(right.epoch);
    });

    it('take a session from its node, which gets the session back on its own if the lease has wrong types', async () => {
      for (const expiresAt of [null, 'text', [new Date()], new MaxKey()]) {
        const wrong = { nodeId: 5, epoch: 'text', claim: [], claimedAt: 'then', expiresAt };
        await change('leases', 'acme', wrong);
        await until('the session is back', async () => {
          const { status } = await send('acme');
          return status === 200 && typeof (await own('leases', 'acme')).nodeId === 'string';
        });
      }
      await serves();
    });

    it('reveal no token when they are of a former node: a request to it has only the proof of the hop', async () => {
      const signed = new NodeAuth(world.encryptionKey, systemClock);
      const store = await openStore({
        url: world.place.setting,
        dataDir: world.dataDir,
        encryptionKey: world.encryptionKey,
      });
      const former = { nodeId: 'former', name: 'former', url: intruder.url, version: '2026-11' };
      if (store.cluster) await signed.proven(store.cluster.nodes).announce(former, 60_000);
      await store.close();
      const row = await own('nodes', 'former');
      await db.command({ delete: 'nodes', deletes: [{ q: { _id: 'former' }, limit: 0 }] });
      // its row was right for a moment, in which the daemon may have called it
      const { nodeId } = await own('leases', 'acme');
      for (let beats = 0; beats < 2; beats++) await renewed(nodeId);
      intruder.calls.length = 0;
      const lease = { nodeId: 'former', epoch: 3, claimedAt: new Date(), expiresAt: IN_A_THOUSAND_YEARS };
      // with another address or another id its proof is worth nothing
      const elsewhere = [
        { ...row, url: `${intruder.url}/x` },
        { ...row, _id: 'copied', seenAt: IN_A_THOUSAND_YEARS },
      ];
      const asLease = (nodeId: string) => [{ ...lease, _id: 'theirs', nodeId }];
      for (const made of elsewhere) {
        await among('nodes', [{ ...made, seenAt: IN_A_THOUSAND_YEARS }], () =>
          among('leases', asLease(String(made._id)), async () => {
            expect((await send('theirs')).status).to.be.oneOf([404, 503]);
            await serves();
          }),
        );
      }
      await among('nodes', [{ ...row, seenAt: IN_A_THOUSAND_YEARS }], () =>
        among('leases', asLease('former'), async () => {
          await send('theirs');
          // the live stream asks all nodes too
          expect(intruder.calls.some(({ path }) => path === '/send-message')).to.equal(true);
          for (const call of intruder.calls) {
            expect(call.headers)
              .to.include.keys(HOP_HEADER)
              .and.to.not.have.any.keys('authorization', 'x-v3-secret');
            expect(JSON.stringify(call)).to.not.contain(TOKEN);
          }
        }),
      );
    });
  });
}
