import { expect } from 'chai';
import { ALICE, BOB, CAROL, linkSession, reached } from '../support/pairing.js';
import { startWorld, type World } from '../support/world.js';

describe('faults of the network', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE);
    await linkSession(world, 'other', CAROL);
  });
  after(() => world.stop());
  afterEach(() => world.phones.clearFaults());

  const health = async (clientId: string) => {
    const { body } = await world.api.get('/health/clients');
    const rows = Array.isArray(body.clients) ? body.clients : [];
    return rows.find((row) => row.clientId === clientId);
  };
  const send = (clientId = 'acme') =>
    world.api.post('/send-message', { clientId, to: BOB.number, body: 'under fault' });

  for (const kind of ['disconnect', 'restart-required', 'service-unavailable', 'garbage-frames']) {
    it(`come back by themselves after ${kind}, and leave the other session alone`, async () => {
      const before = await health('acme');
      const other = await health('other');
      await world.phones.fault({ kind, number: ALICE.number, count: 1 });
      await world.tail.until(
        (entry) => entry.kind === 'event' && entry.event.type === 'session_status',
        async () => {
          const now = await health('acme');
          return now.reconnects > before.reconnects && now.status === 'connected';
        },
      );
      expect((await health('acme')).lastDisconnect).to.not.equal('');
      expect(await health('other')).to.include({ reconnects: other.reconnects, status: 'connected' });
      expect((await send()).status).to.equal(200);
    });
  }

  it('say which code the network refused a send with', async () => {
    await world.phones.fault({ kind: 'reject-sends', number: ALICE.number, count: 1 });
    const { status, body } = await send();
    expect(status).to.equal(502);
    expect(body.error).to.match(/\b4\d\d\b/);
    expect((await send()).status).to.equal(200);
  });

  const terminal: [string, string, RegExp][] = [
    ['conflict', 'replaced', /Another client/],
    ['logout', 'logged_out', /removed/],
    ['ban', 'banned', /locked/],
  ];
  for (const [kind, status, reason] of terminal) {
    it(`end a session as ${status} by ${kind} until an operator starts it again`, async () => {
      const number = `+1555000003${terminal.findIndex(([name]) => name === kind)}`;
      const clientId = `t${kind}`;
      await linkSession(world, clientId, { number, name: kind });
      await world.phones.fault({ kind, number, count: 1 });
      await reached(world, clientId, status);
      const row = await health(clientId);
      expect(row).to.include({ status, connected: false, loggedIn: false });
      expect(row.reason).to.match(reason);
      expect(
        (await world.api.post('/send-message', { clientId, to: BOB.number, body: 'x' })).status,
      ).to.equal(404);
      const { body } = await world.api.get('/health/ready');
      expect(body.sessions).to.include({ terminal: 1 });
      await world.restartDaemon();
      await reached(world, 'acme', 'connected');
      expect((await health(clientId)).status).to.equal(status);
      await world.api.post(`/start?clientId=${clientId}`);
      await reached(world, clientId, 'qr');
      await world.api.post('/disconnect', { clientId });
    });
  }

  it('never show two logins of one session: the one conflict is the injected one', async () => {
    expect(await world.phones.stats()).to.include({ conflicts: 1 });
  });
});
