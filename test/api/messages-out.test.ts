import { expect } from 'chai';
import type { EventEnvelope } from '../../src/events/envelope.js';
import type { MessageView } from '../../src/sandbox/client.js';
import { Conversations, lidOf, type Side } from '../support/conversations.js';
import { eventOf, eventsOf } from '../support/events.js';
import { BOB } from '../support/pairing.js';

/** What is sent, and what phone, receiver and history make of it. */
interface Case {
  what: string;
  path: string;
  body: Record<string, unknown>;
  held: Partial<MessageView>;
  event: Partial<EventEnvelope>;
  messageType: string;
}

const VCARD = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Grace\r\nTEL;waid=15550000009:+15550000009\r\nEND:VCARD';
const BUTTONS = [
  { type: 'quick_reply', displayText: 'Yes', id: 'yes' },
  { type: 'cta_url', displayText: 'The menu', url: 'https://example.com/menu' },
  { type: 'cta_call', displayText: 'Call us', phoneNumber: '+15550000001' },
  { type: 'cta_copy', displayText: 'Copy the code', id: 'code', copyCode: 'LUNCH-10' },
];

const CASES: Case[] = [
  {
    what: 'a text',
    path: '/send-message',
    body: { body: 'Hello *Bob* 👋\nhow are you?' },
    held: { type: 'text', text: 'Hello *Bob* 👋\nhow are you?' },
    event: { type: 'text', body: 'Hello *Bob* 👋\nhow are you?' },
    messageType: 'chat',
  },
  {
    what: 'a poll with one choice',
    path: '/send-poll-message',
    body: { pollName: 'Lunch?', pollOptions: ['Pizza', 'Soup', 'Salad'] },
    held: {
      type: 'poll',
      poll: { name: 'Lunch?', options: ['Pizza', 'Soup', 'Salad'], selectableCount: 1, votes: {} },
    },
    event: {
      type: 'poll_creation',
      body: 'Lunch?',
      poll: { name: 'Lunch?', options: ['Pizza', 'Soup', 'Salad'], selectableCount: 1 },
    },
    messageType: 'poll',
  },
  {
    what: 'a poll with several choices',
    path: '/send-poll-message',
    body: { pollName: 'When?', pollOptions: ['Mon', 'Tue'], selectableCount: 2 },
    held: { type: 'poll', poll: { name: 'When?', options: ['Mon', 'Tue'], selectableCount: 2, votes: {} } },
    event: {
      type: 'poll_creation',
      body: 'When?',
      poll: { name: 'When?', options: ['Mon', 'Tue'], selectableCount: 2 },
    },
    messageType: 'poll',
  },
  {
    what: 'buttons of every type',
    path: '/send-interactive-message',
    body: { bodyText: 'Are you coming?', footerText: 'Please answer', buttons: BUTTONS },
    held: {
      type: 'buttons',
      bodyText: 'Are you coming?',
      footerText: 'Please answer',
      buttons: BUTTONS,
      rendered: true,
    },
    event: { type: 'text', body: 'Are you coming?\nPlease answer' },
    messageType: 'interactive',
  },
  {
    what: 'a place',
    path: '/send-location',
    body: { latitude: 52.5, longitude: -13.25, name: 'Office', address: 'Main Street 1' },
    held: {
      type: 'location',
      location: { latitude: 52.5, longitude: -13.25, name: 'Office', address: 'Main Street 1', live: false },
    },
    event: {
      type: 'location',
      body: 'Office',
      location: { latitude: 52.5, longitude: -13.25, name: 'Office', address: 'Main Street 1', live: false },
    },
    messageType: 'location',
  },
  {
    what: 'a place without a name',
    path: '/send-location',
    body: { latitude: 0, longitude: 0 },
    held: {
      type: 'location',
      location: { latitude: 0, longitude: 0, name: '', address: '', live: false },
    },
    event: {
      type: 'location',
      location: { latitude: 0, longitude: 0, name: '', address: '', live: false },
    },
    messageType: 'location',
  },
  {
    what: 'a contact by its own vCard, which goes before the phone',
    path: '/send-contact',
    body: { displayName: 'Grace', phone: '15550000008', vcard: VCARD },
    held: { type: 'contact', contact: { displayName: 'Grace', phone: '+15550000009', vcard: VCARD } },
    event: {
      type: 'contact',
      body: 'Grace',
      contact: { displayName: 'Grace', phone: '+15550000009', vcard: VCARD },
    },
    messageType: 'contact',
  },
];

