import { expect } from 'chai';
import type { ChangeView, MessageView } from '../../src/client/sandbox/client.js';
import { LIMITS } from '../../src/domain/limits.js';
import { ShiftedClock } from '../support/manual-clock.js';
import { eventOf, eventsOf } from '../support/receiver.js';
import { type ApiAnswer, BOB, Conversations, lidOf, type Side } from '../support/world.js';

describe('the API for changes of earlier messages', () => {
  let chats: Conversations;
  const clock = new ShiftedClock();
  before(async () => {
    chats = await Conversations.start({ overrides: { clock } });
  });
  after(() => chats.stop());
  afterEach(() => chats.world.phones.clearFaults());

  const sides = () => [chats.plain, chats.hosted];
  const other = (side: Side) => (side === chats.plain ? chats.hosted : chats.plain);

  function post(side: Side, path: string, body: object, headers = {}): Promise<ApiAnswer> {
    return chats.world.api.post(path, { clientId: side.clientId, to: BOB.number, ...body }, headers);
  }

  /** Sends a text to Bob; resolves with its id when he has it. */
  async function sent(side: Side, body = 'as it was'): Promise<string> {
    const answer = await post(side, '/send-message', { body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const messageId = String(answer.body.messageId);
    await held(messageId);
    return messageId;
  }

  function held(messageId: string, number = BOB.number): Promise<MessageView> {
    return chats.world.phones.waitForMessage(number, (message) => message.messageId === messageId);
  }

  /** The change of an answer, once Bob's phone has it, and its event. */
  async function arrived(answer: ApiAnswer, targetId: string) {
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const { messageId } = answer.body;
    expect(answer.body).to.deep.equal({ status: 'sent', messageId, targetId });
    const change = await changeOf(String(messageId));
    return { change, event: await eventOf(chats.world.receiver, String(messageId)) };
  }

  function changeOf(messageId: string): Promise<ChangeView> {
    return chats.world.phones.waitForChange(BOB.number, (change) => change.messageId === messageId);
  }

  async function changesOf(targetId: string): Promise<ChangeView[]> {
    const changes = await chats.world.phones.changes(BOB.number);
    return changes.filter((change) => change.targetId === targetId);
  }

  async function storedExtras(side: Side, messageId: string): Promise<Record<string, unknown>> {
    return (await chats.row(side, messageId))?.extras ?? {};
  }

  describe('reactions', () => {
    it('reactions are sent for messages of others, and removed', async () => {
      for (const side of sides()) {
        const { messageId } = await chats.fromBob(side, { text: 'I did it' });
        for (const emoji of ['👍', '👩🏽‍🚀', '']) {
          const answer = await post(side, '/send-reaction', { messageId, emoji });
          const { change, event } = await arrived(answer, messageId);
          expect(change).to.include({ type: 'reaction', targetId: messageId, applied: true, emoji });
          expect((await held(messageId)).reactions).to.deep.equal(
            emoji ? { [side.phone.number]: emoji } : {},
          );
          expect(event).to.deep.include({
            event: 'message.sent',
            type: 'reaction',
            fromMe: true,
            chatRoomId: side.chatRoomId,
            reaction: { targetId: messageId, targetFromMe: false, emoji },
          });
          if (!side.orgId) continue;
          const { reactions } = await storedExtras(side, messageId);
          expect(reactions).to.deep.equal(emoji ? { [lidOf(side.phone)]: emoji } : {});
        }
      }
    });

    it('reactions are sent for own messages, with or without targetFromMe', async () => {
      for (const side of sides()) {
        for (const told of [{ targetFromMe: true }, {}]) {
          const messageId = await sent(side);
          const answer = await post(side, '/send-reaction', { messageId, emoji: '🎉', ...told });
          const { change, event } = await arrived(answer, messageId);
          expect(change.applied).to.equal(true);
          expect((await held(messageId)).reactions).to.deep.equal({ [side.phone.number]: '🎉' });
          expect(event.reaction).to.deep.equal({ targetId: messageId, targetFromMe: true, emoji: '🎉' });
        }
      }
    });

    it('reactions are sent for unknown messages', async () => {
      for (const side of sides()) {
        const answer = await post(side, '/send-reaction', {
          messageId: '3EB0UNKNOWN',
          emoji: '👍',
          targetFromMe: true,
        });
        const { change, event } = await arrived(answer, '3EB0UNKNOWN');
        expect(change.applied).to.equal(false);
        expect(event.reaction).to.include({ targetId: '3EB0UNKNOWN', targetFromMe: true });
      }
    });
  });

  describe('edits', () => {
    it('edits replace the text of own messages, wherever they were written', async () => {
      for (const side of sides()) {
        const written = await chats.fromOwner(side, { text: 'as it was' });
        for (const messageId of [await sent(side), written.messageId]) {
          const answer = await post(side, '/edit-message', { messageId, body: 'as it should be' });
          const { change, event } = await arrived(answer, messageId);
          expect(change).to.include({ type: 'edit', applied: true, text: 'as it should be' });
          expect(await held(messageId)).to.deep.include({
            text: 'as it should be',
            edited: true,
            history: ['as it was'],
          });
          expect(event).to.deep.include({
            type: 'edit',
            fromMe: true,
            body: 'as it should be',
            edit: { targetId: messageId, body: 'as it should be' },
          });
          if (!side.orgId) continue;
          const row = await chats.row(side, messageId);
          expect(row).to.include({ body: 'as it should be' });
          expect(row?.extras).to.include({ edited: true });
          expect(row?.extras).to.have.nested.property('editHistory[0].body', 'as it was');
        }
      }
    });

    it('edits replace the caption of own files', async () => {
      for (const side of sides()) {
        const form = new FormData();
        const fields = { clientId: side.clientId, to: BOB.number, caption: 'as it was' };
        for (const [name, value] of Object.entries(fields)) form.set(name, value);
        form.set('file', new Blob(['a file'], { type: 'application/pdf' }), 'menu.pdf');
        const upload = await chats.world.api.upload(`/send-media-message?clientId=${side.clientId}`, form);
        expect(upload.status, JSON.stringify(upload.body)).to.equal(200);
        const messageId = String(upload.body.messageId);
        await held(messageId);
        const answer = await post(side, '/edit-message', { messageId, body: 'as it should be' });
        const { change, event } = await arrived(answer, messageId);
        expect(change).to.include({ type: 'edit', applied: true, text: 'as it should be' });
        expect((await held(messageId)).media).to.include({ caption: 'as it should be' });
        expect(event.edit).to.deep.equal({ targetId: messageId, body: 'as it should be' });
      }
    });

    it('edits are refused with 400 for messages of others, and nothing is sent', async () => {
      for (const side of sides()) {
        const { messageId } = await chats.fromBob(side, { text: 'mine' });
        const answer = await post(side, '/edit-message', { messageId, body: 'yours' });
        expect(answer.status).to.equal(400);
        expect(answer.body.error).to.match(/messageId: .*somebody else.*own messages/);
        expect(await changesOf(messageId)).to.deep.equal([]);
      }
    });

    it('edits are refused with 400 for messages without text, and nothing is sent', async () => {
      for (const side of sides()) {
        const poll = { pollName: 'Lunch?', pollOptions: ['Pizza', 'Soup'] };
        const place = { latitude: 1, longitude: 1 };
        for (const [path, body] of [
          ['/send-poll-message', poll],
          ['/send-location', place],
        ] as const) {
          const messageId = String((await post(side, path, body)).body.messageId);
          await held(messageId);
          const answer = await post(side, '/edit-message', { messageId, body: 'Supper?' });
          expect(answer.status, path).to.equal(400);
          expect(answer.body.error).to.match(/messageId: .* has no text; only texts and the captions/);
          expect(await changesOf(messageId)).to.deep.equal([]);
        }
      }
    });

    it('edits are refused with 400 for deleted messages', async () => {
      const messageId = await sent(chats.hosted);
      const deletion = { messageId, fromMe: true, mode: 'everyone' };
      expect((await post(chats.hosted, '/delete-message', deletion)).status).to.equal(200);
      const answer = await post(chats.hosted, '/edit-message', { messageId, body: 'again' });
      expect(answer.status).to.equal(400);
      expect(answer.body.error).to.match(/was deleted/);
    });

    it('edits are sent for unknown messages: the network decides', async () => {
      const answer = await post(chats.plain, '/edit-message', { messageId: '3EB0LONGAGO', body: 'x' });
      expect((await arrived(answer, '3EB0LONGAGO')).change.applied).to.equal(false);
    });
  });

  describe('deletions for everyone', () => {
    const everyone = { mode: 'everyone', fromMe: true };

    it('empty own messages, wherever they were written', async () => {
      for (const side of sides()) {
        const written = await chats.fromOwner(side, { text: 'as it was' });
        for (const messageId of [await sent(side), written.messageId]) {
          const answer = await post(side, '/delete-message', { messageId, ...everyone });
          expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
          expect(answer.body).to.deep.equal({ status: true });
          const change = await chats.world.phones.waitForChange(
            BOB.number,
            ({ targetId }) => targetId === messageId,
          );
          expect(change).to.include({ type: 'revoke', applied: true });
          expect(await held(messageId)).to.include({ revoked: true, text: '' });
          const event = await eventOf(chats.world.receiver, change.messageId);
          expect(event).to.deep.include({
            event: 'message.sent',
            type: 'revoke',
            fromMe: true,
            chatRoomId: side.chatRoomId,
            revoke: { targetId: messageId, byAdmin: false },
          });
          if (!side.orgId) continue;
          const row = await chats.row(side, messageId);
          expect(row).to.include({ deleted: true });
          expect(row?.extras).to.include({ revoked: true });
        }
      }
    });

    it('are remembered without a history too: a deleted message is neither forwarded nor pinned', async () => {
      for (const side of sides()) {
        const messageId = await sent(side, 'not for others');
        const answer = await post(side, '/delete-message', { messageId, ...everyone });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
        const { messageId: changeId } = await chats.world.phones.waitForChange(
          BOB.number,
          ({ targetId }) => targetId === messageId,
        );
        await eventOf(chats.world.receiver, changeId);
        const forwarded = await post(side, '/forward-message', { messageId, from: BOB.number });
        const pinned = await post(side, '/pin-message', { messageId, pinned: true });
        for (const { status, headers } of [forwarded, pinned])
          expect([status, headers.get('x-sn-error')]).to.deep.equal([409, 'message_deleted']);
      }
    });

    it('deletions are rejected by the network with 502 for messages of others', async () => {
      for (const side of sides()) {
        const { messageId } = await chats.fromBob(side, { text: 'mine' });
        for (const fromMe of [false, true]) {
          const answer = await post(side, '/delete-message', { messageId, mode: 'everyone', fromMe });
          expect(answer.status, JSON.stringify(answer.body)).to.equal(502);
          expect(answer.body.error).to.match(/rejected/);
        }
        expect(await held(messageId)).to.include({ revoked: false, text: 'mine' });
        expect(await changesOf(messageId)).to.deep.equal([]);
      }
    });

    it('deletions are sent for unknown messages', async () => {
      const answer = await post(chats.plain, '/delete-message', { messageId: '3EB0GONE', ...everyone });
      expect(answer.body).to.deep.equal({ status: true });
      const change = await chats.world.phones.waitForChange(BOB.number, (one) => one.targetId === '3EB0GONE');
      expect(change.applied).to.equal(false);
    });
  });

  const CHANGES: [string, object][] = [
    ['/send-reaction', { emoji: '👍', targetFromMe: true }],
    ['/edit-message', { body: 'changed' }],
    ['/delete-message', { mode: 'everyone', fromMe: true }],
  ];
  for (const [path, body] of CHANGES) {
    it(`refuses ${path} for a message of another chat with 400`, async () => {
      for (const side of sides()) {
        const messageId = await sent(side);
        const to = other(side).phone.number;
        const answer = await post(side, path, { messageId, ...body, to });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
        expect(answer.body.error).to.match(/messageId: .*in another chat/);
        expect(await chats.world.phones.changes(to)).to.deep.equal([]);
      }
    });

    it(`answers ${path} with 502 when the network rejects it, and changes nothing`, async () => {
      for (const side of sides()) {
        const messageId = await sent(side);
        await chats.world.phones.fault({ kind: 'reject-sends', number: side.phone.number, count: 1 });
        const answer = await post(side, path, { messageId, ...body });
        expect(answer.status).to.equal(502);
        expect(await changesOf(messageId)).to.deep.equal([]);
        expect(await held(messageId)).to.deep.include({ text: 'as it was', reactions: {}, revoked: false });
      }
    });

    it(`answers ${path} with 404 for a session that is unknown or not paired`, async () => {
      await chats.world.api.post('/start?clientId=unpaired');
      for (const clientId of ['nobody', 'unpaired']) {
        const answer = await post(chats.plain, path, { messageId: '3EB01', ...body, clientId });
        expect(answer.status, clientId).to.equal(404);
      }
    });
  }

  it('repeats no change for an idempotency key', async () => {
    for (const [path, body] of CHANGES.slice(0, 2)) {
      const messageId = await sent(chats.hosted);
      const headers = { 'idempotency-key': `once ${path}` };
      const first = await post(chats.hosted, path, { messageId, ...body }, headers);
      await arrived(first, messageId);
      const second = await post(chats.hosted, path, { messageId, ...body }, headers);
      expect(second.body).to.deep.equal(first.body);
      // the order of one sender's messages is kept
      await sent(chats.hosted);
      expect(await changesOf(messageId)).to.have.length(1);
      expect(eventsOf(chats.world.receiver, String(first.body.messageId))).to.have.length(1);
    }
  });

  describe('the API for changes, past the edit window', () => {
    it('refuses an edit of an own message with 400 and the reason, wherever the message was written', async () => {
      const targets: [Side, string][] = [];
      for (const side of sides()) {
        const written = await chats.fromOwner(side, { text: 'as it was' });
        targets.push([side, await sent(side)], [side, written.messageId]);
      }
      clock.shift(LIMITS.editWindowMs + 1_000);
      for (const [side, messageId] of targets) {
        const answer = await post(side, '/edit-message', { messageId, body: 'too late' });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
        expect(answer.body.error).to.match(/messageId: .*15 minutes ago.*15 minutes only/);
        expect(await changesOf(messageId)).to.deep.equal([]);
        expect(await held(messageId)).to.include({ text: 'as it was', edited: false });
      }
    });

    it('sends reactions and deletions past the edit window', async () => {
      const messageId = await sent(chats.plain);
      clock.shift(LIMITS.editWindowMs + 1_000);
      await arrived(await post(chats.plain, '/send-reaction', { messageId, emoji: '👍' }), messageId);
      const deletion = { messageId, mode: 'everyone', fromMe: true };
      expect((await post(chats.plain, '/delete-message', deletion)).status).to.equal(200);
    });
  });
});
