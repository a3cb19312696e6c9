import type { BaileysEventMap, GroupMetadata } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { type BaileysDevice, textOf } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

const DAVE = '+15550000004';
const ERIN = '+15550000005';
const REVOKED = 1;
/** Members of a large group. */
const CROWD = 40;

describe('Sandbox: messages in groups', () => {
  const world = new SandboxWorld();
  let group: string;

  async function open(): Promise<void> {
    await world.client.addPhone({ number: DAVE, name: 'Dave' });
    group = (await world.client.groups.create(ALICE, { subject: 'Friends', participants: [BOB, CAROL] })).jid;
  }

  const lidOf = async (number: string) => (await world.client.phone(number)).lid;
  const holds = (number: string, text: string) =>
    world.client.waitForMessage(number, (message) => message.text === text && message.to === group);
  const write = async (number: string, text: string) =>
    (await world.client.write(number, { to: group, text })).messageId;

  describe('on a network without a folder', () => {
    const members = new Map<string, BaileysDevice>();
    /** A person's client, which is linked once for all tests. */
    async function member(number: string): Promise<BaileysDevice> {
      const device = members.get(number) ?? (await world.linked(number));
      members.set(number, device);
      return device;
    }
    const textsAt = async (number: string) => (await messagesAt(number)).map(({ text }) => text);
    const messagesAt = async (number: string) =>
      (await world.client.messages(number)).filter(({ to }) => to === group);

    before(async () => {
      await world.open();
      await world.client.addPhone({ number: DAVE, name: 'Dave' });
    });
    after(() => world.close());

    beforeEach(async () => {
      group = (await world.client.groups.create(ALICE, { subject: 'Friends', participants: [BOB, CAROL] }))
        .jid;
      for (const device of members.values()) {
        device.messages.length = 0;
        device.everything.length = 0;
      }
    });

    it('delivers a message of a client to all members: phones, other clients and the own phone', async () => {
      const [alice, bob] = await Promise.all([member(ALICE), member(BOB)]);
      for (const text of ['one', 'two', 'three']) {
        const id = await alice.say(group, text);
        const message = await bob.text(text);
        expect(message.key).to.include({ remoteJid: group, id, fromMe: false });
        expect(message.key).to.include({ participant: await lidOf(ALICE), participantAlt: pnJid(ALICE) });
        for (const number of [ALICE, BOB, CAROL])
          expect(await holds(number, text)).to.include({
            messageId: id,
            from: ALICE,
            fromMe: number === ALICE,
          });
      }
      expect(await messagesAt(DAVE)).to.deep.equal([]);
    });

    it('delivers a message of a phone to all members, with both addresses of the author', async () => {
      const [alice, bob] = await Promise.all([member(ALICE), member(BOB)]);
      for (const text of ['one', 'two', 'three']) {
        const id = await write(ALICE, text);
        const [message, echo] = await Promise.all([bob.text(text), alice.text(text)]);
        expect(message.key).to.include({ remoteJid: group, id, fromMe: false, participantAlt: pnJid(ALICE) });
        expect(message.key.participant).to.equal(await lidOf(ALICE));
        expect(message.pushName).to.equal('Alice');
        expect(echo.key).to.include({ remoteJid: group, id, fromMe: true });
        for (const number of [BOB, CAROL])
          expect(await holds(number, text)).to.include({ messageId: id, from: ALICE });
      }
    });

    it('shows the receipts of each member', async () => {
      const [alice, bob] = await Promise.all([member(ALICE), member(BOB)]);
      const [bobLid, carolLid] = [await lidOf(BOB), await lidOf(CAROL)];
      const delivered = [bobLid, carolLid].map((lid) => receipt(alice, lid, 'receiptTimestamp'));
      const id = await alice.say(group, 'Hello');
      await Promise.all(delivered);
      const read = [bobLid, carolLid].map((lid) => receipt(alice, lid, 'readTimestamp'));
      const { key } = await bob.text('Hello');
      await bob.socket.readMessages([key]);
      await holds(CAROL, 'Hello');
      await world.client.read(CAROL, [id]);
      await Promise.all(read);
      const own = await world.client.waitForMessage(
        ALICE,
        ({ receipts }) => receipts[BOB] === 'read' && receipts[CAROL] === 'read',
      );
      expect(own.messageId).to.equal(id);
    });

    it('shows the receipts of clients for messages of phones', async () => {
      const bob = await member(BOB);
      const ids = [await write(ALICE, 'one'), await write(ALICE, 'two')];
      const messages = [await bob.text('one'), await bob.text('two')];
      await bob.socket.readMessages(messages.map(({ key }) => key));
      for (const id of ids)
        await world.client.waitForMessage(
          ALICE,
          (one) => one.messageId === id && one.receipts[BOB] === 'read',
        );
    });

    it('accepts quotes, reactions, edits, votes, and deletions by the author', async () => {
      const bob = await member(BOB);
      const { id, key } = await bob.send(group, { text: 'first' });
      await holds(CAROL, 'first');
      await world.client.write(CAROL, { to: group, text: 'second', quotedMessageId: id, mentions: [BOB] });
      const info = (await bob.text('second')).message?.extendedTextMessage?.contextInfo;
      expect(info).to.include({ stanzaId: id, participant: await lidOf(BOB) });
      const reacted = bob.until('messages.reaction', () => true);
      await world.client.write(CAROL, { to: group, reaction: { messageId: id, emoji: '👍' } });
      const [reaction] = await reacted;
      expect(reaction?.key).to.include({ id });
      await bob.send(group, { text: 'corrected', edit: key });
      const edited = await world.client.waitForMessage(CAROL, ({ text }) => text === 'corrected');
      expect(edited).to.deep.include({ messageId: id, reactions: { [CAROL]: '👍' } });
      const { id: poll } = await bob.send(group, { poll: { name: 'When?', values: ['now', 'later'] } });
      await world.client.waitForMessage(CAROL, ({ messageId }) => messageId === poll);
      await world.client.write(CAROL, { to: group, vote: { pollMessageId: poll, options: ['now'] } });
      const voted = await world.client.waitForMessage(
        ALICE,
        ({ poll: seen }) => seen?.votes[CAROL] !== undefined,
      );
      expect(voted.poll?.votes).to.deep.equal({ [CAROL]: ['now'] });
      await bob.send(group, { delete: key });
      await world.client.waitForMessage(CAROL, ({ messageId, revoked }) => messageId === id && revoked);
    });

    it("accepts deletions of others' messages by admins only", async () => {
      const [alice, bob] = await Promise.all([member(ALICE), member(BOB)]);
      const messageId = await write(CAROL, 'nonsense');
      const key = { remoteJid: group, id: messageId, fromMe: false, participant: await lidOf(CAROL) };
      await holds(ALICE, 'nonsense');
      const refused = nack(bob);
      await bob.send(group, { delete: key });
      expect(await refused).to.equal('403');
      const gone = bob.until('messages.update', (updates) =>
        updates.some(({ update }) => update.messageStubType === REVOKED),
      );
      await alice.send(group, { delete: key });
      await Promise.all([
        gone,
        world.client.waitForMessage(CAROL, (message) => message.messageId === messageId && message.revoked),
      ]);
      const other = await write(CAROL, 'more nonsense');
      await holds(BOB, 'more nonsense');
      const refusal = await world.client
        .write(BOB, { to: group, revoke: { messageId: other } })
        .catch((error) => error);
      expect(refusal.status).to.equal(403);
      await world.client.write(ALICE, { to: group, revoke: { messageId: other } });
      await world.client.waitForMessage(BOB, (message) => message.messageId === other && message.revoked);
    });

    it('refuses messages of people who may not write in the group, and of people who are not members', async () => {
      const [bob, dave] = await Promise.all([member(BOB), member(DAVE)]);
      const metadata = await bob.socket.groupMetadata(group);
      const messageId = await write(ALICE, 'from an admin');
      await bob.text('from an admin');
      await world.client.groups.update(ALICE, group, { announce: true });
      expect(await refusalOf(bob, group)).to.equal('403');
      await bob.send(group, {
        react: { text: '👍', key: { remoteJid: group, id: messageId, participant: await lidOf(ALICE) } },
      });
      await world.client.waitForMessage(ALICE, ({ reactions }) => reactions[BOB] === '👍');
      await world.client.groups.update(ALICE, group, { announce: false });
      await world.client.groups.participants(ALICE, group, 'remove', [BOB]);
      expect(await refusalOf(bob, group, metadata)).to.equal('401');
      expect(await refusalOf(dave, group, metadata)).to.equal('403');
      expect(await refusalOf(dave, '120363999999999999@g.us', metadata)).to.equal('404');
      const refusals = await Promise.allSettled([
        world.client.write(BOB, { to: group, text: 'let me in' }),
        world.client.write(DAVE, { to: '120363999999999999@g.us', text: 'anybody?' }),
      ]);
      expect(refusals.map((one) => one.status === 'rejected' && one.reason.status)).to.deep.equal([403, 404]);
      expect(await textsAt(CAROL)).to.deep.equal(['from an admin']);
    });

    it('encrypts messages for new members, and no longer for former ones', async () => {
      const [alice, bob, dave] = await Promise.all([ALICE, BOB, DAVE].map(member));
      if (!alice || !bob || !dave) throw new Error('unreachable: all were linked');
      await Promise.all([alice.say(group, 'before'), bob.text('before')]);
      await write(CAROL, 'also before');
      await bob.text('also before');
      await world.client.groups.participants(ALICE, group, 'remove', [BOB]);
      await world.client.groups.participants(ALICE, group, 'add', [DAVE]);
      await alice.say(group, 'after');
      await write(CAROL, 'also after');
      await Promise.all([
        dave.text('after'),
        dave.text('also after'),
        holds(DAVE, 'after'),
        holds(DAVE, 'also after'),
      ]);
      await world.client.write(CAROL, { to: BOB, text: 'the end' });
      await bob.text('the end');
      expect(bob.messages.map(textOf).filter(Boolean)).to.deep.equal(['before', 'also before', 'the end']);
      expect(dave.messages.map(textOf).filter(Boolean)).to.have.members(['after', 'also after']);
    });

    it('answers the retry requests of clients that lost their keys', async () => {
      const [alice, bob] = await Promise.all([member(ALICE), member(BOB)]);
      await write(CAROL, 'one');
      await Promise.all([bob.text('one'), alice.say(group, 'two'), bob.text('two')]);
      bob.keys.drop('sender-key');
      await write(CAROL, 'three');
      await bob.text('three');
      bob.keys.drop('sender-key');
      await alice.say(group, 'four');
      await bob.text('four');
    });

    it('answers the retry requests of phones that did not receive the key', async () => {
      const [alice, bob] = await Promise.all([member(ALICE), member(BOB)]);
      const { participants } = await alice.socket.groupMetadata(group);
      const all = participants.flatMap(({ id }) => [id, id.replace('@', ':1@')]);
      await alice.keys.set({
        'sender-key-memory': { [group]: Object.fromEntries(all.map((jid) => [jid, true])) },
      });
      const id = await alice.say(group, 'unreadable at first');
      await Promise.all([
        bob.text('unreadable at first'),
        holds(BOB, 'unreadable at first'),
        holds(CAROL, 'unreadable at first'),
      ]);
      for (const number of [BOB, CAROL])
        expect((await messagesAt(number)).map(({ messageId }) => messageId)).to.deep.equal([id]);
    });

    it('delivers messages to a client that is linked later', async () => {
      const alice = await member(ALICE);
      await alice.say(group, 'before');
      await holds(BOB, 'before');
      const bob = await world.linked(BOB);
      await alice.say(group, 'after');
      await bob.text('after');
      await write(CAROL, 'from a phone');
      await bob.text('from a phone');
      await bob.stop();
    });

    it('delivers messages to all members of a large group, and private messages to each of them', async () => {
      const crowd = Array.from(
        { length: CROWD },
        (_, position) => `+1555100${String(position).padStart(4, '0')}`,
      );
      await Promise.all(crowd.map((number) => world.client.addPhone({ number })));
      const alice = await member(ALICE);
      group = (await world.client.groups.create(ALICE, { subject: 'All', participants: crowd })).jid;
      const ids = [await alice.say(group, 'one'), await alice.say(group, 'two')];
      for (const id of ids)
        await world.client.waitForMessage(
          ALICE,
          ({ messageId, receipts }) => messageId === id && Object.keys(receipts).length === CROWD,
        );
      const [first = '', , , last = ''] = crowd;
      for (const number of [first, last]) {
        await holds(number, 'two');
        await alice.say(pnJid(number), `to ${number}`);
        await world.client.waitForMessage(number, ({ text }) => text === `to ${number}`);
        await world.client.write(number, { to: ALICE, text: `from ${number}` });
        await alice.text(`from ${number}`);
      }
      await write(last, 'to all');
      await Promise.all([alice.text('to all'), holds(first, 'to all')]);
      await world.client.groups.participants(ALICE, group, 'remove', [first]);
      await alice.say(group, 'three');
      await holds(last, 'three');
      expect((await world.client.messages(first)).map(({ text }) => text)).not.to.include('three');
    }).timeout(60_000);

    it('shows typing to the members', async () => {
      const [alice, bob] = await Promise.all([member(ALICE), member(BOB)]);
      await bob.named('Bob');
      await bob.socket.sendPresenceUpdate('available');
      await bob.socket.presenceSubscribe(group);
      await world.client.activity.waitForPresence(BOB, ({ devices }) =>
        devices.some(({ subscriptions }) => subscriptions.includes(group)),
      );
      const seen = bob.until('presence.update', ({ id }) => id === group);
      await alice.socket.sendPresenceUpdate('composing', group);
      expect(Object.keys((await seen).presences)).to.deep.equal([await lidOf(ALICE)]);
      const [typing] = (await world.client.chatstates(CAROL)).filter(({ chat }) => chat === group);
      expect(typing).to.include({ from: ALICE, chat: group, state: 'composing' });
    });

    it('deletes messages after the time that the group sets', async () => {
      const bob = await member(BOB);
      await bob.socket.groupToggleEphemeral(group, 86_400);
      await write(CAROL, 'short-lived');
      const { message } = await bob.message((await holds(BOB, 'short-lived')).messageId);
      expect(message?.ephemeralMessage?.message).not.to.equal(undefined);
      expect((await holds(BOB, 'short-lived')).ephemeral).to.equal(86_400);
    });

    it('sends group messages in the history to a client that is linked later', async () => {
      await world.client.addPhone({ number: ERIN, name: 'Erin' });
      await world.client.groups.participants(ALICE, group, 'add', [ERIN]);
      await write(CAROL, 'long ago');
      await holds(ERIN, 'long ago');
      const device = world.device();
      const qr = await device.qr();
      const closed = device.closed();
      await world.client.scan(ERIN, qr);
      await closed;
      device.start();
      const { chats, messages } = await device.until(
        'messaging-history.set',
        (set) => set.messages.length > 0,
      );
      expect(chats[0]).to.include({ id: group, name: 'Friends', unreadCount: 1 });
      expect(messages[0]?.key).to.include({ remoteJid: group, participant: await lidOf(CAROL) });
    });
  });

  describe('with people named by their numbers', () => {
    beforeEach(async () => {
      await world.open({ addressing: 'pn' });
      await open();
    });
    afterEach(() => world.close());

    it('delivers messages in both directions', async () => {
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      await alice.say(group, 'from a client');
      await Promise.all([bob.text('from a client'), holds(CAROL, 'from a client')]);
      await write(CAROL, 'from a phone');
      const { key } = await bob.text('from a phone');
      expect(key).to.include({ participant: pnJid(CAROL), participantAlt: await lidOf(CAROL) });
      expect((await bob.socket.groupMetadata(group)).addressingMode).to.equal('pn');
    });
  });

  describe('over a restart', () => {
    afterEach(() => world.close());

    it('delivers messages after a restart with unchanged groups', async () => {
      await world.openKept();
      await open();
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      await Promise.all([alice.say(group, 'one'), bob.text('one'), holds(CAROL, 'one')]);
      await Promise.all([write(CAROL, 'two'), bob.text('two'), alice.text('two')]);
      await world.client.groups.update(ALICE, group, {
        description: 'kept',
        locked: true,
        joinApproval: true,
      });
      const village = (await alice.socket.communityCreate('Village', ''))?.id ?? '';
      const { linkedGroups } = await alice.socket.communityFetchLinkedGroups(village);
      const before = await world.client.groups.get(group);
      await Promise.all([alice.stop(), bob.stop()]);
      await world.restart();
      expect(await world.client.groups.get(group)).to.deep.equal(before);
      await write(CAROL, 'while you were away');
      await Promise.all([alice.connect(world.sandbox.wsUrl), bob.connect(world.sandbox.wsUrl)]);
      await bob.text('while you were away');
      const kept = await alice.socket.communityFetchLinkedGroups(village);
      expect(kept).to.include({ isCommunity: true }).and.deep.include({ linkedGroups });
      await alice.say(group, 'three');
      await Promise.all([bob.text('three'), holds(CAROL, 'three')]);
      await Promise.all([write(CAROL, 'four'), bob.text('four')]);
    });

    it('delivers messages after the process was killed', async () => {
      await world.openKept();
      await open();
      const kill = await world.startProcess();
      const bob = await world.linked(BOB);
      await Promise.all([write(CAROL, 'one'), bob.text('one')]);
      await bob.say(group, 'two');
      await holds(CAROL, 'two');
      await bob.stop();
      await kill();
      await world.restart();
      await bob.connect(world.sandbox.wsUrl);
      await write(CAROL, 'three');
      await bob.text('three');
      await bob.say(group, 'four');
      await holds(CAROL, 'four');
    }).timeout(60_000);
  });
});

type Receipt = BaileysEventMap['message-receipt.update'][number]['receipt'];

/** Waits until a member's receipt of that kind has come. */
function receipt(device: BaileysDevice, lid: string, kind: keyof Receipt) {
  return device.until('message-receipt.update', (all) =>
    all.some((one) => one.receipt.userJid === lid && one.receipt[kind]),
  );
}

/** The error of the next negative ack of a message. */
function nack({ socket }: BaileysDevice): Promise<string | undefined> {
  return new Promise((resolve) =>
    socket.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => {
      if (attrs.error) resolve(attrs.error);
    }),
  );
}

/** How the network refuses what a client writes to a group; what the client believes of the group may be wrong. */
async function refusalOf(
  device: BaileysDevice,
  jid: string,
  metadata?: GroupMetadata,
): Promise<string | undefined> {
  if (metadata) device.groups.set(jid, metadata);
  const refused = nack(device);
  await device.say(jid, 'let me in');
  return refused;
}
