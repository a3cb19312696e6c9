import { expect } from 'chai';
import { createTestServer, type TestServer } from './support/test-server.js';

describe('the list of failed deliveries', () => {
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', { webhookUrl: 'https://example.com' });
    for (const id of ['d1', 'd2', 'd3']) {
      api.services.deliveries.fail({
        id,
        clientId: 'acme',
        url: 'https://example.com/hook?key=secret',
        type: 'text',
        messageId: '3EB0',
        body: '{"type":"text"}',
        reason: 'answered 500',
        attempts: 4,
        failedAt: 1_795_000_000_000,
      });
    }
  });
  afterEach(() => api.server.stop());

  const page = async (query: string) => {
    const { body } = await api.get(`/failed-deliveries${query}`);
    const { failedDeliveries, next } = body;
    return { ids: Array.isArray(failedDeliveries) ? failedDeliveries.map(({ id }) => id) : [], next };
  };

  it('comes in pages, each naming where the next begins', async () => {
    expect(await page('?limit=2')).to.deep.equal({ ids: ['d3', 'd2'], next: '1795000000000-d2' });
    expect(await page('?limit=2&before=1795000000000-d2')).to.deep.equal({ ids: ['d1'], next: undefined });
  });

  it('refuses a place that is none', async () => {
    for (const before of ['', 'd2', '-d2', '1795000000000-', 'soon-d2']) {
      const { status, body } = await api.get(`/failed-deliveries?before=${before}`);
      expect(status, before).to.equal(400);
      expect(body.error).to.include('before');
    }
  });
});
