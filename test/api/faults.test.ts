import { expect } from 'chai';
import { answering, silent } from '../support/receiver.js';
import { ALICE, BOB, CAROL, linkSession, reached, startWorld, type World } from '../support/world.js';

describe('a gateway on a network with faults', () => {
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
    it(`reconnects after ${kind}, and leaves the other session connected`, async () => {
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

  it('reports the code with which the network refused a send', async () => {
    await world.phones.fault({ kind: 'reject-sends', number: ALICE.number, count: 1 });
    const { status, body } = await send();
    expect(status).to.equal(502);
    expect(body.error).to.match(/\b4\d\d\b/);
    expect((await send()).status).to.equal(200);
  });

  const terminal: [string, string, RegExp][] = [
    ['conflict', 'replaced', /Another client/],
    ['logout', 'logged_out', /removed/],
    ['device-removed', 'logged_out', /removed/],
    ['ban', 'banned', /locked/],
  ];
  for (const [kind, status, reason] of terminal) {
    it(`ends a session as ${status} on ${kind} until an operator starts it again`, async () => {
      const number = `+1555000003${terminal.findIndex(([name]) => name === kind)}`;
      const clientId = `t${kind.replaceAll('-', '')}`;
      await linkSession(world, clientId, { number, name: kind });
      await world.phones.fault({ kind, number, count: 1 });
      await reached(world, clientId, status);
      const row = await health(clientId);
      expect(row).to.include({ status, connected: false, loggedIn: false });
      expect(row.reason).to.match(reason);
      const refused = await world.api.post('/send-message', { clientId, to: BOB.number, body: 'x' });
      expect(refused.status).to.equal(404);
      // a link that is still valid needs no new pairing
      const code = status === 'logged_out' ? 'session_unpaired' : 'session_suspended';
      expect(refused.headers.get('x-sn-error')).to.equal(code);
      const { body } = await world.api.get('/health/ready');
      expect(body.sessions).to.include({ terminal: 1 });
      await world.restartDaemon();
      await reached(world, 'acme', 'connected');
      expect((await health(clientId)).status).to.equal(status);
      await world.phones.clearFaults();
      if (status === 'logged_out') {
        expect((await world.api.post('/reconnect', { clientId })).status).to.equal(409);
        const pairing = await world.api.post('/pair-phone', { clientId, phone: '15550000099' });
        expect([pairing.status, pairing.headers.get('x-sn-error')]).to.deep.equal([409, 'session_terminal']);
        expect(pairing.body.error).to.include('call /start, then /pair-phone');
        await world.api.post(`/start?clientId=${clientId}`);
        await reached(world, clientId, 'qr');
        // a session that is being paired is not down
        const { body: ready } = await world.api.get('/health/ready');
        expect(ready.sessions).to.include({ down: 0 });
      } else {
        // the link is still valid: no new pairing
        const resume = kind === 'ban' ? '/reconnect' : `/start?clientId=${clientId}`;
        const answer = await world.api.post(resume, kind === 'ban' ? { clientId } : undefined);
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
        await reached(world, clientId, 'connected');
      }
      await world.api.post('/disconnect', { clientId });
    });
  }

  it('ends a session that was locked as logged_out when its device was unlinked meanwhile', async () => {
    await linkSession(world, 'locked', { number: '+15550000041', name: 'Locked' });
    await world.phones.fault({ kind: 'ban-with-unlink', number: '+15550000041' });
    await reached(world, 'locked', 'banned');
    await world.api.post('/reconnect', { clientId: 'locked' });
    await reached(world, 'locked', 'logged_out');
    await world.api.post('/disconnect', { clientId: 'locked' });
  });

  it('reports the end of a temporary ban, and reconnects then, also after a restart', async () => {
    await linkSession(world, 'paused', { number: '+15550000040', name: 'Paused' });
    await world.phones.fault({ kind: 'temporary-ban', number: '+15550000040', ms: 4_000 });
    await reached(world, 'paused', 'banned');
    const row = await health('paused');
    expect(row.reason).to.match(/It ends at 20\d\d-.*; the session connects again then\./);
    expect(Date.parse(row.retryAt)).to.be.greaterThan(Date.now());
    await world.restartDaemon();
    expect((await health('paused')).retryAt).to.equal(row.retryAt);
    await reached(world, 'paused', 'connected');
    await world.api.post('/disconnect', { clientId: 'paused' });
  });

  it('never logs a session in twice: the only conflict is the injected one', async () => {
    expect(await world.phones.stats()).to.include({ conflicts: 1 });
  });
});

describe('a daemon that stops and restarts', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ overrides: { stopGraceMs: 100 } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
  });
  after(() => world.stop());

  const say = async (text: string) =>
    (await world.phones.write(BOB.number, { to: ALICE.number, text })).messageId;
  const callsWith = (text: string) => world.receiver.calls.filter(({ body }) => body.includes(text));

  it('delivers at the next start the events that the receiver had not accepted at the stop', async () => {
    world.receiver.respond(silent);
    const messageId = await say('in flight at the stop');
    await world.receiver.find(({ body }) => body.includes(messageId));
    await world.stopDaemon();
    world.receiver.respond(answering(200));
    const before = callsWith(messageId).length;
    const calls = world.receiver.calls.length;
    await world.startDaemon();
    await world.receiver.received(calls + 1);
    expect(callsWith(messageId)).to.have.length(before + 1);
    expect((await world.api.get('/failed-deliveries')).body).to.deep.equal({ failedDeliveries: [] });
    await reached(world, 'acme', 'connected');
  });

  it('delivers fifty messages that were written while the daemon was down, each once', async () => {
    await world.stopDaemon();
    const ids = await Promise.all(Array.from({ length: 50 }, (_, index) => say(`while away ${index}`)));
    await world.startDaemon();
    for (const id of ids) await world.receiver.find(({ body }) => body.includes(id));
    for (const id of ids) expect(callsWith(id), id).to.have.length(1);
  });

  it('reconnects several sessions, and no deleted one', async () => {
    for (const index of [1, 2, 3]) {
      await linkSession(world, `s${index}`, { number: `+1555000010${index}`, name: `S${index}` });
    }
    await world.api.post('/disconnect', { clientId: 's2' });
    await world.restartDaemon();
    for (const clientId of ['acme', 's1', 's3']) await reached(world, clientId, 'connected');
    expect((await world.api.get('/qr?clientId=s2')).status).to.equal(404);
  });

  it('reconnects the linked phone without a new pairing', async () => {
    expect((await world.phones.phone(ALICE.number)).devices).to.have.length(1);
    expect(await world.phones.stats()).to.include({ conflicts: 0 });
  });
});
