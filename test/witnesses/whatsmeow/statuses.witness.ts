import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { ALICE, BOB, CAROL, pnJid } from '../../sandbox/support/world.js';
import { picture } from '../../support/made-files.js';
import { eventIn, eventsOf, extraEventOf } from '../../support/receiver.js';
import { until } from '../../support/until.js';
import type { WitnessEvent } from '../witness.js';
import { besideGateway } from './beside-gateway.js';
import { type Bot, type Complaint, hashOf, partOfDay } from './day.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
const STATUS = 'status@broadcast';
const EXPECTED: readonly Complaint[] = [];

/** Matches the message that deletes a status. */
function isRevokeOf(id: string) {
  return ({ content }: WitnessEvent) => {
    const { type, key } = Object(content).protocolMessage ?? {};
    return type === 'REVOKE' && key.ID === id;
  };
}

/** Matches a status by its text: the sender key comes in an event of its own, under the same id. */
function withText(id: string, text: string) {
  return (one: WitnessEvent) => one.id === id && one.text === text;
}

/** Looks at a status. */
function look(bot: Bot, { id, info }: WitnessEvent): Promise<unknown> {
  return bot.call('MarkRead', [id], new Date().toISOString(), STATUS, Object(info).Sender);
}

function postText(bot: Bot, text: string): Promise<string> {
  return bot.send(STATUS, { extendedTextMessage: { text, backgroundArgb: 0xff1e6e4f, font: 2 } });
}

