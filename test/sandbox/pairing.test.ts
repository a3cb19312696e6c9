import { expect } from 'chai';
import { type NetworkEvent, SandboxRefusal } from '../../src/sandbox/client.js';
import { ALICE, BOB, CAROL, SandboxWorld } from './support/world.js';

describe('Sandbox: pairing', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  it('links a client by QR: restart, login, open, with number, hidden id and name', async () => {
    const device = world.device();
    const qr = await device.qr();
    const closed = device.closed();
    const linked = await world.client.scan(ALICE, qr);
    expect(await closed).to.equal(515);
    expect(linked).to.include({ id: 1, connected: false });
    expect(linked.platform).to.match(/\(.+\)/);
    const phone = await world.client.phone(ALICE);
    expect(device.creds.me).to.include({
      id: '15550000001:1@s.whatsapp.net',
      lid: phone.lid.replace('@', ':1@'),
      name: 'Alice',
    });
    await device.connect();
    expect((await world.client.phone(ALICE)).devices).to.have.nested.property('[0].connected', true);
  });

  it('links several clients to one number, and several numbers at once', async () => {
    const devices = await Promise.all([world.linked(BOB), world.linked(CAROL), world.linked(ALICE)]);
    const second = await world.linked(ALICE);
    expect(devices).to.have.length(3);
    expect(second.creds.me?.id).to.equal('15550000001:2@s.whatsapp.net');
    expect((await world.client.phone(ALICE)).devices.map(({ id }) => id)).to.deep.equal([1, 2]);
    expect(await world.client.stats()).to.include({ connections: 4, logins: 4, devices: 4 });
  });

  it('refuses a QR that names other keys, is unknown, or is none', async () => {
    const qr = await world.device().qr();
    const [ref, ...keys] = qr.split(',');
    const forged = [ref, Buffer.alloc(32, 7).toString('base64'), ...keys.slice(1)].join(',');
    await refuses(400, /other keys/, world.client.scan(ALICE, forged));
    await refuses(400, /expired/, world.client.scan(ALICE, qr.replace('#2@', '#2@x')));
    await refuses(400, /not a pairing QR/, world.client.scan(ALICE, 'https://example.org'));
    expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
  });

  it('forgets the QR of a client that went away', async () => {
    const device = world.device();
    const qr = await device.qr();
    await device.stop();
    await refuses(400, /expired/, world.client.scan(ALICE, qr));
  });

  it('links a client by typed code', async () => {
    const device = world.device();
    await device.qr();
    const code = await device.socket.requestPairingCode(ALICE.slice(1), 'SWTCH234');
    const closed = device.closed();
    const linked = await world.client.enterCode(ALICE, `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase());
    expect(linked).to.include({ id: 1 });
    expect(await closed).to.equal(515);
    await device.connect();
    expect(device.creds.registered).to.equal(true);
    expect(device.creds.me?.id).to.equal('15550000001:1@s.whatsapp.net');
  });

  it('refuses a wrong code, leaves the client unregistered, and takes the right one afterwards', async () => {
    const device = world.device();
    await device.qr();
    const code = await device.socket.requestPairingCode(ALICE.slice(1));
    await refuses(400, /wrong code/, world.client.enterCode(ALICE, 'AAAABBBB'));
    expect(device.creds.registered).to.equal(false);
    expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
    const closed = device.closed();
    await world.client.enterCode(ALICE, code);
    expect(await closed).to.equal(515);
  });

  it('refuses a code that no client waits for, and one that is no code', async () => {
    await refuses(400, /no device waits/, world.client.enterCode(ALICE, 'AAAABBBB'));
    await refuses(400, /8 letters/, world.client.enterCode(ALICE, 'short'));
  });

  it('answers a login with another Noise key with failure 401', async () => {
    const device = await world.linked(ALICE);
    const thief = world.device();
    const { id = '' } = device.creds.me ?? {};
    thief.creds.me = { id, name: 'Alice' };
    thief.start();
    expect(await thief.closed()).to.equal(401);
  });

  it('replaces the older connection of the same credentials', async () => {
    const device = await world.linked(ALICE);
    const replaced = device.closed();
    await device.connect();
    expect(await replaced).to.equal(440);
    expect((await world.client.stats()).conflicts).to.equal(1);
    await device.socket.sendPresenceUpdate('available');
  });

  it('logs linked clients out when the phone unlinks them', async () => {
    const device = await world.linked(ALICE);
    const closed = device.closed();
    await world.client.unlink(ALICE);
    expect(await closed).to.equal(401);
    device.start();
    expect(await device.closed()).to.equal(401);
    expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
  });

  it('unlinks a client that logs out', async () => {
    const device = await world.linked(ALICE);
    const isUnlinked = (event: NetworkEvent) => event.type === 'device' && event.change === 'unlinked';
    await world.client.waitFor(isUnlinked, undefined, () => device.socket.logout());
    expect((await world.client.phone(ALICE)).devices).to.deep.equal([]);
  });
});

async function refuses(status: number, message: RegExp, request: Promise<unknown>): Promise<void> {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(SandboxRefusal);
  expect(error).to.have.property('status', status);
  expect(error).to.have.property('message').that.matches(message);
}
