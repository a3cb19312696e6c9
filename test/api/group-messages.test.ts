import { expect } from 'chai';
import type { MessageView, PhoneView, WriteContent } from '../../src/client/sandbox/client.js';
import type { EventEnvelope } from '../../src/contract/events/envelope.js';
import { picture } from '../support/made-files.js';
import { eventOf, eventsOf } from '../support/receiver.js';
import {
  ALICE,
  type ApiAnswer,
  BOB,
  CAROL,
  lidOf,
  linkSession,
  startWorld,
  type World,
} from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };

describe('group messages over the wire', () => {
  let world: World;
  let alice: PhoneView;
  let bob: PhoneView;
  let jid: string;

  before(async () => {
    world = await startWorld();
    for (const person of [BOB, CAROL, DAVE]) await world.phones.addPhone(person);
    await linkSession(world, 'acme');
    await hearGroups(true);
    alice = await world.phones.phone(ALICE.number);
    bob = await world.phones.phone(BOB.number);
    const participants = [ALICE.number, CAROL.number];
    ({ jid } = await world.phones.groups.create(BOB.number, { subject: 'Friends', participants }));
  });
  after(() => world.stop());

  const ask = (path: string, body: object) => world.api.post(path, { clientId: 'acme', ...body });
  const hearGroups = (enabled: boolean) => ask('/set-enable-group-ai', { enabled });

  /** Sends to the group; resolves with the message's id. */
  async function sent(path: string, body: object): Promise<string> {
    return idIn(await ask(path, { to: jid, ...body }));
  }
  function idIn({ status, body }: ApiAnswer): string {
    expect(status, JSON.stringify(body)).to.equal(200);
    return String(body.messageId);
  }
  function held(messageId: string, { number } = BOB): Promise<MessageView> {
    return world.phones.waitForMessage(number, (message) => message.messageId === messageId);
  }
  async function says({ number }: { number: string }, content: WriteContent): Promise<EventEnvelope> {
    const { messageId } = await world.phones.write(number, { to: jid, ...content });
    return eventOf(world.receiver, messageId);
  }
  const groupQueries = async () => (await world.phones.stats()).queries['w:g2'] ?? 0;
  const chat = () => ({
    isGroup: true,
    remoteJid: jid,
    chatRoomId: `acme-${lidOf(alice)}-${jid.slice(0, -5)}`,
  });

  it('quote an unknown message without an author, and do not name the group as its author', async () => {
    const messageId = await sent('/send-message', { body: 'to what?', quotedMessageId: '3EB0UNKNOWN' });
    expect(await held(messageId))
      .to.include({ quotedMessageId: '3EB0UNKNOWN' })
      .and.not.have.property('quotedAuthor');
    const { quoted } = await eventOf(world.receiver, messageId);
    expect(quoted).to.deep.equal({ messageId: '3EB0UNKNOWN', body: '', type: 'text' });
    const known = await says(BOB, { text: 'a question' });
    const reply = await sent('/send-message', { body: 'an answer', quotedMessageId: known.messageId });
    expect(await held(reply)).to.include({ quotedAuthor: BOB.number });
  });

  const OUT: [what: string, path: string, body: object, type: string, held: Partial<MessageView>][] = [
    ['texts', '/send-message', { body: 'Hello all' }, 'text', { type: 'text', text: 'Hello all' }],
    [
      'polls',
      '/send-poll-message',
      { pollName: 'When?', pollOptions: ['Mon', 'Tue'] },
      'poll_creation',
      { type: 'poll' },
    ],
    [
      'buttons',
      '/send-interactive-message',
      { bodyText: 'Coming?', buttons: [{ type: 'quick_reply', displayText: 'Yes', id: 'yes' }] },
      'text',
      { type: 'buttons', rendered: true },
    ],
    ['locations', '/send-location', { latitude: 1, longitude: 2 }, 'location', { type: 'location' }],
    [
      'contacts',
      '/send-contact',
      { displayName: 'Ada', phone: '15550000009' },
      'contact',
      { type: 'contact' },
    ],
  ];
  for (const [what, path, body, type, expected] of OUT) {
    it(`reach every member, and return as events with the group: ${what}`, async () => {
      const question = await says(BOB, { text: 'and?' });
      const metaData = { userId: 'u-1' };
      const mentions = [lidOf(bob)];
      const messageId = await sent(path, {
        ...body,
        mentions,
        metaData,
        quotedMessageId: question.messageId,
      });
      for (const person of [BOB, CAROL]) {
        expect(await held(messageId, person)).to.deep.include({
          ...expected,
          from: ALICE.number,
          to: jid,
          mentions: [BOB.number],
          quotedMessageId: question.messageId,
        });
      }
      const event = await eventOf(world.receiver, messageId);
      expect(event).to.deep.include({ ...chat(), type, event: 'message.sent', fromMe: true, mentions });
      expect(event.meta).to.deep.include({ userId: 'u-1', raw: metaData });
      expect(event.quoted).to.include({ messageId: question.messageId, participant: lidOf(bob) });
      expect(event.group).to.deep.include({ jid, subject: 'Friends', participant: lidOf(alice) });
    });
  }

  it('reach every member as files too', async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ clientId: 'acme', to: jid, caption: 'Us' }))
      form.set(name, value);
    form.set(
      'file',
      new Blob([Buffer.from(await picture('blue', 64), 'base64')], { type: 'image/png' }),
      'us.png',
    );
    const messageId = idIn(await world.api.upload('/send-media-message?clientId=acme', form));
    expect((await held(messageId, CAROL)).media).to.include({ caption: 'Us', mimeType: 'image/png' });
    expect(await eventOf(world.receiver, messageId)).to.deep.include({ ...chat(), type: 'image' });
  });

  it('accept reactions, edits, deletions and receipts', async () => {
    const { messageId: hers } = await says(CAROL, { text: 'of Carol' });
    await held(hers);
    await sent('/send-reaction', { messageId: hers, emoji: '👍' });
    await world.phones.waitForChange(
      BOB.number,
      ({ type, targetId }) => type === 'reaction' && targetId === hers,
    );
    expect((await held(hers)).reactions).to.deep.equal({ [ALICE.number]: '👍' });
    const read = await ask('/mark-read', { to: jid, messageIds: [hers] });
    expect(read.body).to.deep.equal({ ok: true, count: 1 });
    await world.phones.waitForMessage(
      CAROL.number,
      ({ messageId, receipts }) => messageId === hers && receipts[ALICE.number] === 'read',
    );

    const mine = await sent('/send-message', { body: 'as it was' });
    await held(mine);
    const edit = await sent('/edit-message', { messageId: mine, body: 'as it should be' });
    expect(await eventOf(world.receiver, edit)).to.deep.include({
      ...chat(),
      edit: { targetId: mine, body: 'as it should be' },
    });
    await world.phones.waitForMessage(BOB.number, ({ text }) => text === 'as it should be');
    await ask('/delete-message', { to: jid, messageId: mine, fromMe: true, mode: 'everyone' });
    await world.phones.waitForMessage(BOB.number, ({ messageId, revoked }) => messageId === mine && revoked);
  });

  it('refuse reactions, deletions and receipts when they are unknown', async () => {
    const unknown = '3EB0LONGAGO';
    const calls: [string, object][] = [
      ['/send-reaction', { messageId: unknown, emoji: '👍' }],
      ['/delete-message', { messageId: unknown, fromMe: false, mode: 'everyone' }],
      ['/delete-message', { messageId: unknown, fromMe: false, mode: 'me' }],
      ['/mark-read', { messageIds: [unknown] }],
    ];
    for (const [path, body] of calls) {
      const answer = await ask(path, { to: jid, ...body });
      expect(answer.status, path).to.equal(400);
      expect(answer.body.error).to.match(/^messageIds?: nothing is known of 3EB0LONGAGO, and in a group/);
    }
    await sent('/send-reaction', { messageId: unknown, emoji: '👍', targetFromMe: true });
  });

  it('arrive as events of every kind, with the group and the author', async () => {
    const poll = await says(BOB, { poll: { name: 'When?', options: ['Mon', 'Tue'] } });
    const buttons = { bodyText: 'Ok?', buttons: [{ type: 'quick_reply', displayText: 'Yes', id: 'yes' }] };
    const asked = await sent('/send-interactive-message', buttons);
    await held(asked);
    const first = await says(BOB, { text: 'first' });
    const base64 = await picture('red', 16);
    const contents: [WriteContent, string][] = [
      [{ text: 'Hello' }, 'text'],
      [{ media: { kind: 'image', mimeType: 'image/png', base64 } }, 'image'],
      [{ location: { latitude: 1, longitude: 2 } }, 'location'],
      [{ contact: { displayName: 'Ada', phone: '+15550000009' } }, 'contact'],
      [{ vote: { pollMessageId: poll.messageId, options: ['Tue'] } }, 'vote_update'],
      [{ buttonReply: { messageId: asked, id: 'yes', displayText: 'Yes' } }, 'interactive_reply'],
      [{ reaction: { messageId: first.messageId, emoji: '👍' } }, 'reaction'],
      [{ edit: { messageId: first.messageId, text: 'second' } }, 'edit'],
      [{ revoke: { messageId: first.messageId } }, 'revoke'],
    ];
    for (const [content, type] of contents) {
      const event = await says(BOB, content);
      expect(event, type).to.deep.include({ ...chat(), type, event: 'message.received', fromMe: false });
      expect(event.group, type).to.deep.equal({
        jid,
        subject: 'Friends',
        participant: lidOf(bob),
        participantPhone: BOB.number,
      });
    }
  });

  it('cause no events while the session has group events disabled', async () => {
    await hearGroups(false);
    const { messageId } = await world.phones.write(BOB.number, { to: jid, text: 'not for you' });
    const echo = await sent('/send-message', { body: 'nor this' });
    await held(echo);
    await hearGroups(true);
    await says(BOB, { text: 'but this' });
    expect([...eventsOf(world.receiver, messageId), ...eventsOf(world.receiver, echo)]).to.deep.equal([]);
  });

  it('reach members who have just joined, and no former members, without a query for each message', async () => {
    await sent('/send-message', { body: 'one' });
    const before = await groupQueries();
    for (let turn = 0; turn < 5; turn += 1) await sent('/send-message', { body: `again ${turn}` });
    expect(await groupQueries()).to.equal(before);

    const change = async (action: 'add' | 'remove') => {
      await world.phones.groups.participants(BOB.number, jid, action, [DAVE.number]);
      // what comes after the notification comes when that was taken in
      await says(BOB, { text: `${action} done` });
      return sent('/send-message', { body: action });
    };
    await held(await change('add'), DAVE);
    const after = await change('remove');
    await held(after, CAROL);
    const ofDave = await world.phones.messages(DAVE.number);
    expect(ofDave.map(({ messageId }) => messageId)).not.to.include(after);
    // after each change the library asks once for the members, the events once for the subject
    expect(await groupQueries()).to.be.at.most(before + 4);
  });
});
