import { expect } from 'chai';
import { reached, startWorld, type World } from '../support/world.js';
import { clients, expectOneLookUp, FLOOR, fleet } from './support/outdated.js';

describe('a client version that the network no longer accepts', () => {
  let world: World;
  afterEach(() => world.stop());

  it('the client version is looked up once for six sessions, which reconnect without an operator', async () => {
    world = await startWorld();
    await expectOneLookUp(world, 6);
  });

  it('the client version appears as the reason when no newer version can be looked up', async () => {
    world = await startWorld();
    const names = await fleet(world, 2);
    await world.phones.fault({ kind: 'no-version-page' });
    await world.phones.changeNetwork({ minVersion: FLOOR });
    await world.phones.fault({ kind: 'disconnect', count: names.length });
    await world.tail.until(
      (entry) => entry.kind === 'event' && entry.event.type === 'session_status',
      async () => (await clients(world)).every(({ reason }) => /--wa-version/.test(String(reason))),
    );
    for (const row of await clients(world)) {
      expect(row.status).to.equal('reconnecting');
      expect(row.reason).to.match(
        /^The network no longer accepts this client version \(2\.3000\.\d+\)\. The current one could not be looked up \(.*answered 503\)/,
      );
    }
    expect((await world.phones.stats()).versionLookups).to.equal(1);
    await world.phones.clearFaults();
    await world.phones.changeNetwork({ minVersion: null });
    for (const name of names) await reached(world, name, 'connected');
  });

  it('the client version is not replaced when it comes from the setting, and the reason names the setting', async () => {
    world = await startWorld({ settings: { waVersion: '2.3000.1800000000' } });
    const [name = ''] = await fleet(world, 1);
    expect((await world.api.get('/health/clients')).body.waVersion).to.deep.equal({
      version: '2.3000.1800000000',
      source: 'setting',
    });
    await world.phones.changeNetwork({ minVersion: FLOOR });
    await world.phones.fault({ kind: 'disconnect', count: 1 });
    await world.tail.until(
      (entry) => entry.kind === 'event' && entry.event.type === 'session_status',
      async () =>
        (await clients(world)).every(({ reason }) =>
          /The setting --wa-version names it/.test(String(reason)),
        ),
    );
    expect((await world.phones.stats()).versionLookups).to.equal(0);
    await world.phones.changeNetwork({ minVersion: null });
    await reached(world, name, 'connected');
  });
});
