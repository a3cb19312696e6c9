import { expect } from 'chai';
import { startReceiver, type TestReceiver } from '../../support/receiver.js';
import { closeServers, createTestServer, type TestServer, TOKEN } from './support/test-server.js';

describe('health and configuration', () => {
  afterEach(closeServers);
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
  });

  it('reports the uptime of the process', async () => {
    for (const [ms, uptime] of [
      [0, '0s'],
      [61_000, '1m1s'],
      [3_661_000, '1h2m2s'],
    ] as const) {
      api.clock.advance(ms);
      expect((await api.get('/health/live')).body).to.deep.equal({ status: 'ok', podName: 'node-1', uptime });
    }
  });

  it('counts the sessions by their readiness', async () => {
    const statuses = [
      'initializing',
      'qr',
      'connected',
      'reconnecting',
      'logged_out',
      'replaced',
      'banned',
    ] as const;
    for (const status of statuses) {
      const clientId = status.replace('_', '');
      await api.services.sessions.start(clientId, {});
      if (status !== 'initializing') await api.become(clientId, status);
    }
    const { status, body } = await api.get('/health/ready');
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      status: 'ok',
      podName: 'node-1',
      database: true,
      storage: true,
      proxy: false,
      alerts: false,
      // of the others two are being paired
      sessions: { total: 7, connected: 1, down: 1, terminal: 3 },
    });
    const { body: clients } = await api.get('/health/clients');
    expect(clients).to.deep.include({ podName: 'node-1', failedCount: 3 });
    expect(clients.clients).to.have.lengthOf(7);
    expect(clients.clients).to.have.nested.property('[2].connected', true);
  });

  it('reports not ready while the store is unreachable, and ready afterwards', async () => {
    api.health.ping = () => Promise.reject(new Error('gone'));
    const { status, body } = await api.get('/health/ready');
    expect(status).to.equal(503);
    expect(body).to.deep.include({ status: 'unavailable', database: false, storage: false });
    api.health.ping = async () => {};
    expect((await api.get('/health/ready')).status).to.equal(200);
  });

  it('reports not ready once it has begun to stop, while it still answers', async () => {
    api.run.isStopping = true;
    const { status, body } = await api.get('/health/ready');
    expect(status).to.equal(503);
    expect(body).to.deep.include({ status: 'stopping', database: true });
    expect((await api.get('/health/live')).status).to.equal(200);
  });

  it('limits the wait for the store, and sends it one ping at a time', async () => {
    let questions = 0;
    api.health.ping = () => {
      questions += 1;
      return new Promise(() => {});
    };
    const answers = [api.get('/health/ready'), api.get('/health/ready')];
    await api.clock.scheduled(2_000);
    api.clock.advance(2_000);
    for (const { status } of await Promise.all(answers)) expect(status).to.equal(503);
    expect(questions).to.equal(1);
  });

  it('accepts any query on the addresses of probes', async () => {
    for (const path of ['/health/live', '/health/ready', '/health/clients']) {
      expect((await api.get(`${path}?ts=1&clientId=acme`)).status).to.equal(200);
    }
  });

  it('lists facts and routes, and no secret', async () => {
    const { body } = await api.get('/config');
    const { routes, ...facts } = body;
    expect(facts).to.deep.equal({
      podName: 'node-1',
      environment: 'sandbox',
      storage: 'sqlite',
      publicMedia: true,
      proxy: false,
      rejectCalls: false,
      alerts: false,
      version: '2026-11',
    });
    expect(routes)
      .to.be.an('array')
      .that.includes.members(['POST /start', 'GET /qr', 'POST /send-message', 'GET /config']);
    expect(JSON.stringify(body)).not.to.include(TOKEN);
  });

  it('names for every route the node where it must run', () => {
    const owners = api.server.table().map(({ settings }) => settings.app?.owner);
    expect(new Set(owners)).to.deep.equal(new Set(['session', 'any', 'none']));
  });

  it('measures requests by route and status, with one name for all unknown routes', async () => {
    await api.get('/clients');
    await api.get('/no/such/route');
    await api.get('/another');
    const response = await api.server.inject({ url: '/metrics', headers: { 'x-v3-secret': TOKEN } });
    expect(response.headers['content-type']).to.match(/^text\/plain/);
    const name = 'switchboard_http_request_duration_seconds_count';
    expect(response.payload).to.include(`${name}{method="GET",route="/clients",status="200"} 1`);
    expect(response.payload).to.include(`${name}{method="GET",route="none",status="404"} 2`);
  });
});

