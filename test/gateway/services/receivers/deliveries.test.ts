import { expect } from 'chai';
import { EXTRA_EVENT_TYPES, MESSAGE_EVENT_TYPES } from '../../../../src/contract/events/catalogue.js';
import { GatewayError } from '../../../../src/domain/errors.js';
import { createDeliveries } from '../../../../src/gateway/services/receivers/deliveries.js';
import { storedInWords } from '../../../support/reasons.js';
import { answering, startReceiver, type TestReceiver } from '../../../support/receiver.js';
import { type PlayedDeliveries, textEvent } from '../../../support/rig/deliveries.js';
import { Rig } from '../../../support/rig/rig.js';

/** The object that goes with each type of event; those without one carry text alone. */
const EXTRA_OF: Record<string, string> = {
  image: 'media',
  video: 'media',
  audio: 'media',
  document: 'media',
  sticker: 'media',
  poll_creation: 'poll',
  vote_update: 'pollVote',
  interactive_reply: 'interactive',
  contact: 'contact',
  location: 'location',
  reaction: 'reaction',
  edit: 'edit',
  revoke: 'revoke',
};

describe('Deliveries', () => {
  let rig: PlayedDeliveries;
  let receiver: TestReceiver;
  let deliveries: ReturnType<typeof createDeliveries>;

  beforeEach(async () => {
    rig = (await Rig.start()).deliveries();
    receiver = await startReceiver();
    const acme = {
      ...{ webhookUrl: receiver.url, webhookToken: 'secret', previousToken: null, previousTokenUntil: 0 },
      ...{ receivers: null, orgId: 'org-1', lid: '90000000000009' },
    };
    const sessions = new Map([
      ['acme', acme],
      ['fresh', { ...acme, orgId: '', lid: '' }],
      ['mute', { ...acme, webhookUrl: '' }],
    ]);
    deliveries = createDeliveries({
      sessions: {
        find(clientId) {
          const session = sessions.get(clientId);
          if (session) return session;
          throw new GatewayError('session_unknown', `unknown clientId ${clientId}`);
        },
      },
      listening: { inFrontByHand: (_clientId, registered) => registered },
      dispatcher: rig.dispatcher,
      failed: rig.store.failedDeliveries,
      clock: rig.clock,
    });
  });

  afterEach(async () => {
    await rig.close();
    await receiver.stop();
  });

  const codeOf = (promise: Promise<unknown>) => {
    return promise.then(
      () => 'none',
      (error: unknown) => (error instanceof GatewayError ? error.code : String(error)),
    );
  };

  /** An event that the receiver has refused. */
  const refuseOne = async () => {
    receiver.respond(answering(401));
    const { deliveryId } = await rig.dispatcher.announce(textEvent(), { url: receiver.url, token: 'wrong' });
    return deliveryId;
  };

  for (const type of [...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES]) {
    it(`sends a test event of type ${type}`, async () => {
      const result = await deliveries.sendTestEvent('acme', type);
      expect(result).to.include({ delivered: true, reason: '' });
      const [call] = receiver.calls;
      expect(call?.headers['x-sn-event']).to.equal(type);
      const event = JSON.parse(call?.body ?? '');
      expect(event).to.include({ type, clientId: 'acme', orgId: 'org-1' });
      expect(Date.parse(event.timestamp)).to.equal(rig.clock.now());
      const extras = new Set(Object.values(EXTRA_OF));
      const carried = Object.keys(event).filter((key) => extras.has(key));
      expect(carried).to.deep.equal([EXTRA_OF[type] ?? []].flat());
    });
  }

  it("shows the session's own LID in test events, or a made-up one before it has one", async () => {
    await deliveries.sendTestEvent('acme', 'text');
    await deliveries.sendTestEvent('fresh', 'text');
    const [paired, fresh] = receiver.calls.map(({ body }) => JSON.parse(body));
    expect(paired).to.include({ myLid: '90000000000009', chatRoomId: 'acme-90000000000009-90000000000002' });
    expect(fresh.chatRoomId).to.equal(`fresh-${fresh.myLid}-90000000000002`);
    expect(fresh.myLid).to.match(/^[0-9]+$/);
  });

  it('creates a new message for each test event', async () => {
    await deliveries.sendTestEvent('acme', 'text');
    await deliveries.sendTestEvent('acme', 'text');
    const ids = receiver.calls.map(({ body }) => JSON.parse(body).messageId);
    expect(new Set(ids).size).to.equal(2);
  });

  it('refuses a test event for a session without a webhook', async () => {
    expect(await codeOf(deliveries.sendTestEvent('nobody', 'text'))).to.equal('session_unknown');
    expect(await codeOf(deliveries.sendTestEvent('mute', 'text'))).to.equal('webhook_missing');
  });

  it('lists failed deliveries, and shows one', async () => {
    const id = await refuseOne();
    expect((await deliveries.failed({ limit: 10 })).map((one) => one.id)).to.deep.equal([id]);
    expect(await deliveries.failed({ clientId: 'other', limit: 10 })).to.deep.equal([]);
    expect(storedInWords(await deliveries.failedOne(id))).to.include({
      id,
      clientId: 'acme',
      reason: 'answered 401',
    });
    expect(await codeOf(deliveries.failedOne('nothing'))).to.equal('delivery_unknown');
  });

  it('resends a failed delivery unchanged, with the current token, and removes it once it arrives', async () => {
    const id = await refuseOne();
    receiver.respond(answering(200));
    expect(await deliveries.resend(id)).to.deep.equal({ deliveryId: id, delivered: true, reason: '' });
    const [first, second] = receiver.calls;
    expect(second?.body).to.equal(first?.body);
    expect(second?.headers).to.include({
      'x-sn-delivery': id,
      'x-sn-attempt': '1',
      authorization: 'Bearer secret',
    });
    expect(await deliveries.failed({ limit: 10 })).to.deep.equal([]);
    expect(await codeOf(deliveries.resend(id))).to.equal('delivery_unknown');
  });

  it('keeps a delivery that fails again, with the newest reason', async () => {
    const id = await refuseOne();
    receiver.respond(answering(410));
    expect(await deliveries.resend(id)).to.include({ delivered: false, reason: 'answered 410' });
    const kept = await deliveries.failed({ limit: 10 });
    expect(kept.map(storedInWords).map((one) => [one.id, one.reason])).to.deep.equal([[id, 'answered 410']]);
  });

  it('resends a failed delivery once for two requests at the same time', async () => {
    const id = await refuseOne();
    receiver.respond(answering(200));
    const [one, other] = await Promise.all([deliveries.resend(id), deliveries.resend(id)]);
    expect(one).to.deep.equal(other);
    expect(receiver.calls).to.have.length(2);
  });
});
