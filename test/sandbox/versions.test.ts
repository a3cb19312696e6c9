import { expect } from 'chai';
import { SandboxRefusal } from '../../src/client/sandbox/client.js';
import { ALICE, SandboxWorld } from './support/world.js';

const OLD = '2.3000.1043857760';
const NEW: [number, number, number] = [2, 3000, 1_050_000_000];
const FLOOR = NEW.join('.');

describe('Sandbox: PATCH /network {minVersion}', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('refuses a login and a registration below the floor with 405', async () => {
    const device = await world.linked(ALICE);
    expect(await world.client.changeNetwork({ minVersion: FLOOR })).to.include({ minVersion: FLOOR });
    const closed = device.closed();
    await world.client.fault({ kind: 'disconnect' });
    await closed;
    device.start();
    expect(await device.closed()).to.equal(405);
    const fresh = world.device();
    fresh.start();
    expect(await fresh.closed()).to.equal(405);
    expect(await world.client.stats()).to.include({ outdated: 2, logins: 1 });
  });

  it('accepts the floor itself and every newer version, and every version once the floor is removed', async () => {
    await world.client.changeNetwork({ minVersion: FLOOR });
    await world.linked(ALICE, { version: NEW });
    await world.linked(ALICE, { version: [2, 3001, 1] });
    await world.client.changeNetwork({ minVersion: null });
    await world.linked(ALICE);
    expect(await world.client.stats()).to.include({ outdated: 0, logins: 3 });
  });

  it('serves the version at /sw.js in the format that the library parses', async () => {
    expect(await world.client.network()).to.deep.include({ minVersion: null, currentVersion: OLD });
    await world.client.changeNetwork({ minVersion: FLOOR });
    const page = await (await fetch(`${world.sandbox.url}/sw.js`)).text();
    expect(/\\?"client_revision\\?":\s*(\d+)/.exec(page)?.[1]).to.equal(String(NEW[2]));
    expect(await world.client.stats()).to.include({ versionLookups: 1 });
  });

  it('answers 503 instead of the page while the fault no-version-page lasts', async () => {
    await world.client.fault({ kind: 'no-version-page', count: 1, ms: 20 });
    expect((await fetch(`${world.sandbox.url}/sw.js`)).status).to.equal(503);
    expect((await fetch(`${world.sandbox.url}/sw.js`)).status).to.equal(200);
  });

  it('refuses an invalid version', async () => {
    const refused = await world.client.changeNetwork({ minVersion: '3.1' }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(SandboxRefusal).with.property('status', 400);
  });
});
