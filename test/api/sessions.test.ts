import { expect } from 'chai';
import { ALICE, linkSession, nextQr, reached } from '../support/pairing.js';
import { startWorld, type World } from '../support/world.js';

describe('sessions over the API', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());

  it('start at once, show a QR as text and as a PNG that rotates, and are found again', async () => {
    const started = await world.api.post('/start?clientId=s1', { webhookUrl: 'https://example.org/hook' });
    expect(started.body).to.deep.equal({
      clientId: 's1',
      status: started.body.status,
      podName: 'node-1',
      webhookUrl: 'https://example.org/hook',
      pollLookupUrl: '',
    });
    expect(started.body.status).to.be.oneOf(['initializing', 'qr']);
    await nextQr(world, 's1');
    const png = await world.api.get('/qr?clientId=s1');
    expect(png.body.status).to.equal('qr');
    expect(png.body.qr).to.match(/^data:image\/png;base64,iVBOR/);
    const again = await world.api.post('/start?clientId=s1');
    expect(again.status).to.equal(200);
    expect(again.body).to.include({ status: 'qr', webhookUrl: 'https://example.org/hook' });
  });

  it('are made once when two starts come at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => world.api.post('/start?clientId=twin')),
    );
    for (const { status } of answers) expect(status).to.equal(200);
    const { body } = await world.api.get('/clients');
    expect(JSON.stringify(body).match(/"clientId":"twin"/g)).to.have.length(1);
    await world.api.post('/disconnect', { clientId: 'twin' });
  });

  it('pair by a phone code, and refuse another once paired', async () => {
    await world.phones.addPhone({ number: '+15550000021', name: 'Coded' });
    await world.api.post('/start?clientId=coded');
    const { status, body } = await world.api.post('/pair-phone', { clientId: 'coded', phone: '15550000021' });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ clientId: 'coded', phone: '15550000021' });
    expect(body.code).to.match(/^[1-9A-Z]{4}-[1-9A-Z]{4}$/);
    await world.phones.enterCode('+15550000021', String(body.code));
    await reached(world, 'coded', 'connected');
    const again = await world.api.post('/pair-phone', { clientId: 'coded', phone: '15550000021' });
    expect(again.status).to.equal(409);
  });

  it('answer 502 when the network issues no code', async () => {
    await world.phones.addPhone({ number: '+15550000022', name: 'Late' });
    await world.phones.fault({ kind: 'no-pairing-code' });
    await world.api.post('/start?clientId=nocode');
    const { status, body } = await world.api.post('/pair-phone', {
      clientId: 'nocode',
      phone: '15550000022',
    });
    expect(status, JSON.stringify(body)).to.equal(502);
    await world.phones.clearFaults();
    const retried = await world.api.post('/pair-phone', { clientId: 'nocode', phone: '15550000022' });
    expect(retried.status, JSON.stringify(retried.body)).to.equal(200);
    await world.api.post('/disconnect', { clientId: 'nocode' });
  });

  it('tell their state, whatever it is', async () => {
    const state = async (clientId: string) => (await world.api.post('/check-state', { clientId })).body;
    expect(await state('nobody')).to.deep.equal({ status: false, state: 'unknown clientId' });
    expect(await state('s1')).to.deep.equal({ status: false, state: 'not connected' });
    expect(await state('coded')).to.deep.equal({ status: true, state: '15550000021@s.whatsapp.net' });
  });

  it('keep their settings', async () => {
    const set = (path: string, body: object) => world.api.post(path, { clientId: 's1', ...body });
    expect(
      (await set('/set-webhook', { webhookUrl: '', pollLookupUrl: 'https://example.org/polls' })).body,
    ).to.deep.equal({
      ok: true,
      clientId: 's1',
      webhookUrl: '',
      pollLookupUrl: 'https://example.org/polls',
    });
    expect((await set('/set-org-id', { orgId: 'org-1' })).body).to.deep.equal({
      ok: true,
      clientId: 's1',
      orgId: 'org-1',
    });
    expect((await set('/set-enable-group-ai', { enabled: true })).body).to.deep.equal({
      ok: true,
      clientId: 's1',
      enabled: true,
    });
    expect((await set('/set-api-secret', { secret: 'sixteen-characters' })).body).to.deep.equal({
      clientId: 's1',
      hasSecret: true,
    });
    await world.restartDaemon();
    const { body } = await world.api.get('/clients');
    const rows = Array.isArray(body.clients) ? body.clients : [];
    expect(rows.find(({ clientId }) => clientId === 's1')).to.include({
      jid: '',
      podName: 'node-1',
      orgId: 'org-1',
      webhookUrl: '',
    });
  });

  it('open to their own secret only', async () => {
    const own = world.api.as('sixteen-characters');
    expect((await own.post('/check-state', { clientId: 's1' })).status).to.equal(200);
    expect((await own.post('/check-state', { clientId: 'coded' })).status).to.equal(403);
    expect((await own.post('/check-state', { clientId: 'nobody' })).status).to.equal(403);
    const { body } = await own.get('/clients');
    expect(body.clients).to.have.length(1);
    await world.api.post('/set-api-secret', { clientId: 's1', secret: '' });
    expect((await own.get('/clients')).status).to.equal(401);
  });

  it('come back after a restart only when they are paired', async () => {
    await reached(world, 'coded', 'connected');
    const { body } = await world.api.get('/qr?clientId=s1');
    expect(body).to.include({ status: 'initializing', qr: '' });
    await world.api.post('/start?clientId=s1');
    await nextQr(world, 's1');
  });

  const needsSession: [string, object][] = [
    ['/pair-phone', { phone: '15550000001' }],
    ['/set-webhook', { webhookUrl: '' }],
    ['/set-org-id', { orgId: 'x' }],
    ['/set-api-secret', { secret: '' }],
    ['/set-enable-group-ai', { enabled: true }],
    ['/disconnect', {}],
    ['/send-message', { to: '+15550000002', body: 'x' }],
  ];
  for (const [path, body] of needsSession) {
    it(`answers 404 to ${path} of an unknown session, with what to do`, async () => {
      const answer = await world.api.post(path, { clientId: 'nobody', ...body });
      expect(answer.status).to.equal(404);
      expect(answer.body).to.have.keys('error');
      expect(answer.body.error).to.match(/unknown clientId nobody/);
    });
  }

  it('answers 404 to a send of a session that is not paired', async () => {
    const { status, body } = await world.api.post('/send-message', {
      clientId: 's1',
      to: '+15550000002',
      body: 'x',
    });
    expect(status).to.equal(404);
    expect(body.error).to.match(/not paired/);
  });

  it('creates nothing when a start is refused', async () => {
    for (const webhookUrl of ['example.org', '/hook', 'ftp://example.org', 'not a url']) {
      const { status, body } = await world.api.post('/start?clientId=refused', { webhookUrl });
      expect(status, webhookUrl).to.equal(400);
      expect(body.error).to.match(/webhookUrl/);
    }
    expect((await world.api.get('/qr?clientId=refused')).status).to.equal(404);
  });

  it('disconnects once, with a warning when the network does not confirm it, and before a start that comes meanwhile', async () => {
    await linkSession(world, 'lonely', { number: '+15550000023', name: 'Lonely' });
    await world.phones.fault({ kind: 'silence', number: '+15550000023' });
    const disconnect = () => world.api.post('/disconnect', { clientId: 'lonely' });
    const isConnected = async () =>
      (await world.api.post('/check-state', { clientId: 'lonely' })).body.status;
    const ends = [disconnect(), disconnect()];
    while (await isConnected());
    const restarted = world.api.post('/start?clientId=lonely');
    for (const { status, body } of await Promise.all(ends)) {
      expect(status).to.equal(200);
      expect(body).to.include({ ok: true, clientId: 'lonely' });
      expect(body.warning).to.be.a('string');
    }
    expect((await restarted).status, 'a start waits for the end').to.equal(200);
    await world.phones.clearFaults();
    await nextQr(world, 'lonely');
    expect((await disconnect()).body).to.deep.equal({ ok: true, clientId: 'lonely' });
    expect((await world.api.get('/qr?clientId=lonely')).status).to.equal(404);
  });

  it('tells of every change of status to a receiver that asked for it', async () => {
    await linkSession(world, 'told', ALICE, { extraEvents: ['session_status', 'message_status'] });
    const call = await world.receiver.find(({ headers, body }) => {
      return headers['x-sn-event'] === 'session_status' && body.includes('"status":"connected"');
    });
    expect(JSON.parse(call.body)).to.include({ event: 'session.status', clientId: 'told' });
  });
});