describe('what is sent through the API', () => {
  let chats: Conversations;
  before(async () => {
    chats = await Conversations.start();
  });
  after(() => chats.stop());
  afterEach(() => chats.world.phones.clearFaults());

  const sides = () => [chats.plain, chats.hosted];

  /** Sends to Bob; resolves with the answer's message id. */
  async function send(side: Side, path: string, body: object, headers = {}): Promise<string> {
    const request = { clientId: side.clientId, to: BOB.number, ...body };
    const answer = await chats.world.api.post(path, request, headers);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    expect(answer.body).to.deep.equal({ status: 'sent', messageId: answer.body.messageId });
    return String(answer.body.messageId);
  }

  function heldByBob(messageId: string): Promise<MessageView> {
    return chats.world.phones.waitForMessage(BOB.number, (message) => message.messageId === messageId);
  }

  for (const { what, path, body, held, event: expected, messageType } of CASES) {
    it(`arrives as it was sent, and comes back as an event: ${what}`, async () => {
      for (const side of sides()) {
        const question = await chats.fromBob(side, { text: 'what about it?' });
        const metaData = { fromAI: true, userId: 7, order: { id: 'A-1' } };
        const envelope = { quotedMessageId: question.messageId, mentions: [lidOf(chats.bob)], metaData };
        const messageId = await send(side, path, { ...body, ...envelope });

        expect(await heldByBob(messageId)).to.deep.include({
          ...held,
          from: side.phone.number,
          quotedMessageId: question.messageId,
          quotedText: side.orgId ? 'what about it?' : '',
          mentions: [BOB.number],
          forwarded: false,
        });

        const event = await eventOf(chats.world.receiver, messageId);
        const meta = { fromAI: true, userId: 7, raw: metaData };
        expect(event).to.deep.include({
          ...expected,
          event: 'message.sent',
          fromMe: true,
          clientId: side.clientId,
          chatRoomId: side.chatRoomId,
          mentions: [lidOf(chats.bob)],
          meta,
        });
        expect(event.quoted).to.include({ messageId: question.messageId, participant: lidOf(chats.bob) });

        if (!side.orgId) continue;
        const row = await chats.row(side, messageId);
        expect(row).to.deep.include({ messageType, fromMe: true, fromAi: true, body: event.body });
        expect(row?.extras).to.deep.include({ meta, mentions: [lidOf(chats.bob)] });
      }
    });

    it(`is sent once for an idempotency key: ${what}`, async () => {
      const headers = { 'idempotency-key': `once ${what.length} ${path}` };
      const first = await send(chats.hosted, path, body, headers);
      const second = await send(chats.hosted, path, body, headers);
      expect(second).to.equal(first);
      await heldByBob(first);
      // what comes later has overtaken nothing: the order of one sender's messages is kept
      const later = await send(chats.hosted, '/send-message', { body: 'later' });
      await heldByBob(later);
      await eventOf(chats.world.receiver, later);
      const held = await chats.world.phones.messages(BOB.number);
      expect(held.filter(({ messageId }) => messageId === first)).to.have.length(1);
      expect(eventsOf(chats.world.receiver, first)).to.have.length(1);
    });

    it(`fails with 502 when the network rejects it, and delivers nothing: ${what}`, async () => {
      const { phones, api } = chats.world;
      for (const { phone, clientId } of sides()) {
        await phones.fault({ kind: 'reject-sends', number: phone.number, count: 1 });
        const before = (await phones.messages(BOB.number)).length;
        const answer = await api.post(path, { clientId, to: BOB.number, ...body });
        expect(answer.status).to.equal(502);
        expect(answer.body.error).to.match(/rejected/);
        expect(await phones.messages(BOB.number)).to.have.length(before);
      }
    });
  }

  it('makes a vCard of a name and a phone', async () => {
    for (const side of sides()) {
      const messageId = await send(side, '/send-contact', {
        displayName: 'Ada; Example',
        phone: '15550000009',
      });
      const { contact } = await heldByBob(messageId);
      expect(contact).to.include({ displayName: 'Ada; Example', phone: '+15550000009' });
      expect(contact?.vcard).to.match(/^BEGIN:VCARD\r?\nVERSION:3\.0\r?\n/);
      expect((await eventOf(chats.world.receiver, messageId)).contact).to.deep.equal(contact);
    }
  });

  it('mentions people by phone digits too', async () => {
    const mentions = [BOB.number.slice(1), chats.plain.phone.number];
    const messageId = await send(chats.plain, '/send-message', { body: '@both', mentions });
    expect((await heldByBob(messageId)).mentions).to.deep.equal([BOB.number, chats.plain.phone.number]);
    const event = await eventOf(chats.world.receiver, messageId);
    expect(event.mentions).to.deep.equal([lidOf(chats.bob), lidOf(chats.plain.phone)]);
  });

  it('reaches a person by LID, by phone number and by either jid', async () => {
    for (const to of [lidOf(chats.bob), BOB.number, chats.bob.jid, chats.bob.lid]) {
      const messageId = await send(chats.plain, '/send-message', { to, body: `by ${to}` });
      expect(await heldByBob(messageId)).to.include({ text: `by ${to}` });
      const event = await eventOf(chats.world.receiver, messageId);
      expect(event).to.include({ chatRoomId: chats.plain.chatRoomId, remoteJid: chats.bob.lid });
    }
  });

  it('lets votes of a poll find it, with and without a history', async () => {
    for (const side of sides()) {
      const body = { pollName: 'Tea?', pollOptions: ['Yes', 'No'] };
      const pollMessageId = await send(side, '/send-poll-message', body);
      await heldByBob(pollMessageId);
      const vote = await chats.fromBob(side, { vote: { pollMessageId, options: ['No'] } });
      expect(vote.pollVote).to.deep.include({
        pollMessageId,
        resolved: side.orgId !== '',
        selectedOptions: side.orgId ? ['No'] : [],
      });
      expect(vote.pollVote?.selectedHashes).to.have.length(1);
    }
  });

  it('lets taps on its buttons name it', async () => {
    const body = { bodyText: 'Coming?', buttons: BUTTONS };
    const messageId = await send(chats.plain, '/send-interactive-message', body);
    await heldByBob(messageId);
    const tap = await chats.fromBob(chats.plain, {
      buttonReply: { messageId, id: 'yes', displayText: 'Yes' },
    });
    expect(tap.interactive).to.deep.equal({
      kind: 'button',
      id: 'yes',
      displayText: 'Yes',
      targetId: messageId,
    });
  });

  it('answers 404 for a session that is unknown or not paired', async () => {
    await chats.world.api.post('/start?clientId=unpaired');
    for (const clientId of ['nobody', 'unpaired']) {
      for (const { path, body } of CASES) {
        const answer = await chats.world.api.post(path, { clientId, to: BOB.number, ...body });
        expect(answer.status, `${path} of ${clientId}`).to.equal(404);
      }
    }
  });

  it('answers 400 for people whom the network does not know', async () => {
    for (const { path, body } of CASES) {
      const answer = await chats.world.api.post(path, { clientId: 'plain', to: '+15559999999', ...body });
      expect(answer.status, path).to.equal(400);
      expect(answer.body.error).to.match(/^to: /);
    }
  });
});
