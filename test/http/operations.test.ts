import { expect } from 'chai';
import { createTestServer, type TestServer, TOKEN } from './support/test-server.js';

describe('health and configuration', () => {
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
  });

  it('tells how long the process has been up', async () => {
    for (const [ms, uptime] of [
      [0, '0s'],
      [61_000, '1m1s'],
      [3_661_000, '1h2m2s'],
    ] as const) {
      api.clock.advance(ms);
      expect((await api.get('/health/live')).body).to.deep.equal({ status: 'ok', podName: 'node-1', uptime });
    }
  });

  it('counts the sessions by what they are able to do', async () => {
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
      api.services.sessions.become(clientId, status);
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
      sessions: { total: 7, connected: 1, down: 3, terminal: 3 },
    });
    const { body: clients } = await api.get('/health/clients');
    expect(clients).to.deep.include({ podName: 'node-1', failedCount: 3 });
    expect(clients.clients).to.have.lengthOf(7);
    expect(clients.clients).to.have.nested.property('[2].connected', true);
  });

  it('is not ready while the store is unreachable, and is again afterwards', async () => {
    api.store.ping = () => Promise.reject(new Error('gone'));
    const { status, body } = await api.get('/health/ready');
    expect(status).to.equal(503);
    expect(body).to.deep.include({ status: 'unavailable', database: false, storage: false });
    api.store.ping = async () => {};
    expect((await api.get('/health/ready')).status).to.equal(200);
  });

  it('is not ready once it has begun to stop, while it still answers', async () => {
    api.run.isStopping = true;
    const { status, body } = await api.get('/health/ready');
    expect(status).to.equal(503);
    expect(body).to.deep.include({ status: 'stopping', database: true });
    expect((await api.get('/health/live')).status).to.equal(200);
  });

  it('does not wait for a store that does not answer, and asks it one question at a time', async () => {
    let questions = 0;
    api.store.ping = () => {
      questions += 1;
      return new Promise(() => {});
    };
    const answers = [api.get('/health/ready'), api.get('/health/ready')];
    await api.clock.scheduled(2_000);
    api.clock.advance(2_000);
    for (const { status } of await Promise.all(answers)) expect(status).to.equal(503);
    expect(questions).to.equal(1);
  });

  it('lets probes add to their addresses what they like', async () => {
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
      alerts: false,
      version: '2026-11',
    });
    expect(routes)
      .to.be.an('array')
      .that.includes.members(['POST /start', 'GET /qr', 'POST /send-message', 'GET /config']);
    expect(JSON.stringify(body)).not.to.include(TOKEN);
  });

  it('says of every route where it must run', () => {
    const owners = api.server.table().map(({ settings }) => settings.app?.owner);
    expect(new Set(owners)).to.deep.equal(new Set(['session', 'any', 'none']));
  });

  it('measures requests by route and status, with one name for all that is no route', async () => {
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

  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', { webhookUrl: 'https://example.com' });
    await api.services.sessions.start('mute', {});
    for (let number = 1; number <= 3; number++) {
      api.services.deliveries.fail({
        id: `d${number}`,
        clientId: number === 3 ? 'mute' : 'acme',
        url: 'https://example.com',
        type: 'text',
        messageId: `3EB0${number}`,
        body: '{"type":"text","body":"Hello"}',
        reason: 'HTTP 500',
        attempts: 4,
        failedAt: Date.UTC(2026, 10, 21),
      });
    }
  });

  it('send a test event', async () => {
    const { body } = await api.post('/send-test-event', { clientId: 'acme', type: 'session_status' });
    expect(body).to.deep.equal({
      deliveryId: 'test-session_status',
      delivered: true,
      reason: '',
      signed: false,
    });
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

  it('show one with its event', async () => {
    const { body } = await api.get('/failed-deliveries/d1');
    expect(body).to.deep.equal({
      id: 'd1',
      clientId: 'acme',
      url: 'https://example.com',
      type: 'text',
      messageId: '3EB01',
      reason: 'HTTP 500',
      attempts: 4,
      failedAt: '2026-11-21T00:00:00.000Z',
      event: { type: 'text', body: 'Hello' },
    });
    expect((await api.get('/failed-deliveries/d9')).status).to.equal(404);
  });

  it('send one again, with or without a body', async () => {
    for (const body of [undefined, {}]) {
      const id = body ? 'd2' : 'd1';
      const answer = await api.post(`/failed-deliveries/${id}/resend`, body);
      expect(answer.body).to.deep.equal({ deliveryId: id, delivered: true, reason: '' });
      expect((await api.post(`/failed-deliveries/${id}/resend`)).status).to.equal(404);
    }
    expect((await api.post('/failed-deliveries/d3/resend', { now: true })).status).to.equal(400);
  });

  it('refuse a clientId that is not the delivery’s', async () => {
    expect((await api.get('/failed-deliveries/d1?clientId=acme')).status).to.equal(200);
    expect((await api.get('/failed-deliveries/d1?clientId=mute')).status).to.equal(400);
    expect((await api.post('/failed-deliveries/d1/resend?clientId=mute')).status).to.equal(400);
  });
});
