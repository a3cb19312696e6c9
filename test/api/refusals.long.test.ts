import { expect } from 'chai';
import { GatewayError } from '../../src/domain/errors.js';
import type { SealedStore } from '../../src/gateway/store/sealing/sealed-store.js';
import { eventOf } from '../support/receiver.js';
import { until } from '../support/until.js';
import { ALICE, BOB, linkSession, startWorld, type World } from '../support/world.js';

describe('routes whose work the network or the store refuses', () => {
  let world: World;
  /** The store keeps no change of a session. */
  let isAway = false;

  const aroundStore = (store: SealedStore): SealedStore => ({
    ...store,
    sessions: {
      ...store.sessions,
      async update(clientId, changes) {
        if (isAway && 'webhookUrl' in changes)
          throw new GatewayError('store_unavailable', 'the store is away');
        return store.sessions.update(clientId, changes);
      },
    },
  });

  before(async () => {
    world = await startWorld({ overrides: { aroundStore } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE);
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
  });
  afterEach(async () => {
    isAway = false;
    await world.phones.clearFaults();
  });
  after(() => world.stop());

  const refusal = ({ status, headers, body }: Awaited<ReturnType<World['api']['post']>>) => ({
    status,
    code: headers.get('x-sn-error'),
    keys: Object.keys(body),
  });

  async function received(text: string) {
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text });
    return eventOf(world.receiver, messageId);
  }

  it('/start reports that the webhook was not stored; the session works, and the next change stores it', async () => {
    isAway = true;
    const webhookUrl = `${world.receiver.url}/moved`;
    const answer = await world.api.post('/start?clientId=acme', { webhookUrl });
    expect(refusal(answer)).to.deep.equal({ status: 500, code: 'webhook_not_persisted', keys: ['error'] });
    expect(answer.body.error).to.equal(
      'session started, but the webhook could not be persisted; call /set-webhook',
    );
    isAway = false;
    expect((await world.api.post('/set-webhook', { clientId: 'acme', webhookUrl })).status).to.equal(200);
    await world.restartDaemon();
    await world.connected('acme');
    const { messageId } = await received('after the restart');
    const call = await world.receiver.find(({ body }) => body.includes(messageId));
    expect(call.path).to.equal('/moved');
  });

  it('/mark-read answers 502 when the receipt is not acknowledged, and keeps the unread count', async () => {
    const event = await received('unread');
    await world.phones.fault({ kind: 'silence', number: ALICE.number });
    const request = { clientId: 'acme', to: BOB.number, messageIds: [event.messageId] };
    const answer = await world.api.post('/mark-read', request);
    expect(refusal(answer)).to.deep.equal({ status: 502, code: 'receipt_rejected', keys: ['error'] });
    await world.phones.clearFaults();
    // the silent connection is still open
    expect((await world.api.post('/reconnect', { clientId: 'acme' })).status).to.equal(200);
    const rooms = await world.api.get('/chatrooms?clientId=acme');
    expect(JSON.stringify(rooms.body)).to.match(/"unreadCount":[1-9]/);
    await until('the receipt', async () => (await world.api.post('/mark-read', request)).status === 200);
    const after = await world.api.get('/chatrooms?clientId=acme');
    expect(JSON.stringify(after.body)).to.match(/"unreadCount":0/);
  });

  it('/mark-unread answers 502 when the network refuses the setting', async () => {
    await received('an anchor');
    await world.phones.fault({ kind: 'app-state-conflict', number: ALICE.number, count: 50 });
    const answer = await world.api.post('/mark-unread', { clientId: 'acme', to: BOB.number });
    expect(refusal(answer)).to.deep.equal({ status: 502, code: 'app_state_rejected', keys: ['error'] });
    await world.phones.clearFaults();
    expect((await world.api.post('/mark-unread', { clientId: 'acme', to: BOB.number })).status).to.equal(200);
  });

  it('a message of a broadcast list is acknowledged without an event, and the next message arrives', async () => {
    const { lid, devices } = await world.phones.phone(ALICE.number);
    expect(lid).to.not.equal('');
    const bob = await world.phones.phone(BOB.number);
    const device = devices.find(({ connected }) => connected)?.id ?? 0;
    const done = new AbortController();
    const stanzas = await world.phones.stanzas.watch(done.signal);
    await world.phones.stanzas.send(ALICE.number, device, {
      tag: 'message',
      attrs: {
        id: '3ABROADCAST',
        from: '1555@broadcast',
        participant: bob.lid,
        type: 'text',
        t: '1700000000',
      },
      children: [{ tag: 'enc', attrs: { v: '2', type: 'msg' }, base64: 'AAAA' }],
    });
    for await (const { direction, stanza } of stanzas) {
      if (direction !== 'in' || stanza.attrs?.id !== '3ABROADCAST') continue;
      expect(stanza.tag).to.be.oneOf(['ack', 'receipt']);
      expect(stanza.attrs).to.not.have.property('error');
      break;
    }
    done.abort();
    await received('after the broadcast');
    expect(world.receiver.calls.filter(({ body }) => body.includes('3ABROADCAST'))).to.deep.equal([]);
  });
});
