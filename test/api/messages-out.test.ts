import { expect } from 'chai';
import type { MessageView } from '../../src/client/sandbox/client.js';
import type { EventEnvelope } from '../../src/contract/events/envelope.js';
import type { ButtonExtra } from '../../src/contract/events/extras.js';
import { eventOf, eventsOf } from '../support/receiver.js';
import { BOB, Conversations, lidOf, type Side } from '../support/world.js';

/** A send, and how phone, receiver and history show it. */
interface Case {
  what: string;
  path: string;
  body: Record<string, unknown>;
  held: Partial<MessageView>;
  event: Partial<EventEnvelope>;
  messageType: string;
}

const VCARD = 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Grace\r\nTEL;waid=15550000009:+15550000009\r\nEND:VCARD';
const BUTTONS: ButtonExtra[] = [
  { type: 'quick_reply', displayText: 'Yes', id: 'yes' },
  { type: 'cta_url', displayText: 'The menu', url: 'https://example.com/menu' },
  { type: 'cta_call', displayText: 'Call us', phoneNumber: '+15550000001' },
  { type: 'cta_copy', displayText: 'Copy the code', id: 'code', copyCode: 'LUNCH-10' },
];

const SECTIONS = [
  { title: 'Warm', rows: [{ id: 'soup', title: 'Soup', description: 'Of the day' }] },
  { title: 'Cold', rows: [{ id: 'salad', title: 'Salad', description: '' }] },
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
    event: { type: 'text', body: 'Are you coming?\nPlease answer', buttons: BUTTONS },
    messageType: 'interactive',
  },
  {
    what: 'a list of rows',
    path: '/send-list-message',
    body: {
      title: 'Lunch',
      bodyText: 'What would you like?',
      footerText: 'Until eleven',
      buttonText: 'The menu',
      sections: SECTIONS,
    },
    held: {
      type: 'list',
      bodyText: 'What would you like?',
      footerText: 'Until eleven',
      list: { title: 'Lunch', buttonText: 'The menu', sections: SECTIONS },
      rendered: true,
    },
    event: {
      type: 'text',
      body: 'Lunch\nWhat would you like?\nUntil eleven',
      list: { buttonText: 'The menu', sections: SECTIONS },
    },
    messageType: 'interactive',
  },
  {
    what: 'a location',
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
    what: 'a location without a name',
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
    what: 'a contact with a vCard, which takes precedence over the phone',
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

describe('the send routes, over the wire', () => {
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
    it(`delivers the message unchanged, and emits it as an event: ${what}`, async () => {
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
        const { list, buttons } = event;
        const shown = { ...(list && { list }), ...(buttons && { buttons }) };
        expect(row?.extras).to.deep.include({ meta, mentions: [lidOf(chats.bob)], ...shown });
      }
    });

    it(`sends once for an idempotency key: ${what}`, async () => {
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

    it(`answers 502 when the network rejects the message, and delivers nothing: ${what}`, async () => {
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
    const body = `@${mentions[0]}, @${mentions[1]} and @15550009999`;
    const messageId = await send(chats.plain, '/send-message', { body, mentions });
    const held = await heldByBob(messageId);
    expect(held.mentions).to.deep.equal([BOB.number, chats.plain.phone.number]);
    // phones show a name where the text and the mentions agree
    expect(held.text).to.equal(`@${lidOf(chats.bob)}, @${lidOf(chats.plain.phone)} and @15550009999`);
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

  it('matches votes to a sent poll, with and without a history', async () => {
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

  it('matches taps on buttons to the sent message', async () => {
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

  it('answers 400 for people unknown to the network', async () => {
    for (const { path, body } of CASES) {
      const answer = await chats.world.api.post(path, { clientId: 'plain', to: '+15559999999', ...body });
      expect(answer.status, path).to.equal(400);
      expect(answer.body.error).to.match(/^to: /);
    }
  });
});

/** An answer as Bob's phone shows it, and its event. */
interface Reply {
  held: MessageView;
  event: EventEnvelope;
}

describe('a quote of an earlier message', () => {
  let chats: Conversations;
  before(async () => {
    chats = await Conversations.start();
  });
  after(() => chats.stop());

  async function send({ clientId }: Side, path: string, body: object): Promise<string> {
    const answer = await chats.world.api.post(path, { clientId, to: BOB.number, ...body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const messageId = String(answer.body.messageId);
    await eventOf(chats.world.receiver, messageId);
    return messageId;
  }

  async function reply(side: Side, quotedMessageId: string): Promise<Reply> {
    const messageId = await send(side, '/send-message', { body: 'an answer', quotedMessageId });
    const held = await chats.world.phones.waitForMessage(BOB.number, (one) => one.messageId === messageId);
    expect(held).to.include({ text: 'an answer', quotedMessageId });
    return { held, event: await eventOf(chats.world.receiver, messageId) };
  }

  async function expectPreview(side: Side, quotedMessageId: string, quoted: { by: string } & Preview) {
    const { held, event } = await reply(side, quotedMessageId);
    const { by: participant, type, body } = quoted;
    expect(held.quotedText).to.equal(body);
    expect(event.quoted).to.deep.equal({ messageId: quotedMessageId, participant, type, body });
  }

  interface Preview {
    type: string;
    body: string;
  }

  const NO_PREVIEW: Preview = { type: 'text', body: '' };

  it('shows a preview of own sends, with and without a history', async () => {
    for (const side of [chats.plain, chats.hosted]) {
      const by = lidOf(side.phone);
      const text = await send(side, '/send-message', { body: 'sent by me' });
      await expectPreview(side, text, { by, type: 'text', body: 'sent by me' });
      const body = { pollName: 'Tea?', pollOptions: ['Yes', 'No'] };
      const poll = await send(side, '/send-poll-message', body);
      await expectPreview(side, poll, { by, type: 'poll_creation', body: 'Tea?' });
    }
  });

  it('shows a preview of messages of others and of the own phone, from the history', async () => {
    const side = chats.hosted;
    const media = { kind: 'image', mimeType: 'image/jpeg', size: 100, caption: 'look at this' } as const;
    const wishes = [
      [{ text: 'written' }, { type: 'text', body: 'written' }],
      [{ media }, { type: 'image', body: 'look at this' }],
      [{ location: { latitude: 1, longitude: 2, name: 'Here' } }, { type: 'location', body: 'Here' }],
    ] as const;
    for (const [wish, preview] of wishes) {
      const his = await chats.fromBob(side, wish);
      await expectPreview(side, his.messageId, { by: lidOf(chats.bob), ...preview });
      const own = await chats.fromOwner(side, wish);
      await expectPreview(side, own.messageId, { by: lidOf(side.phone), ...preview });
    }
  });

  it('names the author, without a preview, where no history is kept', async () => {
    const side = chats.plain;
    const his = await chats.fromBob(side, { text: 'written' });
    await expectPreview(side, his.messageId, { by: lidOf(chats.bob), ...NO_PREVIEW });
    const own = await chats.fromOwner(side, { text: 'written' });
    await expectPreview(side, own.messageId, { by: lidOf(side.phone), ...NO_PREVIEW });
  });

  it('shows the current text of an edited message', async () => {
    const side = chats.hosted;
    const { messageId } = await chats.fromBob(side, { text: 'first thought' });
    await chats.fromBob(side, { edit: { messageId, text: 'second thought' } });
    await expectPreview(side, messageId, { by: lidOf(chats.bob), type: 'text', body: 'second thought' });
  });

  it('shows no preview of a deleted message', async () => {
    const side = chats.hosted;
    const { messageId } = await chats.fromBob(side, { text: 'nobody shall know' });
    await chats.fromBob(side, { revoke: { messageId } });
    await expectPreview(side, messageId, { by: lidOf(chats.bob), ...NO_PREVIEW });
  });

  it('shows no preview of a message from another chat', async () => {
    for (const side of [chats.plain, chats.hosted]) {
      const other = side === chats.plain ? chats.hosted : chats.plain;
      const secret = { clientId: side.clientId, to: other.phone.number, body: 'for your eyes only' };
      const { body } = await chats.world.api.post('/send-message', secret);
      await expectPreview(side, String(body.messageId), { by: lidOf(chats.bob), ...NO_PREVIEW });
    }
  });

  it('is sent with an unknown quoted id', async () => {
    for (const side of [chats.plain, chats.hosted]) {
      await expectPreview(side, '3EB0UNKNOWN', { by: lidOf(chats.bob), ...NO_PREVIEW });
    }
  });
});
