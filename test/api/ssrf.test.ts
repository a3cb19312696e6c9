import { expect } from 'chai';
import type { RawSettings } from '../../src/gateway/config/schema.js';
import { startReceiver, type TestReceiver } from '../support/receiver.js';
import { ALICE, BOB, linkSession, startWorld, type World } from '../support/world.js';

const INSIDE = /loopback, link-local, private or reserved address; --allow-private-urls permits it/;

/** Sends a test event to the session's receiver, and returns the result. */
async function testEvent(world: World, webhookUrl: string): Promise<Record<string, unknown>> {
  await world.api.post('/set-webhook', { clientId: 'acme', webhookUrl });
  const { status, body } = await world.api.post('/send-test-event', { clientId: 'acme', type: 'text' });
  expect(status, JSON.stringify(body)).to.equal(200);
  return body;
}

async function failedDeliveries(world: World): Promise<Record<string, unknown>[]> {
  const { body } = await world.api.get('/failed-deliveries?clientId=acme');
  return Array.isArray(body.failedDeliveries) ? body.failedDeliveries : [];
}

describe('webhooks in a private network', () => {
  describe('a gateway without --allow-private-urls', () => {
    const settings: RawSettings = { allowPrivateUrls: true };
    let world: World;
    before(async () => {
      world = await startWorld({ settings });
      await linkSession(world, 'acme', ALICE);
      await world.phones.addPhone(BOB);
      // the address was allowed when it was set
      await world.api.post('/set-webhook', { clientId: 'acme', webhookUrl: world.receiver.url });
      await world.stopDaemon();
      settings.allowPrivateUrls = false;
      await world.startDaemon();
    });
    after(() => world.stop());

    const hosts = [
      'localhost',
      'LOCALHOST',
      'node.localhost',
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
      '10.0.0.1',
      '172.16.0.1',
      '192.168.0.1',
      '169.254.169.254',
      '168.63.129.16',
      '[fe80::1]',
      '[fd00::1]',
    ];
    it('refuses the private address of a further receiver when it is added and when it is changed', async () => {
      const url = `http://127.0.0.1:${world.receiver.port}/hook`;
      const refused = await world.api.post('/receivers', { clientId: 'acme', url });
      expect(refused.status).to.equal(400);
      expect(refused.body.error).to.match(INSIDE);
      const added = await world.api.post('/receivers', { clientId: 'acme', url: 'https://example.com/hook' });
      expect(added.status).to.equal(200);
      const moved = await world.api.post('/receivers/update', { clientId: 'acme', id: '2', url });
      expect(moved.status).to.equal(400);
      expect(moved.body.error).to.match(INSIDE);
      await world.api.post('/receivers/remove', { clientId: 'acme', id: '2' });
    });

    for (const host of hosts) {
      it(`refuses the private address of a webhook when it is set: ${host}`, async () => {
        const address = `http://${host}:${world.receiver.port}/hook`;
        const settings = {
          webhookUrl: world.receiver.url,
          webhookToken: 'a-token-made-for-the-listener',
          seconds: 30,
        };
        const calls = [
          ['/set-webhook', { clientId: 'acme', webhookUrl: address }],
          ['/set-webhook', { clientId: 'acme', webhookUrl: '', pollLookupUrl: address }],
          ['/start?clientId=acme', { webhookUrl: address }],
          ['/listen-webhook', { ...settings, clientId: 'acme', webhookUrl: address }],
        ] as const;
        for (const [path, body] of calls) {
          const answer = await world.api.post(path, body);
          expect(answer.status, path).to.equal(400);
          expect(answer.body.error, path)
            .to.match(/^(webhookUrl|pollLookupUrl): /)
            .and.match(INSIDE);
        }
        const { body } = await world.api.get('/clients');
        expect(body.clients).to.have.nested.property('[0].webhookUrl', world.receiver.url);
      });
    }

    it('refuses to connect to a private address that was set before', async () => {
      const { status, body } = await world.api.post('/send-test-event', { clientId: 'acme', type: 'text' });
      expect(status).to.equal(200);
      expect(body.delivered).to.equal(false);
      expect(body.reason).to.match(INSIDE);
      expect(world.receiver.calls).to.deep.equal([]);
    });

    it('keeps each message as a failed delivery with the reason, and shows it in the tail', async () => {
      const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'kept' });
      const dropped = await world.tail.next((entry) => entry.kind === 'dropped' && entry.type === 'text');
      expect(dropped).to.have.property('reason').that.matches(INSIDE);
      const attempt = await world.tail.next(
        (entry) => entry.kind === 'attempt' && entry.messageId === messageId,
      );
      expect(attempt).to.include({ outcome: 'rejected', status: 0, attempt: 1 });
      const kept = (await failedDeliveries(world)).find((delivery) => delivery.messageId === messageId);
      expect(kept?.reason).to.match(INSIDE);
      const { body } = await world.api.get(`/failed-deliveries/${kept?.id}`);
      expect(body.event).to.include({ body: 'kept', messageId });
      expect(world.receiver.calls).to.deep.equal([]);
    });
  });

  describe('a gateway with --allow-private-urls', () => {
    let world: World;
    let elsewhere: TestReceiver;
    before(async () => {
      world = await startWorld({ settings: { allowPrivateUrls: true } });
      elsewhere = await startReceiver();
      await linkSession(world, 'acme', ALICE);
    });
    after(async () => {
      await elsewhere.stop();
      await world.stop();
    });

    it('calls webhooks by name and by address', async () => {
      for (const host of ['localhost', '127.0.0.1']) {
        const result = await testEvent(world, `http://${host}:${world.receiver.port}/${host}`);
        expect(result, host).to.include({ delivered: true, reason: '' });
        await world.receiver.find(({ path }) => path === `/${host}`);
      }
    });

    it('calls no address that a redirect names', async () => {
      world.receiver.respond((response) => {
        response.writeHead(307, { location: elsewhere.url }).end();
      });
      const { delivered, reason } = await testEvent(world, world.receiver.url);
      expect(delivered).to.equal(false);
      expect(reason).to.match(/answered 307; redirects are not followed/);
      expect(elsewhere.calls).to.deep.equal([]);
    });
  });
});
