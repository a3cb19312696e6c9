import { expect } from 'chai';
import { textOf } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

describe('Sandbox: text', () => {
  const world = new SandboxWorld();

  afterEach(() => world.close());

  describe('with people addressed by LID', () => {
    beforeEach(() => world.open());

    it('delivers a text of a client to the phone, decrypted, and to the own phone', async () => {
      const alice = await world.linked(ALICE);
      const id = await alice.say(pnJid(BOB), 'Hello Bob');
      const message = await world.client.waitForMessage(BOB, ({ text }) => text === 'Hello Bob');
      expect(message).to.include({ messageId: id, from: ALICE, to: BOB, fromMe: false, type: 'text' });
      const own = await world.client.waitForMessage(ALICE, ({ messageId }) => messageId === id);
      expect(own).to.include({ from: ALICE, to: BOB, fromMe: true, text: 'Hello Bob' });
    });

    it('delivers a text of a phone to the client', async () => {
      const alice = await world.linked(ALICE);
      const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'Hi Alice' });
      const message = await alice.text('Hi Alice');
      const bob = await world.client.phone(BOB);
      expect(message.key).to.include({
        id: messageId,
        fromMe: false,
        remoteJid: bob.lid,
        remoteJidAlt: pnJid(BOB),
      });
      expect(message.pushName).to.equal('Bob');
    });

    it('delivers a text from phone to phone', async () => {
      const { messageId } = await world.client.write(BOB, { to: CAROL, text: 'just us' });
      const message = await world.client.waitForMessage(CAROL, ({ text }) => text === 'just us');
      expect(message).to.include({ messageId, from: BOB, to: CAROL, fromMe: false });
      await world.client.write(CAROL, { to: BOB, text: 'yes' });
      await world.client.waitForMessage(BOB, ({ text }) => text === 'yes');
    });

    it('delivers texts to a LID and to a number, many times in both directions', async () => {
      const alice = await world.linked(ALICE);
      const bob = await world.client.phone(BOB);
      for (let turn = 0; turn < 5; turn++) {
        await alice.say(turn % 2 ? bob.lid : pnJid(BOB), `ping ${turn}`);
        await world.client.waitForMessage(BOB, ({ text }) => text === `ping ${turn}`);
        await world.client.write(BOB, { to: ALICE, text: `pong ${turn}` });
        await alice.text(`pong ${turn}`);
      }
    });

    it('copies messages of a phone to its linked clients', async () => {
      const alice = await world.linked(ALICE);
      const { messageId } = await world.client.write(ALICE, { to: BOB, text: 'from my phone' });
      const message = await alice.text('from my phone');
      expect(message.key).to.include({
        id: messageId,
        fromMe: true,
        remoteJid: (await world.client.phone(BOB)).lid,
        remoteJidAlt: pnJid(BOB),
      });
    });

    it('delivers texts between clients, and to every device of both accounts', async () => {
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      const [alice2, bob2] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      await alice.say(pnJid(BOB), 'to all of you');
      await Promise.all([bob.text('to all of you'), bob2.text('to all of you')]);
      const echo = await alice2.text('to all of you');
      expect(echo.key.fromMe).to.equal(true);
      await world.client.waitForMessage(BOB, ({ text }) => text === 'to all of you');
      await bob2.say((await world.client.phone(ALICE)).lid, 'and back');
      await Promise.all([alice.text('and back'), alice2.text('and back'), bob.text('and back')]);
    });

    it('delivers texts to a client that is linked later, as device lists are announced', async () => {
      const alice = await world.linked(ALICE);
      await alice.say(pnJid(BOB), 'before');
      await world.client.waitForMessage(BOB, ({ text }) => text === 'before');
      const bob = await world.linked(BOB);
      await alice.say(pnJid(BOB), 'after');
      await bob.text('after');
      expect(bob.messages.map(textOf)).to.deep.equal(['after']);
    });

    it('delivers quotes, mentions and the forwarded mark in both directions', async () => {
      const alice = await world.linked(ALICE);
      const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'question' });
      const question = await alice.text('question');
      const answer = await alice.socket.sendMessage(
        pnJid(BOB),
        { text: 'answer', mentions: [pnJid(CAROL)] },
        { quoted: question },
      );
      const held = await world.client.waitForMessage(BOB, ({ text }) => text === 'answer');
      expect(held).to.deep.include({ quotedMessageId: messageId, mentions: [CAROL], forwarded: false });
      await world.client.write(BOB, {
        to: ALICE,
        text: 'thanks',
        quotedMessageId: answer?.key.id ?? '',
        mentions: [CAROL],
        forwarded: true,
      });
      const info = (await alice.text('thanks')).message?.extendedTextMessage?.contextInfo;
      expect(info).to.include({ stanzaId: answer?.key.id, isForwarded: true });
      expect(info?.quotedMessage?.extendedTextMessage?.text).to.equal('answer');
      expect(info?.mentionedJid).to.deep.equal([(await world.client.phone(CAROL)).lid]);
    });

    it('delivers a text once that is sent twice under one id', async () => {
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      await alice.say(pnJid(BOB), 'once', '3EB0AAAAAAAAAAAAAAAAAA');
      // the library may swap the first messages of a person
      await bob.text('once');
      await alice.say(pnJid(BOB), 'once', '3EB0AAAAAAAAAAAAAAAAAA');
      await alice.say(pnJid(BOB), 'the end');
      await Promise.all([
        bob.text('the end'),
        world.client.waitForMessage(BOB, ({ text }) => text === 'the end'),
      ]);
      expect(bob.messages.map(textOf)).to.deep.equal(['once', 'the end']);
      expect((await world.client.messages(BOB)).map(({ text }) => text)).to.deep.equal(['once', 'the end']);
      expect((await world.client.stats()).repeated).to.equal(1);
    });

    it('looks people up with their LID', async () => {
      const alice = await world.linked(ALICE);
      expect(await alice.socket.onWhatsApp(BOB, '+15559999999')).to.deep.equal([
        { jid: pnJid(BOB), exists: true },
      ]);
      const { lidMapping } = alice.socket.signalRepository;
      expect(await lidMapping.getLIDForPN(pnJid(BOB))).to.equal((await world.client.phone(BOB)).lid);
      expect(await lidMapping.getLIDForPN('15559999999@s.whatsapp.net')).to.equal(null);
    });

    it('acknowledges a message to an unknown person, and copies it to the own phone only', async () => {
      const alice = await world.linked(ALICE);
      const acked = acks(alice.socket.ws);
      const id = await alice.say('15559999999@s.whatsapp.net', 'anybody?');
      expect(await acked).to.include({ id });
    });

    it('shows typing to phones and to clients', async () => {
      const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
      await Promise.all([alice.named('Alice'), bob.named('Bob')]);
      await bob.socket.sendPresenceUpdate('available');
      await bob.socket.presenceSubscribe((await world.client.phone(ALICE)).lid);
      await world.client.activity.waitForPresence(BOB, ({ devices }) =>
        devices.some(({ subscriptions }) => subscriptions.length > 0),
      );
      const seen = bob.until('presence.update', ({ presences }) =>
        Object.values(presences).some(({ lastKnownPresence }) => lastKnownPresence === 'composing'),
      );
      await world.client.waitFor(
        ({ type }) => type === 'chatstate',
        undefined,
        () => alice.socket.sendPresenceUpdate('composing', pnJid(BOB)),
      );
      await seen;
      const [first] = await world.client.chatstates(BOB);
      expect(first).to.include({ from: ALICE, state: 'composing' });
    });
  });

  describe('with people addressed by number', () => {
    beforeEach(() => world.open({ addressing: 'pn' }));

    it('delivers texts in both directions', async () => {
      const alice = await world.linked(ALICE);
      await world.client.write(BOB, { to: ALICE, text: 'Hi Alice' });
      const message = await alice.text('Hi Alice');
      const { lid } = await world.client.phone(BOB);
      expect(message.key).to.include({ remoteJid: pnJid(BOB), remoteJidAlt: lid, addressingMode: 'pn' });
      await alice.say(pnJid(BOB), 'Hi Bob');
      await world.client.waitForMessage(BOB, ({ text }) => text === 'Hi Bob');
      await world.client.write(ALICE, { to: BOB, text: 'from my phone' });
      expect((await alice.text('from my phone')).key).to.include({ remoteJid: pnJid(BOB), fromMe: true });
    });
  });
});

/** The first ack of a message on a client's socket. */
function acks(ws: { on(name: string, listener: (ack: { attrs: object }) => void): void }): Promise<object> {
  return new Promise((resolve) => ws.on('CB:ack,class:message', ({ attrs }) => resolve(attrs)));
}
