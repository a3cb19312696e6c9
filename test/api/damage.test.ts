import { expect } from 'chai';
import { openMongoBackend } from '../../src/gateway/store/mongo/store.js';
import { openSqliteBackend } from '../../src/gateway/store/sqlite/store.js';
import type { Backend } from '../../src/gateway/store/store.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, linkSession, nextQr, reached, startWorld, type World } from '../support/world.js';

describe('a daemon whose stored values are damaged', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE);
    await linkSession(world, 'broken', CAROL);
  });
  after(() => world.stop());

  /** Changes the database behind the daemon's back, and starts the daemon again. */
  async function tamper(work: (backend: Backend) => Promise<unknown>): Promise<void> {
    await world.stopDaemon();
    const { setting } = world.place;
    const backend =
      setting === 'sqlite'
        ? await openSqliteBackend({ dataDir: world.dataDir })
        : await openMongoBackend({ url: setting });
    await work(backend);
    await backend.close();
    await world.startDaemon();
  }

  async function sendsAsAcme(): Promise<void> {
    await world.connected('acme');
    const { status } = await world.api.post('/send-message', {
      clientId: 'acme',
      to: BOB.number,
      body: 'well',
    });
    expect(status).to.equal(200);
  }

  async function reasonOf(clientId: string): Promise<unknown> {
    const { body } = await world.api.get('/health/clients');
    const clients = Array.isArray(body.clients) ? body.clients : [];
    return clients.find((client) => client.clientId === clientId)?.reason;
  }

  it('stops the session whose list of receivers cannot be read', async () => {
    await world.api.post('/receivers', { clientId: 'broken', url: world.receiver.url });
    await world.stopDaemon();
    const text = await world.inspect(async (store) => {
      const { receivers = null } = (await store.sessions.get('broken')) ?? {};
      await store.sessions.update('broken', { receivers: '{"lastId":2,"receivers":7}' });
      return receivers;
    });
    await world.startDaemon();
    await sendsAsAcme();
    await reached(world, 'broken', 'logged_out');
    expect(await reasonOf('broken')).to.match(
      /^A stored value of session broken \(receivers\) cannot be read/,
    );
    expect((await world.api.get('/receivers?clientId=broken')).headers.get('x-sn-error')).to.equal(
      'store_damaged',
    );
    await world.stopDaemon();
    await world.inspect((store) => store.sessions.update('broken', { receivers: text }));
    await world.startDaemon();
    await world.connected('broken');
  });

  it('stops the session whose settings do not open, and serves the others', async () => {
    await tamper(async ({ sessions }) => {
      const { webhookToken = '' } = (await sessions.get('broken')) ?? {};
      await sessions.update('broken', { webhookToken: `${webhookToken.slice(0, -4)}AAA=` });
    });
    await sendsAsAcme();
    await reached(world, 'broken', 'logged_out');
    expect(await reasonOf('broken')).to.match(
      /^A stored value of session broken \(sessions\) cannot be decrypted/,
    );
    const { status, headers, body } = await world.api.post('/start?clientId=broken', {});
    expect([status, headers.get('x-sn-error')]).to.deep.equal([503, 'store_damaged']);
    expect(body.error).to.match(/call \/disconnect first/);
  });

  it('links the number again once the damaged session is deleted', async () => {
    expect((await world.api.post('/disconnect', { clientId: 'broken' })).status).to.equal(200);
    await world.api.post('/start?clientId=broken', {});
    await world.phones.scan(CAROL.number, await nextQr(world, 'broken'));
    await world.connected('broken');
  });

  it('replays the kept events that follow a row of another session, and counts that row as damaged', async () => {
    await world.connected('acme');
    await world.api.post('/set-retention', { clientId: 'acme', keepEvents: 7 });
    for (const text of ['one', 'two', 'three']) {
      await world.phones.write(BOB.number, { to: ALICE.number, text });
    }
    const kept = async () => {
      const { body } = await world.api.get('/kept-events?clientId=acme');
      return Array.isArray(body.keptEvents) ? body.keptEvents : [];
    };
    await until('the kept events', async () => (await kept()).length === 3);
    await tamper(async ({ keptEvents }) => {
      const [first] = await keptEvents.list({ clientId: 'acme', order: 'oldest first', limit: 1 });
      if (!first) throw new Error('nothing is kept');
      const body = Buffer.alloc(64, 1).toString('base64');
      await keptEvents.add({ ...first, id: '01K0000000000000000000000A', at: first.at - 1, body });
    });
    await world.connected('acme');
    const { status, body } = await world.api.post('/replay', {
      clientId: 'acme',
      from: '1970-01-01T00:00:00Z',
    });
    expect([status, body]).to.deep.equal([
      200,
      { ok: true, clientId: 'acme', receiver: '1', replayed: 3, filtered: 0, damaged: 1 },
    ]);
  });

  it('stops the session whose credentials do not open', async () => {
    await tamper(({ keys }) => keys.commit('broken', { credentials: Buffer.alloc(64) }));
    await sendsAsAcme();
    await reached(world, 'broken', 'logged_out');
    expect(await reasonOf('broken')).to.match(
      /\(credentials\) cannot be decrypted.*call \/start to pair again/,
    );
  });
});