partOfDay('statuses', EXPECTED, (day) => {
  const { world } = day;
  let alice: Bot;
  let bob: Bot;

  before(async () => {
    await world.client.addPhone(DAVE);
    await world.client.people.nameContacts(ALICE, [
      { number: BOB, name: 'Bob Builder' },
      { number: CAROL, name: 'Carol Jones' },
    ]);
    alice = await day.linked(ALICE);
    bob = await day.linked(BOB);
  });

  const shown = (number: string, id: string) =>
    world.client.waitForStatus(number, ({ messageId }) => messageId === id);
  const isShown = async (number: string, id: string) =>
    (await world.client.statuses(number)).some(({ messageId }) => messageId === id);

  describe('of the bot', () => {
    it('are seen by the contacts in the address book of its phone, and by nobody else', async () => {
      const id = await postText(alice, 'At the lake');
      const seen = { from: ALICE, text: 'At the lake', backgroundColor: '#1e6e4f', font: 2 };
      for (const number of [BOB, CAROL]) expect(await shown(number, id)).to.include(seen);
      expect(await shown(ALICE, id)).to.include({ fromMe: true });
      expect(await isShown(DAVE.number, id)).to.equal(false);
      const received = await bob.heard('message', withText(id, 'At the lake'));
      expect(received.info).to.include({ Chat: STATUS, IsFromMe: false });
      expect(await world.client.messages(BOB), 'in no chat').to.deep.equal([]);
    });

    it('have a picture', async () => {
      const bytes = randomBytes(20_000);
      const uploaded = await alice.take('upload', { kind: 'image', file: bytes.toString('base64') });
      const imageMessage = Object.assign({ mimetype: 'image/jpeg', caption: 'the lake' }, uploaded);
      const id = await alice.send(STATUS, { imageMessage });
      expect((await shown(CAROL, id)).media).to.include({ size: bytes.length, caption: 'the lake' });
      expect(await bob.heard('message', (one) => one.id === id && one.size !== undefined)).to.include({
        sha256: hashOf(bytes),
      });
    });

    it('are looked at by phones and bots, which the bot hears', async () => {
      const id = await postText(alice, 'Look');
      const isRead = (lid: string) => (one: WitnessEvent) =>
        String(one.MessageIDs) === id && one.Type === 'read' && String(one.Sender).startsWith(lid);
      await shown(CAROL, id);
      const carol = (await world.client.phone(CAROL)).lid;
      await alice.after(() => world.client.read(CAROL, [id]), 'receipt', isRead(carol));
      const received = await bob.heard('message', withText(id, 'Look'));
      const [user = ''] = (await world.client.phone(BOB)).lid.split('@');
      const receipt = await alice.after(() => look(bob, received), 'receipt', isRead(user));
      expect(receipt).to.include({ Chat: STATUS });
    });

    it('are encrypted again for a phone that could not read them', async () => {
      await world.client.fault({ kind: 'ask-again', number: CAROL, count: 1 });
      const id = await postText(alice, 'once more');
      expect(await shown(CAROL, id)).to.include({ text: 'once more' });
      expect((await world.client.stats()).resent).to.equal(1);
      expect(await world.client.messages(CAROL), 'in no chat').to.deep.equal([]);
    });

    it('are deleted for everybody', async () => {
      const id = await postText(alice, 'a mistake');
      await bob.message(id);
      await alice.build(STATUS, 'BuildRevoke', [STATUS, '', id]);
      await world.client.waitForStatus(CAROL, ({ messageId, revoked }) => messageId === id && revoked);
      await bob.heard('message', isRevokeOf(id));
    });

    it('go to those whom the setting of the account names', async () => {
      const { people } = world.client;
      await people.changePrivacy(ALICE, { statuses: { mode: 'blacklist', people: [BOB] } });
      expect(await alice.call('GetStatusPrivacy')).to.deep.equal([
        { Type: 'blacklist', List: [pnJid(BOB)], IsDefault: true },
      ]);
      const notBob = await postText(alice, 'not for Bob');
      await shown(CAROL, notBob);
      expect(await isShown(BOB, notBob)).to.equal(false);
      await people.changePrivacy(ALICE, { statuses: { mode: 'whitelist', people: [DAVE.number] } });
      const onlyDave = await postText(alice, 'only for Dave');
      await shown(DAVE.number, onlyDave);
      expect(await isShown(CAROL, onlyDave)).to.equal(false);
      await people.changePrivacy(ALICE, { statuses: { mode: 'contacts', people: [] } });
    });
  });

  describe('of other people', () => {
    it('arrive with author and file, and are looked at, which the author sees', async () => {
      const media = { kind: 'image', mimeType: 'image/png', size: 100, caption: 'the sea' } as const;
      const { messageId } = await world.client.postStatus(CAROL, '', media);
      const received = await alice.heard('message', (one) => one.id === messageId && one.size === 100);
      const { lid } = await world.client.phone(CAROL);
      expect(received.info).to.include({ Chat: STATUS, Sender: lid, IsFromMe: false });
      await look(alice, received);
      await world.client.waitForStatus(CAROL, (status) => status.receipts[ALICE] === 'read');
    });

    it('that waited arrive with the messages behind them', async () => {
      await alice.restart();
      const status = await world.client.postStatus(CAROL, 'while you were away');
      const after = await world.client.write(CAROL, { to: ALICE, text: 'behind the status' });
      await alice.connect();
      await alice.heard('message', withText(status.messageId, 'while you were away'));
      await alice.message(after.messageId);
    });

    it('are deleted by their author', async () => {
      const { messageId } = await world.client.postStatus(CAROL, 'a mistake');
      await alice.message(messageId);
      await alice.after(() => world.client.deleteStatus(CAROL, messageId), 'message', isRevokeOf(messageId));
    });

    it('of the own phone are own ones', async () => {
      const { messageId } = await world.client.postStatus(ALICE, 'from the phone');
      const own = await alice.heard('message', withText(messageId, 'from the phone'));
      expect(own.info).to.include({ Chat: STATUS, IsFromMe: true });
    });
  });
});