describe('delivery routes', () => {
  let api: TestServer;
  let receiver: TestReceiver;

  beforeEach(async () => {
    api = await createTestServer();
    receiver = await startReceiver();
    await api.services.sessions.start('acme', { webhookUrl: receiver.url });
    await api.services.sessions.start('mute', { webhookUrl: receiver.url });
    await api.services.sessions.setWebhook('mute', { webhookUrl: '' });
    for (let number = 1; number <= 3; number++) {
      const delivery = {
        id: `d${number}`,
        clientId: number === 3 ? 'mute' : 'acme',
        url: 'https://example.com',
        type: 'text',
        messageId: `3EB0${number}`,
        body: '{"type":"text","body":"Hello"}',
        reason: 'HTTP 500',
        attempts: 4,
        failedAt: Date.UTC(2026, 10, 21),
      };
      await api.store.failedDeliveries.add(delivery, 100);
    }
  });
  afterEach(async () => {
    await closeServers();
    await receiver.stop();
  });

  it('send a test event', async () => {
    const { body } = await api.post('/send-test-event', { clientId: 'acme', type: 'session_status' });
    const { deliveryId, ...outcome } = body;
    expect(outcome).to.deep.equal({ delivered: true, reason: '', signed: false });
    const [call] = receiver.calls;
    expect(call?.headers).to.include({ 'x-sn-delivery': deliveryId, 'x-sn-event': 'session_status' });
    expect((await api.post('/send-test-event', { clientId: 'mute', type: 'text' })).status).to.equal(409);
  });

  it('list failed deliveries, newest first', async () => {
    const ids = async (query: string) => {
      const { body } = await api.get(`/failed-deliveries${query}`);
      return Array.isArray(body.failedDeliveries) ? body.failedDeliveries.map(({ id }) => id) : [];
    };
    expect(await ids('')).to.deep.equal(['d3', 'd2', 'd1']);
    expect(await ids('?clientId=acme')).to.deep.equal(['d2', 'd1']);
    expect(await ids('?limit=1')).to.deep.equal(['d3']);
    for (const limit of ['0', '1001', 'many', '1.5']) {
      const { status, body } = await api.get(`/failed-deliveries?limit=${limit}`);
      expect(status).to.equal(400);
      expect(body.error).to.include('limit');
    }
  });

  it('show a failed delivery with its event', async () => {
    const { body } = await api.get('/failed-deliveries/d1');
    expect(body).to.deep.equal({
      id: 'd1',
      clientId: 'acme',
      url: 'https://example.com',
      type: 'text',
      messageId: '3EB01',
      reason: 'HTTP 500',
      ...{ reasonCode: 'former_words', reasonValues: { words: 'HTTP 500' } },
      attempts: 4,
      failedAt: '2026-11-21T00:00:00.000Z',
      event: { type: 'text', body: 'Hello' },
    });
    expect((await api.get('/failed-deliveries/d9')).status).to.equal(404);
  });

  it('retry a failed delivery, with or without a body', async () => {
    for (const body of [undefined, {}]) {
      const id = body ? 'd2' : 'd1';
      const answer = await api.post(`/failed-deliveries/${id}/resend`, body);
      expect(answer.body).to.deep.equal({ deliveryId: id, delivered: true, reason: '' });
      expect(receiver.calls.at(-1)).to.deep.include({ body: '{"type":"text","body":"Hello"}' });
      expect((await api.post(`/failed-deliveries/${id}/resend`)).status).to.equal(404);
    }
    expect((await api.post('/failed-deliveries/d3/resend', { now: true })).status).to.equal(400);
  });

  it('refuse the clientId of another session', async () => {
    expect((await api.get('/failed-deliveries/d1?clientId=acme')).status).to.equal(200);
    expect((await api.get('/failed-deliveries/d1?clientId=mute')).status).to.equal(400);
    expect((await api.post('/failed-deliveries/d1/resend?clientId=mute')).status).to.equal(400);
  });
});

describe('the list of failed deliveries', () => {
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', { webhookUrl: 'https://example.com' });
    for (const id of ['d1', 'd2', 'd3']) {
      const delivery = {
        id,
        clientId: 'acme',
        url: 'https://example.com/hook?key=secret',
        type: 'text',
        messageId: '3EB0',
        body: '{"type":"text"}',
        reason: 'answered 500',
        attempts: 4,
        failedAt: 1_795_000_000_000,
      };
      await api.store.failedDeliveries.add(delivery, 100);
    }
  });
  afterEach(closeServers);

  const page = async (query: string) => {
    const { body } = await api.get(`/failed-deliveries${query}`);
    const { failedDeliveries, next } = body;
    return { ids: Array.isArray(failedDeliveries) ? failedDeliveries.map(({ id }) => id) : [], next };
  };

  it('returns pages, each with the cursor of the next', async () => {
    expect(await page('?limit=2')).to.deep.equal({ ids: ['d3', 'd2'], next: '1795000000000-d2' });
    expect(await page('?limit=2&before=1795000000000-d2')).to.deep.equal({ ids: ['d1'], next: undefined });
  });

  it('refuses an invalid cursor', async () => {
    for (const before of ['', 'd2', '-d2', '1795000000000-', 'soon-d2']) {
      const { status, body } = await api.get(`/failed-deliveries?before=${before}`);
      expect(status, before).to.equal(400);
      expect(body.error).to.include('before');
    }
  });
});
