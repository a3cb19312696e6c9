import { expect } from 'chai';
import { UNREADABLE_REASONS } from '../../src/domain/unreadable.js';
import { checkMixedTraffic } from '../support/mixed-traffic.js';
import { eventIn, eventOf, eventsOf } from '../support/receiver.js';
import { BOB, Conversations, type Side, startWorld, WEBHOOK_TOKEN, type Wish } from '../support/world.js';

/** Milliseconds; the wait for the phone is long where the phone answers: a busy machine must not end it. */
const WAITS = { senderMs: 300, phoneMs: 60_000 };
/** Where the phone does not answer in time. */
const SHORT_MS = 1_500;

describe('messages that cannot be read', () => {
  let talk: Conversations;
  before(async () => {
    talk = await Conversations.start({ overrides: { unreadableWaits: WAITS } });
    const { world } = talk;
    for (const clientId of ['plain', 'hosted']) {
      const webhook = { webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN };
      const extraEvents = ['message_unreadable'];
      const { status } = await world.api.post('/set-webhook', { clientId, ...webhook, extraEvents });
      expect(status).to.equal(200);
    }
  });
  after(() => talk.stop());
  afterEach(async () => {
    WAITS.phoneMs = 60_000;
    await talk.world.phones.clearFaults();
  });

  const write = async ({ phone }: Side, wish: Wish): Promise<string> =>
    (await talk.world.phones.write(BOB.number, { to: phone.number, ...wish })).messageId;
  const types = (messageId: string) => eventsOf(talk.world.receiver, messageId).map(({ type }) => type);
  /** Resolves when the event of a later message has come. */
  const afterNext = (side: Side) => talk.fromBob(side, { text: 'next' });

  it('are requested again with the reason, and announced once', async () => {
    const event = await talk.fromBob(talk.hosted, { text: 'broken once', deviceCopy: 'damaged' });
    expect(event).to.include({ type: 'text', body: 'broken once' });
    await afterNext(talk.hosted);
    expect(types(event.messageId)).to.deep.equal(['text']);
    expect((await talk.row(talk.hosted, event.messageId))?.body).to.equal('broken once');
    const { retryReceipts, messageRefusals } = await talk.world.phones.stats();
    expect(Object.keys(retryReceipts).map(Number)).to.satisfy((reasons: number[]) =>
      reasons.every((reason) => reason > 0),
    );
    expect(retryReceipts).to.not.deep.equal({});
    expect(messageRefusals).to.deep.equal({});
  });

  it('are fetched from the own phone when their sender cannot send them again', async () => {
    for (const side of [talk.plain, talk.hosted]) {
      const event = await talk.fromBob(side, { text: 'broken for good', deviceCopy: 'damaged-for-good' });
      expect(event).to.include({ type: 'text', body: 'broken for good', fromMe: false });
      await afterNext(side);
      expect(types(event.messageId)).to.deep.equal(['text']);
    }
  });

  it('are fetched from the own phone when the network has no copy for this device', async () => {
    const event = await talk.fromBob(talk.hosted, { text: 'from the phone', deviceCopy: 'unavailable' });
    expect(event).to.include({ type: 'text', body: 'from the phone' });
    expect(event.chatRoomId).to.equal(talk.hosted.chatRoomId);
  });

  it('are announced as unreadable when neither sender nor phone can help, and never as a text', async () => {
    const { world, hosted } = talk;
    WAITS.phoneMs = SHORT_MS;
    await world.phones.fault({ kind: 'no-resend' });
    const messageId = await write(hosted, { text: 'lost', deviceCopy: 'damaged-for-good' });
    const event = await eventOf(world.receiver, messageId);
    expect(event).to.include({
      ...{ event: 'message.unreadable', type: 'message_unreadable', clientId: 'hosted' },
      ...{ orgId: 'workspace1', chatRoomId: hosted.chatRoomId, remoteName: 'Bob', fromMe: false },
      ...{ isGroup: false, reason: 'undecryptable' },
    });
    expect(event).to.not.have.any.keys('body', 'media', 'quoted');
    const row = await talk.row(hosted, messageId);
    expect(row).to.deep.include({
      messageType: 'chat',
      body: 'This message could not be read here; look for it on the phone.',
    });
    expect(row?.extras.unreadable).to.deep.equal({ reason: 'undecryptable' });
    const metrics = await fetch(new URL('/metrics', world.api.url), {
      headers: { authorization: 'Bearer test-master-token-0123456789' },
    });
    expect(await metrics.text()).to.match(/messages_unreadable_total\{[^}]*reason="undecryptable"[^}]*\} 1/);
    await world.tail.next(
      (entry) =>
        entry.kind === 'event' &&
        entry.event.type === 'message_unreadable' &&
        'messageId' in entry.event &&
        entry.event.messageId === messageId,
    );
  });

  it('are announced, and their row is replaced, when the phone answers late', async () => {
    const { world, hosted } = talk;
    WAITS.phoneMs = SHORT_MS;
    await world.phones.fault({ kind: 'late-resend', ms: SHORT_MS + 500 });
    const messageId = await write(hosted, { text: 'late', deviceCopy: 'unavailable' });
    await world.receiver.find((call) => {
      const event = eventIn(call);
      return event?.messageId === messageId && event.type === 'text';
    });
    expect(types(messageId)).to.deep.equal(['message_unreadable', 'text']);
    const row = await talk.row(hosted, messageId);
    expect(row?.body).to.equal('late');
    expect(row?.extras).to.not.have.property('unreadable');
  });

  for (const [deviceCopy, reason] of [
    ['unavailable-view-once', 'view_once'],
    ['unavailable-bot', 'bot'],
    ['unavailable-hosted', 'hosted'],
  ] as const) {
    it(`are announced at once when only the phone gets them: ${reason}`, async () => {
      expect(UNREADABLE_REASONS).to.include(reason);
      const messageId = await write(talk.plain, { text: 'for the phone', deviceCopy });
      const event = await eventOf(talk.world.receiver, messageId);
      expect(event).to.include({ type: 'message_unreadable', reason });
    });
  }

  it('are announced as usual when they arrive without encryption', async () => {
    const { world, hosted } = talk;
    const event = await talk.fromBob(hosted, { text: 'in plain sight', deviceCopy: 'plaintext' });
    expect(event).to.include({ type: 'text', body: 'in plain sight' });
    await afterNext(hosted);
    expect(types(event.messageId)).to.deep.equal(['text']);
    expect((await world.phones.stats()).unacknowledged).to.equal(0);
  });

  it('are announced once when the network delivers them again under another encryption, unlike edits and votes', async () => {
    const { world } = talk;
    for (const side of [talk.plain, talk.hosted]) {
      const { messageId } = await talk.fromBob(side, { text: 'once' });
      const poll = await talk.fromBob(side, { poll: { name: 'Tea?', options: ['yes', 'no'] } });
      for (const id of [messageId, poll.messageId, messageId]) await world.phones.repeat(BOB.number, id);
      const edit = await talk.fromBob(side, { edit: { messageId, text: 'twice' } });
      const again = await talk.fromBob(side, { edit: { messageId, text: 'thrice' } });
      const vote = { pollMessageId: poll.messageId, options: ['yes'] };
      expect((await talk.fromBob(side, { vote })).type).to.equal('vote_update');
      expect([edit.type, again.type]).to.deep.equal(['edit', 'edit']);
      await afterNext(side);
      expect([types(messageId), types(poll.messageId)]).to.deep.equal([['text'], ['poll_creation']]);
    }
  });

  it('are announced once across restarts, whatever step was interrupted', async () => {
    const { world, hosted } = talk;
    const { messageId: told } = await talk.fromBob(hosted, { text: 'told before' });
    await world.phones.fault({ kind: 'no-resend' });
    const open = await write(hosted, { text: 'open at the stop', deviceCopy: 'unavailable' });
    await afterNext(hosted);
    await world.stopDaemon();
    await world.phones.clearFaults();
    await world.phones.repeat(BOB.number, told);
    await world.startDaemon();
    await world.connected('hosted');
    expect(await eventOf(world.receiver, open)).to.include({ type: 'text', body: 'open at the stop' });
    await afterNext(hosted);
    expect([types(told), types(open)]).to.deep.equal([['text'], ['text']]);
  });
});

describe('a gateway in mixed traffic', () => {
  it('announces each of 60 messages once among statuses and posts, including unreadable ones, across a restart', async () => {
    const world = await startWorld();
    try {
      await checkMixedTraffic(world, 60, 1);
    } finally {
      await world.stop();
    }
  });
});
