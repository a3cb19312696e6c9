import { expect } from 'chai';
import { ALICE, BOB, linkSession } from '../support/pairing.js';
import { startReceiver, type TestReceiver } from '../support/receiver.js';
import { startWorld, type World } from '../support/world.js';

const INSIDE = /loopback, link-local, private or reserved address; --allow-private-urls permits it/;

/** Lets the session's receiver be called and tells what came of it. */
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

describe('webhook addresses inside the own network', () => {
  describe('without --allow-private-urls', () => {
    let world: World;
    before(async () => {
      world = await startWorld({ settings: { allowPrivateUrls: false } });
      await linkSession(world, 'acme', ALICE);
      await world.phones.addPhone(BOB);
    });
    after(() => world.stop());

    const hosts = [
      'localhost',
      'LOCALHOST',
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
      '[fe80::1]',
      '[fd00::1]',
    ];
    for (const host of hosts) {
      it(`are refused at the connection: ${host}`, async () => {
        const url = `http://${host}:${world.receiver.port}/hook`;
        const { delivered, reason, deliveryId } = await testEvent(world, url);
        expect(delivered).to.equal(false);
        expect(reason).to.match(INSIDE);
        const [kept] = await failedDeliveries(world);
        expect(kept).to.include({ id: deliveryId, url, attempts: 1, reason });
        expect(world.receiver.calls).to.deep.equal([]);
      });
    }

    it('lose no message: it is kept as a failed delivery with the reason, and tail shows it', async () => {
      await world.api.post('/set-webhook', { clientId: 'acme', webhookUrl: world.receiver.url });
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

  describe('with --allow-private-urls', () => {
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

    it('are called, by name and by number', async () => {
      for (const host of ['localhost', '127.0.0.1']) {
        const result = await testEvent(world, `http://${host}:${world.receiver.port}/${host}`);
        expect(result, host).to.include({ delivered: true, reason: '' });
        await world.receiver.find(({ path }) => path === `/${host}`);
      }
    });

    it('are not called because another address says so', async () => {
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
