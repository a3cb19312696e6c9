import { expect } from 'chai';
import { eventOf, startReceiver, type TestReceiver } from '../support/receiver.js';
import { ALICE, BOB, linkSession, startWorld, WEBHOOK_TOKEN, type World } from '../support/world.js';

const LISTENER_TOKEN = 'a-token-of-a-listener';

describe('the listener routes, over the API', () => {
  let world: World;
  let listener: TestReceiver;

  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
    listener = await startReceiver();
  });
  after(async () => {
    await listener.stop();
    await world.stop();
  });

  const listen = (changes: object = {}) =>
    world.api.post('/listen-webhook', {
      clientId: 'acme',
      webhookUrl: listener.url,
      webhookToken: LISTENER_TOKEN,
      ...changes,
    });
  const write = async () =>
    (await world.phones.write(BOB.number, { to: ALICE.number, text: 'hello' })).messageId;
  const ownRow = async () => {
    const { body } = await world.api.get('/clients?clientId=acme');
    return JSON.parse(JSON.stringify(body)).clients[0];
  };

  it('deliver the events of people to the listener, and restore the webhook with its token', async () => {
    const { status, body } = await listen();
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ ok: true, webhookUrl: listener.url, registeredUrl: world.receiver.url });
    const taken = await write();
    await eventOf(listener, taken);
    const ended = await world.api.post('/unlisten-webhook', {
      clientId: 'acme',
      webhookToken: LISTENER_TOKEN,
    });
    expect(ended.body).to.deep.equal({
      ok: true,
      clientId: 'acme',
      ended: true,
      webhookUrl: world.receiver.url,
    });
    const back = await write();
    const call = await world.receiver.find(({ body }) => body.includes(back));
    expect(call.headers.authorization).to.equal(`Bearer ${WEBHOOK_TOKEN}`);
    expect(world.receiver.calls.some(({ body }) => body.includes(taken))).to.equal(false);
  });

  it('list the listener with its session, without the token', async () => {
    await listen();
    const row = await ownRow();
    expect(row).to.include({ webhookUrl: world.receiver.url });
    expect(row.listener).to.have.keys('url', 'expiresAt').and.include({ url: listener.url });
    expect(JSON.stringify(row)).not.to.contain(LISTENER_TOKEN);
    await world.api.post('/unlisten-webhook', { clientId: 'acme' });
    expect(await ownRow()).not.to.have.property('listener');
  });

  it('deliver test events, also for a session without a webhook', async () => {
    await world.api.post('/start?clientId=mute');
    await listen({ clientId: 'mute' });
    const { body } = await world.api.post('/send-test-event', { clientId: 'mute', type: 'text' });
    expect(body).to.include({ delivered: true });
    await world.api.post('/unlisten-webhook', { clientId: 'mute' });
    const refused = await world.api.post('/send-test-event', { clientId: 'mute', type: 'text' });
    expect(refused.status).to.equal(409);
  });

  it('leave the registered webhook unchanged, and forget the listener at a restart of the daemon', async () => {
    await listen();
    await world.api.post('/set-webhook', { clientId: 'acme', webhookUrl: `${world.receiver.url}/new` });
    expect(await ownRow()).to.deep.include({ webhookUrl: `${world.receiver.url}/new` });
    await world.restartDaemon();
    expect(await ownRow()).not.to.have.property('listener');
    const messageId = await write();
    const call = await world.receiver.find(({ body }) => body.includes(messageId));
    expect(call).to.deep.include({ path: '/new' });
    expect(call.headers.authorization).to.equal(`Bearer ${WEBHOOK_TOKEN}`);
  });

  it('report invalid requests', async () => {
    expect((await listen({ clientId: 'nobody' })).status).to.equal(404);
    listener.respond((response) => response.writeHead(404).end());
    const { status, body } = await listen();
    expect(status).to.equal(502);
    expect(body.error).to.contain('answered 404');
    listener.respond((response) => response.writeHead(204).end());
    await listen();
    const other = await listen({ webhookToken: 'a-token-of-another' });
    expect(other.status).to.equal(409);
    expect((await listen({ webhookToken: 'a-token-of-another', takeOver: true })).status).to.equal(200);
  });
});
