import { expect } from 'chai';
import { reason, toFields } from '../../../src/domain/reasons.js';
import { closeServers, createTestServer, type TestServer } from './support/test-server.js';

const PNG = /^data:image\/png;base64,iVBOR/;

describe('session routes', () => {
  afterEach(closeServers);
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', {});
  });

  it('start a session without any body', async () => {
    const { status, body } = await api.post('/start?clientId=fresh');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      clientId: 'fresh',
      status: 'initializing',
      podName: 'node-1',
      webhookUrl: '',
      pollLookupUrl: '',
    });
  });

  it('start a session with a webhook, and again without losing it', async () => {
    const webhook = {
      webhookUrl: 'https://example.com/hook',
      webhookToken: 'token',
      pollLookupUrl: 'http://127.0.0.1:8080/lookup',
      extraEvents: ['session_status'],
    };
    await api.post('/start?clientId=fresh', webhook);
    const { body } = await api.post('/start?clientId=fresh', {});
    expect(body).to.deep.include({ webhookUrl: webhook.webhookUrl, pollLookupUrl: webhook.pollLookupUrl });
    expect(api.services.sessions.find('fresh').record.webhookToken).to.equal('token');
  });

  it('return the QR as a PNG or as text, and an empty one while there is none', async () => {
    expect((await api.get('/qr?clientId=acme')).body).to.deep.equal({
      clientId: 'acme',
      status: 'initializing',
      qr: '',
    });
    await api.become('acme', 'qr', { qr: '2@abc,def' });
    const [png, again, text] = [
      await api.get('/qr?clientId=acme'),
      await api.get('/qr?clientId=acme&format=png'),
      await api.get('/qr?clientId=acme&format=text'),
    ];
    expect(png.body.qr).to.match(PNG);
    expect(again.body).to.deep.equal(png.body);
    expect(text.body).to.deep.equal({ clientId: 'acme', status: 'qr', qr: '2@abc,def' });
    await api.become('acme', 'qr', { qr: '2@ghi,jkl' });
    const rotated = await api.get('/qr?clientId=acme');
    expect(rotated.body.qr).to.match(PNG).and.not.equal(png.body.qr);
    expect((await api.get('/qr?clientId=acme&format=svg')).status).to.equal(400);
  });

  it('return a code for a phone, with or without plus', async () => {
    await api.become('acme', 'qr');
    for (const phone of ['15550000001', '+15550000001']) {
      const { body } = await api.post('/pair-phone', { clientId: 'acme', phone });
      expect(body).to.deep.equal({ clientId: 'acme', phone: '15550000001', code: 'ABCD-EFGH' });
      expect(api.network.asked.at(-1)).to.deep.equal(['requestPairingCode', '15550000001']);
    }
    await api.become('acme', 'connected');
    expect((await api.post('/pair-phone', { clientId: 'acme', phone: '15550000001' })).status).to.equal(409);
  });

  it('return the state of a session, always with 200', async () => {
    const state = async (clientId: unknown) => {
      const { status, body } = await api.post('/check-state', { clientId });
      expect(status).to.equal(200);
      return body;
    };
    for (const wrong of ['no-such name', '', 7, null, ['acme'], undefined]) {
      expect(await state(wrong)).to.deep.equal({ status: false, state: 'unknown clientId' });
    }
    expect(await state('acme')).to.deep.equal({ status: false, state: 'not connected' });
    expect(await state('nobody')).to.deep.equal({ status: false, state: 'unknown clientId' });
    await api.become('acme', 'connected');
    expect(await state('acme')).to.deep.equal({ status: true, state: '15550000001@s.whatsapp.net' });
  });

  it('report why a QR ended, and why a session is not connected', async () => {
    const why = reason('qr_expired');
    await api.become('acme', 'initializing', { why });
    const fields = toFields(why, 'acme');
    expect((await api.get('/qr?clientId=acme')).body).to.deep.include({ qr: '', ...fields });
    const state = { status: false, state: 'not connected', ...fields };
    expect((await api.post('/check-state', { clientId: 'acme' })).body).to.deep.equal(state);
  });

  it('list the sessions', async () => {
    await api.services.sessions.start('beta', { webhookUrl: 'https://example.com' });
    const { body } = await api.get('/clients');
    const common = { jid: '', podName: 'node-1', orgId: '', status: 'initializing', extraEvents: [] };
    expect(body).to.deep.equal({
      clients: [
        { clientId: 'acme', webhookUrl: '', ...common },
        { clientId: 'beta', webhookUrl: 'https://example.com', ...common },
      ],
    });
    const one = await api.get('/clients?clientId=beta');
    expect(one.body.clients).to.have.lengthOf(1);
  });

  it('change settings and return them', async () => {
    const hook = {
      clientId: 'acme',
      webhookUrl: 'https://example.com',
      pollLookupUrl: 'https://example.com/l',
    };
    const changes: [string, object, object][] = [
      ['/set-webhook', hook, { ok: true, ...hook }],
      ['/set-webhook', { clientId: 'acme', webhookUrl: '' }, { ok: true, ...hook, webhookUrl: '' }],
      ['/set-org-id', { clientId: 'acme', orgId: 'org' }, { ok: true, clientId: 'acme', orgId: 'org' }],
      ['/set-org-id', { clientId: 'acme', orgId: '' }, { ok: true, clientId: 'acme', orgId: '' }],
      [
        '/set-api-secret',
        { clientId: 'acme', secret: 's'.repeat(16) },
        { clientId: 'acme', hasSecret: true },
      ],
      ['/set-api-secret', { clientId: 'acme', secret: '' }, { clientId: 'acme', hasSecret: false }],
      [
        '/set-enable-group-ai',
        { clientId: 'acme', enabled: true },
        { ok: true, clientId: 'acme', enabled: true },
      ],
      [
        '/set-enable-group-ai',
        { clientId: 'acme', enabled: false },
        { ok: true, clientId: 'acme', enabled: false },
      ],
    ];
    for (const [path, body, expected] of changes) {
      const answer = await api.post(path, body);
      expect([answer.status, answer.body], path).to.deep.equal([200, expected]);
    }
  });

  it('disconnect, with a warning when the network did not confirm', async () => {
    const first = await api.post('/disconnect', { clientId: 'acme' });
    expect(first.body).to.deep.equal({ ok: true, clientId: 'acme' });
    await api.connect();
    api.network.confirmsLogout = false;
    const second = await api.post('/disconnect', { clientId: 'acme' });
    expect(second.body).to.have.all.keys('ok', 'clientId', 'warning');
  });

  it('answer 404 for an unknown session', async () => {
    const answers = [
      await api.get('/qr?clientId=nobody'),
      await api.post('/pair-phone', { clientId: 'nobody', phone: '15550000001' }),
      await api.post('/set-webhook', { clientId: 'nobody', webhookUrl: '' }),
      await api.post('/set-org-id', { clientId: 'nobody', orgId: '' }),
      await api.post('/disconnect', { clientId: 'nobody' }),
      await api.post('/send-message', { clientId: 'nobody', to: '+15550000002', body: 'Hello' }),
    ];
    for (const { status, body } of answers) {
      expect([status, body]).to.deep.equal([404, { error: 'unknown clientId nobody; call /start first' }]);
    }
  });

  it('forbid caching and sniffing of every answer', async () => {
    const { headers } = await api.get('/clients');
    expect(headers).to.include({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });
});

describe('send routes', () => {
  afterEach(closeServers);
  const SEND = { clientId: 'acme', to: '+15550000002', body: 'Hello' };
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
    await api.connect();
  });

  it('pass the request on with its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'order 7' };
    const { status, body } = await api.post('/send-message', SEND, { headers });
    const [sent] = api.network.sent;
    expect(sent).to.deep.nested.include({
      to: '90000000000002@lid',
      'made.extendedTextMessage.text': 'Hello',
    });
    expect([status, body]).to.deep.equal([200, { status: 'sent', messageId: sent?.messageId }]);
    expect((await api.post('/send-message', SEND, { headers })).body).to.deep.equal(body);
    expect(api.network.sent).to.have.lengthOf(1);
  });

  it('refuse an Idempotency-Key that is empty, too long or not printable', async () => {
    for (const key of ['', 'k'.repeat(256), 'ümlaut', 'tab\there']) {
      const answer = await api.post('/send-message', SEND, { headers: { 'idempotency-key': key } });
      expect(answer.status, key).to.equal(400);
      expect(answer.body.error).to.include('Idempotency-Key');
    }
    expect(api.network.sent).to.deep.equal([]);
  });
});
