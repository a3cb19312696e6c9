import { expect } from 'chai';
import type { EventEnvelope } from '../../src/events/envelope.js';
import type { MessageView } from '../../src/sandbox/client.js';
import { Conversations, lidOf, type Side } from '../support/conversations.js';
import { eventOf } from '../support/events.js';
import { BOB } from '../support/pairing.js';

/** An answer as Bob's phone shows it, and its event. */
interface Reply {
  held: MessageView;
  event: EventEnvelope;
}

describe('quoting earlier messages', () => {
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

  it('shows own sends, with and without a history', async () => {
    for (const side of [chats.plain, chats.hosted]) {
      const by = lidOf(side.phone);
      const text = await send(side, '/send-message', { body: 'sent by me' });
      await expectPreview(side, text, { by, type: 'text', body: 'sent by me' });
      const body = { pollName: 'Tea?', pollOptions: ['Yes', 'No'] };
      const poll = await send(side, '/send-poll-message', body);
      await expectPreview(side, poll, { by, type: 'poll_creation', body: 'Tea?' });
    }
  });

  it('shows what others and the own phone wrote, from the history', async () => {
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

  it('shows an edited message as it is now', async () => {
    const side = chats.hosted;
    const { messageId } = await chats.fromBob(side, { text: 'first thought' });
    await chats.fromBob(side, { edit: { messageId, text: 'second thought' } });
    await expectPreview(side, messageId, { by: lidOf(chats.bob), type: 'text', body: 'second thought' });
  });

  it('shows nothing of a deleted message', async () => {
    const side = chats.hosted;
    const { messageId } = await chats.fromBob(side, { text: 'nobody shall know' });
    await chats.fromBob(side, { revoke: { messageId } });
    await expectPreview(side, messageId, { by: lidOf(chats.bob), ...NO_PREVIEW });
  });

  it('shows nobody what was written in another chat', async () => {
    for (const side of [chats.plain, chats.hosted]) {
      const other = side === chats.plain ? chats.hosted : chats.plain;
      const secret = { clientId: side.clientId, to: other.phone.number, body: 'for your eyes only' };
      const { body } = await chats.world.api.post('/send-message', secret);
      await expectPreview(side, String(body.messageId), { by: lidOf(chats.bob), ...NO_PREVIEW });
    }
  });

  it('sends with unknown ids all the same', async () => {
    for (const side of [chats.plain, chats.hosted]) {
      await expectPreview(side, '3EB0UNKNOWN', { by: lidOf(chats.bob), ...NO_PREVIEW });
    }
  });
});
