import { expect } from 'chai';
import { answering } from '../support/receiver.js';
import { ALICE, BOB, linkSession, reached, startWorld, type World } from '../support/world.js';

const SECRET = 'sixteen-characters';

interface Row {
  clientId: string;
  webhook: Record<string, unknown>;
  [field: string]: unknown;
}

describe('the fleet over the API', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ settings: { allowPrivateUrls: true } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE);
    await world.api.post('/start?clientId=blank');
  });
  after(() => world.stop());

  async function fleet(api = world.api, query = ''): Promise<{ nodes: Row[]; sessions: Row[]; at: string }> {
    const { status, body } = await api.get(`/fleet${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return JSON.parse(JSON.stringify(body));
  }
  const session = async (clientId: string): Promise<Row> => {
    const row = (await fleet()).sessions.find((one) => one.clientId === clientId);
    if (!row) throw new Error(`${clientId} is not in the fleet`);
    return row;
  };
  const say = (text: string) => world.phones.write(BOB.number, { to: ALICE.number, text });

  it('shows the status, figures and node of each session', async () => {
    const { at, sessions } = await fleet();
    expect(sessions.map(({ clientId }) => clientId)).to.deep.equal(['acme', 'blank']);
    const [acme, blank] = sessions;
    expect(acme).to.deep.include({
      podName: 'node-1',
      jid: '15550000001@s.whatsapp.net',
      status: 'connected',
      reason: '',
      connected: true,
      loggedIn: true,
      openJournal: 0,
      retryAt: '',
    });
    for (const field of ['since', 'connectedAt', 'lastStanzaAt']) {
      expect(Date.parse(String(acme?.[field])), field).to.be.at.most(Date.parse(at));
    }
    expect(acme).to.have.nested.property('webhook.origin', world.receiver.url);
    expect(blank).to.deep.include({ jid: '', loggedIn: false, connectedAt: '' });
    expect(blank?.webhook).to.deep.equal({
      origin: '',
      waiting: 0,
      inFlight: 0,
      delivered: 0,
      dropped: 0,
      failed: 0,
    });
  });

  it('shows uptime and memory of the node, and whether store and network answer', async () => {
    const [node] = (await fleet()).nodes;
    expect(node).to.deep.include({
      podName: 'node-1',
      sessions: { total: 2, connected: 1, down: 0, terminal: 0 },
      deliveries: { waiting: 0, inFlight: 0, failed: 0 },
    });
    expect(node).to.have.nested.property('store.reachable', true);
    expect(node).to.have.nested.property('network.state', 'ok');
    expect(node).to.have.nested.property('memory.rss').that.is.greaterThan(1_000_000);
    expect(node?.uptimeSeconds).to.be.a('number');
  });

  it('counts deliveries in flight, delivered and failed, and removes a failed one that arrives later', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      world.receiver.respond((response) => {
        release = () => response.writeHead(401).end();
        resolve();
      });
    });
    await say('first');
    await held;
    expect((await session('acme')).webhook).to.include({ inFlight: 1, waiting: 0, failed: 0 });
    release();
    const dropped = await world.tail.next(({ kind }) => kind === 'dropped');
    if (dropped.kind !== 'dropped') throw new Error('unreachable');
    await settled(1);
    const { webhook } = await session('acme');
    expect(webhook).to.deep.include({ inFlight: 0, waiting: 0, dropped: 1, failed: 1 });
    expect(webhook).to.deep.nested.include({
      'last.outcome': 'rejected',
      'last.status': 401,
      'last.type': 'text',
    });
    expect(webhook).to.have.nested.property('last.origin', world.receiver.url);

    world.receiver.respond(answering(200));
    const resent = await world.api.post(`/failed-deliveries/${dropped.deliveryId}/resend`);
    expect(resent.body).to.include({ delivered: true });
    expect((await session('acme')).webhook).to.deep.include({ delivered: 1, dropped: 1, failed: 0 });
  });

  /** A failed delivery is stored after its entry in the tail. */
  async function settled(count: number): Promise<void> {
    while ((await session('acme')).webhook.failed !== count);
  }

  it('counts the failed deliveries after a restart, until the session is deleted', async () => {
    world.receiver.respond(answering(410));
    await say('refused');
    await world.tail.next((entry) => entry.kind === 'dropped' && entry.reason.includes('410'));
    await settled(1);
    await world.restartDaemon();
    world.receiver.respond(answering(200));
    await reached(world, 'acme', 'connected');
    expect((await session('acme')).webhook).to.deep.include({ failed: 1, delivered: 0, dropped: 0 });
    await linkSession(world, 'brief', { number: '+15550000031', name: 'Brief' });
    await world.api.post('/disconnect', { clientId: 'brief' });
    expect((await fleet()).sessions.map(({ clientId }) => clientId)).to.deep.equal(['acme', 'blank']);
  });

  it("shows a session's secret its own session, and nothing of the machine", async () => {
    await world.api.post('/set-api-secret', { clientId: 'acme', secret: SECRET });
    const own = world.api.as(SECRET);
    const { nodes, sessions } = await fleet(own);
    expect(sessions.map(({ clientId }) => clientId)).to.deep.equal(['acme']);
    expect(nodes[0]).to.have.nested.property('sessions.total', 1);
    expect(nodes[0]).to.not.have.property('memory');
    expect((await own.get('/fleet?clientId=blank')).status).to.equal(403);
    expect((await fleet(world.api, '?clientId=blank')).sessions).to.have.length(1);
    expect((await world.api.as('no-token').get('/fleet')).status).to.equal(401);
  });

  describe('/reconnect', () => {
    const reconnect = (clientId: string) => world.api.post('/reconnect', { clientId });

    it('reconnects, and delivers messages in flight in both directions over the new link', async () => {
      await world.phones.fault({ kind: 'drop-acks', number: ALICE.number });
      await world.phones.fault({ kind: 'drop-receipts', number: ALICE.number });
      const sending = world.api.post('/send-message', {
        clientId: 'acme',
        to: BOB.number,
        body: 'on its way',
      });
      await world.phones.waitForMessage(BOB.number, ({ text }) => text === 'on its way');
      const said = [say('in 1'), say('in 2'), say('in 3')];
      const before = Number((await session('acme')).reconnects);
      const { status, body } = await reconnect('acme');
      await world.phones.clearFaults();
      expect([status, body.ok, body.clientId]).to.deep.equal([200, true, 'acme']);
      const sent = await sending;
      expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
      await reached(world, 'acme', 'connected');
      const row = await session('acme');
      expect(row).to.include({ reconnects: before + 1, status: 'connected' });
      expect(row.lastDisconnect).to.match(/operator/);
      for (const { messageId } of await Promise.all(said)) {
        await world.receiver.find(({ body: text }) => text.includes(messageId));
      }
      const messages = await world.phones.messages(BOB.number);
      expect(messages.filter(({ text }) => text === 'on its way')).to.have.length(1);
    });

    it('refuses a session that is unknown, not paired, or waiting for an operator', async () => {
      expect((await reconnect('nobody')).status).to.equal(404);
      const unpaired = await reconnect('blank');
      expect(unpaired.status).to.equal(404);
      expect(unpaired.body.error).to.match(/not paired.*\/start/);
      await world.phones.unlink(ALICE.number);
      await world.tail.next((entry) => {
        return (
          entry.kind === 'event' &&
          entry.event.event === 'session.status' &&
          entry.event.status === 'logged_out'
        );
      });
      const ended = await reconnect('acme');
      expect(ended.status).to.equal(409);
      expect(ended.body.error).to.match(/logged_out.*\/start/);
      const row = await session('acme');
      expect(row).to.include({ status: 'logged_out', loggedIn: false });
      expect(Date.parse(String(row.since))).to.be.greaterThan(0);
      await world.restartDaemon();
      expect((await session('acme')).since, 'also after a restart').to.equal(row.since);
    });
  });
});
