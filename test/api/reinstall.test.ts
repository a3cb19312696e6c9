import { expect } from 'chai';
import { eventOf, eventsOf, extraEventsIn } from '../support/receiver.js';
import { until } from '../support/until.js';
import { BOB, Conversations, lidOf, type Side } from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
const DORA = { number: '+15550000006', name: 'Dora' };
const EVE = { number: '+15550000005', name: 'Eve' };
const COUNT = 5;

describe('a contact who installs WhatsApp anew', () => {
  let talk: Conversations;
  let group: string;

  before(async () => {
    talk = await Conversations.start();
    const { phones, api } = talk.world;
    await phones.addPhone(DAVE);
    await api.post('/set-enable-group-ai', { clientId: 'hosted', enabled: true });
    const participants = [talk.hosted.phone.number, DAVE.number];
    group = (await phones.groups.create(BOB.number, { subject: 'Friends', participants })).jid;
  });
  beforeEach(async () => {
    await talk.fromBob(talk.hosted, { text: 'before' });
    await sent(talk.hosted, 'hello');
    await sent(talk.hosted, 'hello all', group);
    await says('hello from Bob');
  });
  afterEach(() => talk.world.phones.clearFaults());
  after(() => talk.stop());

  const reinstall = () => talk.world.phones.reinstall(BOB.number);
  /** Sends; resolves with the id when Bob's phone can read it. */
  async function sent({ clientId }: Side, text: string, to = BOB.number): Promise<string> {
    const { status, body } = await talk.world.api.post('/send-message', { clientId, to, body: text });
    expect(status, JSON.stringify(body)).to.equal(200);
    const messageId = String(body.messageId);
    const held = await talk.world.phones.waitForMessage(BOB.number, (one) => one.messageId === messageId);
    expect(held.text).to.equal(text);
    return messageId;
  }
  /** Bob writes to the group; resolves when the message is announced. */
  async function says(text: string): Promise<void> {
    const { messageId } = await talk.world.phones.write(BOB.number, { to: group, text });
    expect(await eventOf(talk.world.receiver, messageId)).to.include({ body: text });
  }
  const write = async (text: string, to = talk.hosted.phone.number) =>
    (await talk.world.phones.write(BOB.number, { to, text })).messageId;
  /** Each was announced once, as a readable message. */
  async function announcedOnce(ids: readonly string[]): Promise<void> {
    for (const id of ids) await eventOf(talk.world.receiver, id);
    await talk.fromBob(talk.hosted, { text: 'next' });
    for (const id of ids)
      expect(eventsOf(talk.world.receiver, id).map(({ type }) => type)).to.deep.equal(['text']);
  }
  const retries = async () => (await talk.world.phones.stats()).retryReceipts;
  const repeated = async () => (await talk.world.phones.stats()).repeated;

  it('gets messages in flight to the old keys, although nobody told of the new ones', async () => {
    await talk.world.phones.fault({ kind: 'no-device-news', number: BOB.number });
    await reinstall();
    const texts = Array.from({ length: COUNT }, (_, index) => `in flight ${index}`);
    await Promise.all(texts.map((text) => sent(talk.hosted, text)));
    expect(await repeated()).to.be.at.least(1);
    const held = (await talk.world.phones.messages(BOB.number)).map(({ text }) => text);
    expect(held.filter((text) => texts.includes(text ?? ''))).to.have.members(texts);
    await announcedOnce([await write('and an answer')]);
  });

  it('gets a message in flight in a group, although nobody told of the new keys', async () => {
    await talk.world.phones.fault({ kind: 'no-device-news', number: BOB.number });
    await reinstall();
    await sent(talk.hosted, 'to all in flight', group);
    await sent(talk.hosted, 'to all again', group);
    await says('and an answer to all');
  });

  it('gets messages that are sent while it happens', async () => {
    const texts = Array.from({ length: COUNT }, (_, index) => `meanwhile ${index}`);
    const sends = texts.map((text) => sent(talk.hosted, text));
    await reinstall();
    await Promise.all(sends);
  });

  it('needs no repetition of what is sent afterwards, in private and in groups', async () => {
    await reinstall();
    await announcedOnce([await write('with new keys')]);
    const before = await repeated();
    await sent(talk.hosted, 'to the new keys');
    await sent(talk.hosted, 'to all with new keys', group);
    await says('to all from the new keys');
    expect(await repeated()).to.equal(before);
  });

  it('is read: each message before and after is announced once, and none is asked for again', async () => {
    const asked = await retries();
    const ids = [await write('with the old keys'), await write('to all with the old keys', group)];
    await reinstall();
    ids.push(await write('with the new keys'), await write('to all with the new keys', group));
    await announcedOnce(ids);
    expect(await retries()).to.deep.equal(asked);
  });

  it('is read also when all of it waits while the session is away', async () => {
    const { world } = talk;
    const asked = await retries();
    await world.stopDaemon();
    const ids = [await write('waited with old keys'), await write('waited to all', group)];
    await reinstall();
    ids.push(await write('waited with new keys'), await write('waited to all with new keys', group));
    await world.startDaemon();
    await world.connected('hosted');
    await announcedOnce(ids);
    expect(await retries()).to.deep.equal(asked);
    const before = await repeated();
    await sent(talk.hosted, 'after the wait');
    await sent(talk.hosted, 'after the wait, to all', group);
    expect(await repeated()).to.equal(before);
  });

  it('is reached with new keys when only the news waited while the session was away', async () => {
    const { world } = talk;
    await world.stopDaemon();
    await reinstall();
    await world.startDaemon();
    await world.connected('hosted');
    await sent(talk.hosted, 'after the news');
    await sent(talk.hosted, 'after the news, to all', group);
  });

  it('is reached when it happens twice in a row', async () => {
    await reinstall();
    await reinstall();
    await sent(talk.hosted, 'after two of them');
    await announcedOnce([await write('still here')]);
  });

  describe('is announced with the opt-in event identity_change', () => {
    /** The events of a session about a person since the beginning of the test. */
    const told = (since: number, number = BOB.number) =>
      extraEventsIn(talk.world.receiver.calls.slice(since), 'identity_change').filter(
        ({ fromPhone }) => fromPhone === number,
      );
    const now = () => talk.world.receiver.calls.length;
    /** Waits for the event, and for whatever the session announces after it. */
    async function toldOnce(since: number): Promise<void> {
      const before = new Set(talk.world.receiver.calls.slice(0, since));
      await talk.world.receiver.find(
        (call) => !before.has(call) && extraEventsIn([call], 'identity_change').length > 0,
      );
      await announcedOnce([await write('a word'), await write('another word')]);
      await sent(talk.hosted, 'an answer');
      expect(told(since).map(({ clientId }) => clientId)).to.deep.equal(['hosted']);
    }

    before(async () => {
      const { api, receiver } = talk.world;
      const webhook = { clientId: 'hosted', webhookUrl: receiver.url, extraEvents: ['identity_change'] };
      expect((await api.post('/set-webhook', webhook)).status).to.equal(200);
    });

    it('once, with the person and the chat', async () => {
      const since = now();
      await reinstall();
      await toldOnce(since);
      const { chatRoomId, orgId, phone } = talk.hosted;
      expect(told(since)[0]).to.deep.include({
        ...{ event: 'identity.change', type: 'identity_change', clientId: 'hosted', orgId, chatRoomId },
        ...{ myLid: lidOf(phone), clientLid: lidOf(talk.bob), remoteJid: talk.bob.lid, isGroup: false },
        ...{ from: lidOf(talk.bob), fromPhone: BOB.number, fromName: BOB.name },
      });
    });

    it('once when only a message or a retry receipt tells of it', async () => {
      for (const act of [() => write('from new keys'), () => sent(talk.hosted, 'to old keys')]) {
        const since = now();
        await talk.world.phones.fault({ kind: 'no-device-news', number: BOB.number });
        await reinstall();
        await act();
        await toldOnce(since);
      }
    });

    it('once when it happened while the session was away', async () => {
      const since = now();
      await talk.world.stopDaemon();
      await reinstall();
      await talk.world.startDaemon();
      await talk.world.connected('hosted');
      await toldOnce(since);
      await talk.world.restartDaemon();
      await talk.world.connected('hosted');
      await announcedOnce([await write('after a restart')]);
      expect(told(since)).to.have.lengthOf(1);
    });

    it('for nobody with whom only statuses were exchanged', async () => {
      const { phones, api } = talk.world;
      const dora = await phones.addPhone(DORA);
      await phones.people.nameContacts(talk.hosted.phone.number, [DORA]);
      await until('the status', async () => {
        const status = await api.post('/post-status', { clientId: 'hosted', body: 'Hello' });
        return (await phones.statuses(DORA.number)).some(
          ({ messageId }) => messageId === status.body.messageId,
        );
      });
      const since = now();
      await phones.reinstall(DORA.number);
      await api.post('/post-status', { clientId: 'hosted', body: 'Again' });
      await reinstall();
      await toldOnce(since);
      expect(told(since, dora.number)).to.deep.equal([]);
    });

    it('for no stranger, and to no session that did not opt in', async () => {
      const { phones } = talk.world;
      const since = now();
      await phones.addPhone(EVE);
      const participants = [talk.hosted.phone.number, EVE.number];
      await phones.groups.create(BOB.number, { subject: 'Silent', participants });
      await phones.reinstall(EVE.number);
      await reinstall();
      await toldOnce(since);
      expect(told(since, EVE.number)).to.deep.equal([]);
    });
  });
});