besideGateway('statuses', ['status_post', 'message_status'], EXPECTED, (day) => {
  let bob: Bot;
  let second: Bot;

  before(async () => {
    const { phones, api } = day.world;
    await phones.people.nameContacts(BOB, [{ number: ALICE, name: 'Alice Jones' }]);
    bob = await day.linked(BOB);
    second = await day.linked(ALICE);
    // the address book arrives a moment after the connection is open
    await until('the address book', async () => {
      const { body } = await api.post('/post-status', { clientId: 'acme', body: 'a try' });
      return body.people === 2;
    });
  });

  const statusPost = (id: string) =>
    extraEventOf(day.world.receiver, 'status_post', ({ messageId }) => messageId === id);

  it('a bot reads the status of a session, which hears that it was seen', async () => {
    const messageId = String((await day.post('/post-status', { body: 'from the API' })).messageId);
    const received = await bob.heard('message', withText(messageId, 'from the API'));
    expect(received.info).to.include({ Chat: STATUS, IsFromMe: false });
    const own = await second.heard('message', withText(messageId, 'from the API'));
    expect(own.info).to.include({ Chat: STATUS, IsFromMe: true });
    await look(bob, received);
    const seen = await extraEventOf(
      day.world.receiver,
      'message_status',
      (one) => one.messageId === messageId && one.status === 'read',
    );
    expect((await day.world.phones.phone(BOB)).lid).to.equal(`${seen.by}@lid`);
  });

  it('a bot reads the picture of a session', async () => {
    const png = Buffer.from(await picture('red'), 'base64');
    const form = new FormData();
    for (const [name, value] of Object.entries({ clientId: 'acme', caption: 'our menu' }))
      form.set(name, value);
    form.set('file', new File([new Uint8Array(png)], 'menu.png', { type: 'image/png' }));
    const { body } = await day.world.api.upload('/post-status?clientId=acme', form);
    expect(body, JSON.stringify(body)).to.include({ status: 'sent', people: 2 });
    const isPicture = (one: WitnessEvent) => one.id === body.messageId && one.size !== undefined;
    expect(await bob.heard('message', isPicture)).to.include({ sha256: hashOf(png) });
  });

  it('a bot hears that a session has deleted a status', async () => {
    const messageId = String((await day.post('/post-status', { body: 'a mistake' })).messageId);
    await bob.message(messageId);
    await bob.after(() => day.post('/delete-status', { messageId }), 'message', isRevokeOf(messageId));
  });

  it('a session hears of the statuses of a bot, and of their deletion, apart from messages', async () => {
    const id = await postText(bob, 'by the bot');
    const { lid } = await day.world.phones.phone(BOB);
    const told = await statusPost(id);
    expect(told).to.include({ fromMe: false, kind: 'text', body: 'by the bot', fromPhone: BOB });
    expect(`${told.from}@lid`).to.equal(lid);
    await bob.build(STATUS, 'BuildRevoke', [STATUS, '', id]);
    await extraEventOf(day.world.receiver, 'status_post', ({ targetId }) => targetId === id);
    // a message after them shows that nothing else came
    const after = await day.world.phones.write(CAROL, { to: ALICE, text: 'after' });
    await day.world.receiver.find((call) => eventIn(call)?.messageId === after.messageId);
    const types = eventsOf(day.world.receiver, id).map(({ type }): string => type);
    expect(types).to.deep.equal(['status_post']);
  });

  it('a bot of the same number reads the setting of a session, and posts by it', async () => {
    await day.post('/set-status-privacy', { mode: 'only', people: [CAROL] });
    const list = { Type: 'whitelist', List: [pnJid(CAROL)], IsDefault: true };
    await until('the setting', async () => {
      const [first] = Object(await second.call('GetStatusPrivacy'));
      return first.Type === list.Type;
    });
    expect(await second.call('GetStatusPrivacy')).to.deep.equal([list]);
    const id = await postText(second, 'by the second companion');
    await day.world.phones.waitForStatus(CAROL, ({ messageId }) => messageId === id);
    const statuses = await day.world.phones.statuses(BOB);
    expect(statuses.map(({ messageId }) => messageId)).not.to.include(id);
    expect(await statusPost(id)).to.include({ fromMe: true, body: 'by the second companion' });
  });
});
