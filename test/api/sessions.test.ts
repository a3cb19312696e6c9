import { expect } from 'chai';
import { verifyWebhook } from '../../src/client/verify.js';
import { ALICE, linkSession, nextQr, reached, startWorld, TOKEN, type World } from '../support/world.js';

describe('the session routes, over the wire', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());

  it('start a session at once, show a rotating QR as text and PNG, and find the session again', async () => {
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

  it('create a session once for two concurrent starts', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => world.api.post('/start?clientId=twin')),
    );
    for (const { status } of answers) expect(status).to.equal(200);
    const { body } = await world.api.get('/clients');
    expect(JSON.stringify(body).match(/"clientId":"twin"/g)).to.have.length(1);
    await world.api.post('/disconnect', { clientId: 'twin' });
  });

  it('pair by a phone code, and refuse a second code once paired', async () => {
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

  it('report every state', async () => {
    const state = async (clientId: string) => (await world.api.post('/check-state', { clientId })).body;
    expect(await state('nobody')).to.deep.equal({ status: false, state: 'unknown clientId' });
    expect(await state('s1')).to.deep.equal({ status: false, state: 'not connected' });
    expect(await state('coded')).to.deep.equal({ status: true, state: '15550000021@s.whatsapp.net' });
  });

  /** The headers of the next call for the session. */
  const calledWith = async () => {
    const from = world.receiver.calls.length;
    await world.api.post('/send-test-event', { clientId: 'coded', type: 'text' });
    await world.receiver.received(from + 1);
    const { headers = {}, body = '' } = world.receiver.calls[from] ?? {};
    return { headers, body };
  };

  it('also sign calls with the previous token for as long as the change of the token says', async () => {
    const webhook = { clientId: 'coded', webhookUrl: world.receiver.url };
    const set = (more: object) => world.api.post('/set-webhook', { ...webhook, ...more });
    const first = await set({ webhookToken: 'token-1', previousTokenFor: 60 });
    expect([first.status, first.body.error]).to.deep.equal([
      400,
      'previousTokenFor needs a new webhookToken, and a token before it',
    ]);
    await set({ webhookToken: 'token-1' });
    expect((await calledWith()).headers['webhook-signature']).not.to.contain(' ');
    const { body } = await set({ webhookToken: 'token-2', previousTokenFor: 3_600 });
    expect(Date.parse(String(body.previousTokenUntil))).to.be.greaterThan(Date.now());
    const rotated = await calledWith();
    expect(rotated.headers.authorization).to.equal('Bearer token-2');
    expect(rotated.headers['webhook-signature']).to.match(/^v1,\S{44} v1,\S{44}$/);
    for (const token of ['token-1', 'token-2']) verifyWebhook({ ...rotated, token });
    expect((await set({ previousTokenFor: 7 * 86_400 + 1 })).status).to.equal(400);
    await set({ webhookToken: 'token-3' });
    expect((await calledWith()).headers['webhook-signature']).not.to.contain(' ');
    await set({ webhookToken: 'token-4', previousTokenFor: 3_600 });
    await set({ previousTokenFor: 0 });
    expect((await calledWith()).headers['webhook-signature']).not.to.contain(' ');
    await set({ webhookToken: 'token-5', previousTokenFor: 3_600 });
    await set({ pollLookupUrl: '' });
  });

  it('keep the settings of a session', async () => {
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
    const master = await set('/set-api-secret', { secret: TOKEN });
    expect(master.status).to.equal(400);
    expect(master.body.error).to.match(/secret must not be the master token/);
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

  it("accept only the session's own secret", async () => {
    const own = world.api.as('sixteen-characters');
    expect((await own.post('/check-state', { clientId: 's1' })).status).to.equal(200);
    expect((await own.post('/check-state', { clientId: 'coded' })).status).to.equal(403);
    expect((await own.post('/check-state', { clientId: 'nobody' })).status).to.equal(403);
    const { body } = await own.get('/clients');
    expect(body.clients).to.have.length(1);
    await world.api.post('/set-api-secret', { clientId: 's1', secret: '' });
    expect((await own.get('/clients')).status).to.equal(401);
  });

  it('refuse a secret that another session has, and accept the secret that a session already has', async () => {
    const secret = 'a-secret-of-one-session-only';
    const setSecret = (clientId: string, api = world.api) =>
      api.post('/set-api-secret', { clientId, secret });
    expect((await setSecret('s1')).status).to.equal(200);
    expect((await setSecret('s1', world.api.as(secret))).status).to.equal(200);
    const taken = await setSecret('coded');
    expect([taken.status, taken.headers.get('x-sn-error'), taken.body]).to.deep.equal([
      409,
      'secret_taken',
      { error: 'secret: another session has it; choose another one' },
    ]);
    await world.api.post('/set-api-secret', { clientId: 's1', secret: '' });
    const both = await Promise.all([setSecret('s1'), setSecret('coded')]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
    for (const clientId of ['s1', 'coded']) await world.api.post('/set-api-secret', { clientId, secret: '' });
  });

  it('keep a secret that two sessions share since an earlier release, and name these sessions', async () => {
    const secret = 'a-secret-of-two-old-sessions';
    await world.api.post('/set-api-secret', { clientId: 's1', secret });
    await world.stopDaemon();
    // as the release before stored it
    await world.inspect(async ({ sessions }) => {
      const own = await sessions.get('s1');
      await sessions.update('coded', { apiSecretHash: own?.apiSecretHash ?? '' });
    });
    await world.startDaemon();
    const own = world.api.as(secret);
    for (const clientId of ['s1', 'coded']) {
      expect((await own.get(`/clients?clientId=${clientId}`)).status).to.equal(200);
    }
    const { body } = await world.api.get('/clients');
    const rows = Array.isArray(body.clients) ? body.clients : [];
    const shared = rows.flatMap((row) =>
      row.secretSharedWith ? [[row.clientId, row.secretSharedWith]] : [],
    );
    expect(shared).to.deep.equal([
      ['coded', ['s1']],
      ['s1', ['coded']],
    ]);
    for (const clientId of ['s1', 'coded']) await world.api.post('/set-api-secret', { clientId, secret: '' });
  });

  it('reconnect paired sessions only after a restart', async () => {
    await reached(world, 'coded', 'connected');
    const { body } = await world.api.get('/qr?clientId=s1');
    expect(body).to.include({ status: 'initializing', qr: '' });
    await world.api.post('/start?clientId=s1');
    await nextQr(world, 's1');
  });

  it('also sign calls with the previous token after a restart', async () => {
    const { headers, body } = await calledWith();
    for (const token of ['token-4', 'token-5']) verifyWebhook({ headers, body, token });
    expect(headers.authorization).to.equal('Bearer token-5');
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
    it(`answer 404 to ${path} of an unknown session, with what to do`, async () => {
      const answer = await world.api.post(path, { clientId: 'nobody', ...body });
      expect(answer.status).to.equal(404);
      expect(answer.body).to.have.keys('error');
      expect(answer.body.error).to.match(/unknown clientId nobody/);
    });
  }

  it('answer 404 to a send of a session that is not paired', async () => {
    const { status, body } = await world.api.post('/send-message', {
      clientId: 's1',
      to: '+15550000002',
      body: 'x',
    });
    expect(status).to.equal(404);
    expect(body.error).to.match(/not paired/);
  });

  it('create nothing when a start is refused', async () => {
    for (const webhookUrl of ['example.org', '/hook', 'ftp://example.org', 'not a url']) {
      const { status, body } = await world.api.post('/start?clientId=refused', { webhookUrl });
      expect(status, webhookUrl).to.equal(400);
      expect(body.error).to.match(/webhookUrl/);
    }
    expect((await world.api.get('/qr?clientId=refused')).status).to.equal(404);
  });

  it('disconnect once, with a warning when the network does not confirm it, and before a concurrent start', async () => {
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

  it('send every change of status to a receiver that opted in', async () => {
    await linkSession(world, 'told', ALICE, { extraEvents: ['session_status', 'message_status'] });
    const call = await world.receiver.find(({ headers, body }) => {
      return headers['x-sn-event'] === 'session_status' && body.includes('"status":"connected"');
    });
    expect(JSON.parse(call.body)).to.include({ event: 'session.status', clientId: 'told' });
  });
});
