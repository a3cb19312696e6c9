import { expect } from 'chai';
import Doctor from '../../commands/doctor.js';
import type { RawSettings } from '../../src/gateway/config/schema.js';
import { readReceivers, writeReceivers } from '../../src/gateway/services/sessions/receiver-list.js';
import { runCommand } from '../support/run-command.js';
import { linkSession, startWorld, TOKEN, type World } from '../support/world.js';

const SECRET = 'secret-of-acme-0123456789';
const BROKER = 'redis://127.0.0.1:1/0?stream=wa';

describe('brokers that tenants name', () => {
  const settings: RawSettings = { allowPrivateUrls: true };
  let world: World;
  before(async () => {
    world = await startWorld({ settings });
    await linkSession(world, 'acme');
    await world.api.post('/set-api-secret', { clientId: 'acme', secret: SECRET });
  });
  after(() => world.stop());
  afterEach(async () => {
    for (const { id } of await list()) {
      if (id !== '1') await world.api.post('/receivers/remove', { clientId: 'acme', id });
    }
  });

  const list = async (): Promise<{ id: string; setBy?: string }[]> =>
    JSON.parse(JSON.stringify((await world.api.get('/receivers?clientId=acme')).body)).receivers;
  const add = (api: World['api'], settings: object) =>
    api.post('/receivers', { clientId: 'acme', filter: { types: ['image'] }, ...settings });
  const update = (api: World['api'], id: string, settings: object) =>
    api.post('/receivers/update', { clientId: 'acme', id, ...settings });
  const tenant = () => world.api.as(SECRET);
  const restart = async (allowTenantBrokers: boolean) => {
    await world.stopDaemon();
    settings.allowTenantBrokers = allowTenantBrokers;
    await world.startDaemon();
  };
  const lastId = async () => (await list()).at(-1)?.id ?? '';
  const doctor = async () => {
    const env = { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
    const { stdout } = await runCommand(Doctor, ['--json', '--data-dir', world.dataDir], env);
    const { checks }: { checks: { id: string; trouble?: string; detail: string }[] } = JSON.parse(stdout);
    return checks.find(({ id }) => id === 'brokers');
  };

  it('are refused by default, whether added or changed, and the error says what to do', async () => {
    const webhook = { url: world.receiver.url };
    expect((await add(tenant(), webhook)).status).to.equal(200);
    for (const { status, body } of [
      await add(tenant(), { url: BROKER }),
      await update(tenant(), await lastId(), { url: BROKER }),
    ]) {
      expect(status).to.equal(403);
      expect(body.error).to.match(
        /^url: a session's secret must not set the address of a broker, unless the gateway runs with --allow-tenant-brokers$/,
      );
    }
    expect(await list()).to.have.length(2);
  });

  it('cannot be set through any other route that takes an address', async () => {
    for (const [path, body] of [
      ['/set-webhook', { webhookUrl: BROKER }],
      ['/set-webhook', { pollLookupUrl: BROKER }],
      ['/start', { webhookUrl: BROKER }],
      ['/adopt', { receivers: [{ url: BROKER }] }],
    ] as const) {
      const { status } = await tenant().post(path, { clientId: 'acme', ...body });
      expect(status, path).to.be.oneOf([400, 403]);
    }
    expect(await list()).to.have.length(1);
  });

  it('may be set with the master token, and the tenant may change other settings of that receiver', async () => {
    expect((await add(world.api, { url: BROKER })).status).to.equal(200);
    const id = await lastId();
    expect((await update(tenant(), id, { name: 'mine' })).status).to.equal(200);
    expect((await list()).at(-1)).to.include({ id, name: 'mine', setBy: 'operator' });
    expect(await doctor()).to.include({ detail: 'the operator set all brokers' });
  });

  it('are allowed with --allow-tenant-brokers, keep running without it, and are shown by doctor', async () => {
    await restart(true);
    expect((await add(tenant(), { url: BROKER })).status).to.equal(200);
    await restart(false);
    const id = await lastId();
    expect((await list()).at(-1)).to.include({ setBy: 'tenant' });
    expect(await doctor()).to.include({
      trouble: 'tenant-broker',
      detail: `receiver ${id} sends events to redis://127.0.0.1:1: the secret of the session set it`,
    });
    expect((await update(world.api, id, { url: BROKER })).status).to.equal(200);
    expect(await doctor()).to.include({ detail: 'the operator set all brokers' });
  });

  it('are shown by doctor when an earlier release stored them, because it did not record who set them', async () => {
    await add(world.api, { url: BROKER });
    const id = await lastId();
    await world.stopDaemon();
    await world.inspect(async (store) => {
      const record = await store.sessions.get('acme');
      if (!record) throw new Error('unreachable: the session is stored');
      const { lastId, receivers } = readReceivers(record.receivers);
      const earlier = receivers.map(({ setBy: _, ...one }) => one);
      await store.sessions.update('acme', { receivers: writeReceivers({ lastId, receivers: earlier }) });
    });
    await world.startDaemon();
    expect(await doctor()).to.include({
      trouble: 'tenant-broker',
      detail: `receiver ${id} sends events to redis://127.0.0.1:1: the secret of the session may have set it`,
    });
  });

  describe('POST /receivers', () => {
    it('refuses a receiver name with control characters', async () => {
      for (const name of ['a\u0000b', 'a\nb', 'a\u001b[2Jb', 'a\u202eb', 'a\u2028b']) {
        const { status, body } = await add(world.api, { url: world.receiver.url, name });
        expect([status, body.error]).to.deep.equal([400, 'name must not contain control characters']);
      }
    });
  });
});
