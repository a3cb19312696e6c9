import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import {
  answering,
  eventOf,
  eventsOf,
  silent,
  startReceiver,
  type TestReceiver,
} from '../support/receiver.js';
import {
  BOB,
  Conversations,
  lidOf,
  linkSession,
  reached,
  type Side,
  startWorld,
  type Wish,
  type World,
} from '../support/world.js';

describe('changes of earlier messages, as events and in the history', () => {
  let chats: Conversations;
  before(async () => {
    chats = await Conversations.start({ overrides: { stopGraceMs: 100 } });
  });
  after(() => chats.stop());

  const sides = () => [chats.plain, chats.hosted];
  const send = async (side: Side, path: string, body: object) => {
    const answer = await chats.world.api.post(path, { clientId: side.clientId, to: BOB.number, ...body });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return String(answer.body.messageId);
  };
  /** Bob's phone holds the message: he can do something to it. */
  const heldByBob = (messageId: string) =>
    chats.world.phones.waitForMessage(BOB.number, (message) => message.messageId === messageId);

  it('a reaction is delivered and stored with the message, until it is removed', async () => {
    for (const side of sides()) {
      const { messageId: targetId } = await chats.fromOwner(side, { text: 'good news' });
      for (const emoji of ['👍', '🎉', '']) {
        const event = await chats.fromBob(side, { reaction: { messageId: targetId, emoji } });
        expect(event).to.deep.include({
          event: 'message.received',
          type: 'reaction',
          body: emoji,
          reaction: { targetId, targetFromMe: true, emoji },
        });
        expect(event.messageId).to.not.equal(targetId);
        if (!side.orgId) continue;
        const reactions = emoji ? { [lidOf(chats.bob)]: emoji } : {};
        expect((await chats.row(side, targetId))?.extras).to.deep.equal({ reactions });
        expect(await chats.row(side, event.messageId)).to.equal(undefined);
      }
    }
  });

  it('a reaction of the linked phone is delivered and stored too', async () => {
    for (const side of sides()) {
      const { messageId: targetId } = await chats.fromBob(side, { text: 'good news' });
      const event = await chats.fromOwner(side, { reaction: { messageId: targetId, emoji: '👍' } });
      expect(event).to.deep.include({
        event: 'message.sent',
        fromMe: true,
        reaction: { targetId, targetFromMe: false, emoji: '👍' },
      });
      if (!side.orgId) continue;
      expect((await chats.row(side, targetId))?.extras).to.deep.equal({
        reactions: { [lidOf(side.phone)]: '👍' },
      });
    }
  });

  const EDITS: [what: string, wish: (messageId: string, text: string) => Wish][] = [
    ['plain', (messageId, text) => ({ edit: { messageId, text } })],
    ['wrapped', (messageId, text) => ({ edit: { messageId, text, wrapped: true } })],
    ['encrypted', (messageId, text) => ({ encryptedEdit: { messageId, text } })],
  ];
  for (const [what, wish] of EDITS) {
    it(`an edit replaces the text (${what})`, async () => {
      for (const side of sides()) {
        for (const write of [chats.fromBob, chats.fromOwner].map((way) => way.bind(chats))) {
          const { messageId: targetId, timestamp } = await write(side, { text: 'helo' });
          const event = await write(side, wish(targetId, 'hello'));
          expect(event).to.deep.include({ type: 'edit', body: 'hello', edit: { targetId, body: 'hello' } });
          if (!side.orgId) continue;
          const row = await chats.row(side, targetId);
          expect(row).to.include({ body: 'hello', sentAt: timestamp, deleted: false });
          expect(row?.extras).to.include({ edited: true });
          expect(row?.extras.editHistory).to.have.lengthOf(1).and.have.nested.property('[0].body', 'helo');
          expect(await chats.row(side, event.messageId)).to.equal(undefined);
        }
      }
    });
  }

  it('an edit changes the caption of a file', async () => {
    const media = { kind: 'image', mimeType: 'image/jpeg', size: 100, caption: 'lok' } as const;
    const { messageId: targetId } = await chats.fromBob(chats.hosted, { media });
    const event = await chats.fromBob(chats.hosted, { edit: { messageId: targetId, text: 'look' } });
    expect(event).to.deep.include({ type: 'edit', edit: { targetId, body: 'look' } });
    expect(await chats.row(chats.hosted, targetId)).to.include({ body: 'look', messageType: 'image' });
  });

  it('a revoke marks the message', async () => {
    for (const side of sides()) {
      for (const write of [chats.fromBob, chats.fromOwner].map((way) => way.bind(chats))) {
        const { messageId: targetId } = await write(side, { text: 'oops' });
        const event = await write(side, { revoke: { messageId: targetId } });
        expect(event).to.deep.include({ type: 'revoke', body: '', revoke: { targetId, byAdmin: false } });
        if (!side.orgId) continue;
        const row = await chats.row(side, targetId);
        expect(row).to.include({ deleted: true });
        expect(row?.extras).to.deep.equal({ revoked: true });
      }
    }
  });

  it('a deleted message disappears from its row, the room, its quotes and the library, and does not count as unread', async () => {
    const side = chats.hosted;
    const api = chats.world.api;
    const room = async () => {
      const { chatRooms } = (await api.get(`/chatrooms?clientId=${side.clientId}`)).body;
      return Array.isArray(chatRooms) && chatRooms.find(({ chatRoomId }) => chatRoomId === side.chatRoomId);
    };
    const files = async () =>
      (await api.get(`/media-files?clientId=${side.clientId}&orgId=${side.orgId}`)).body.files;
    const stays = await chats.fromBob(side, { text: 'stays' });
    await api.post(`/chatrooms/${side.chatRoomId}/read`);
    const media = {
      kind: 'image',
      mimeType: 'image/jpeg',
      size: 100,
      caption: 'the secret picture',
    } as const;
    const picture = await chats.fromBob(side, { media });
    expect((await fetch(String(picture.media?.downloadUrl))).status).to.equal(200);
    const quoting = await chats.fromBob(side, { text: 'see above', quotedMessageId: picture.messageId });
    expect((await chats.row(side, quoting.messageId))?.extras).to.have.nested.property(
      'quoted.body',
      'the secret picture',
    );
    const last = await chats.fromBob(side, { text: 'the last secret' });
    expect(await room()).to.include({ lastMessage: 'the last secret', unreadCount: 3 });
    for (const { messageId } of [last, picture, stays]) await chats.fromBob(side, { revoke: { messageId } });
    // the oldest one had been read
    expect(await room()).to.include({ lastMessage: '', unreadCount: 1 });
    const row = await chats.row(side, picture.messageId);
    expect(row).to.deep.include({ body: '', deleted: true, downloadUrl: '', extras: { revoked: true } });
    expect(row).to.not.have.property('media');
    expect(JSON.stringify(await chats.history(side))).to.not.include('secret');
    expect(JSON.stringify(await files())).to.not.include('the secret picture');
    expect((await fetch(String(picture.media?.downloadUrl))).status).to.equal(404);
  });

  it('edits and deletions by people other than the author are dropped', async () => {
    for (const side of sides()) {
      const { messageId } = await chats.fromOwner(side, { text: 'mine' });
      const key = { remoteJid: side.phone.lid, fromMe: true, id: messageId };
      const forged = [
        { type: 14, key, editedMessage: { conversation: 'yours' } },
        { type: 0, key },
      ].map((protocolMessage) => encoded({ protocolMessage }));
      const ids: string[] = [];
      for (const raw of forged) {
        const written = await chats.world.phones.write(BOB.number, { to: side.phone.number, raw });
        ids.push(written.messageId);
      }
      await chats.fromBob(side, { text: 'after them' });
      for (const id of ids) expect(eventsOf(chats.world.receiver, id)).to.deep.equal([]);
      if (side.orgId) expect(await chats.row(side, messageId)).to.include({ body: 'mine', deleted: false });
    }
  });

  it('an encrypted edit of an unknown message is shown as an encrypted edit', async () => {
    for (const side of sides()) {
      const key = { remoteJid: side.phone.lid, fromMe: true, id: '3EB0000000000000000001' };
      const sealed = { encPayload: new Uint8Array(40), encIv: new Uint8Array(12), targetMessageKey: key };
      const raw = encoded({ secretEncryptedMessage: { ...sealed, secretEncType: 2 } });
      expect(await chats.fromBob(side, { raw })).to.include({ type: 'text', body: '[encrypted edit]' });
    }
  });

  it('changes are applied to messages that were sent through the API', async () => {
    for (const side of sides()) {
      const metaData = { fromAI: true, userId: 7 };
      const targetId = await send(side, '/send-message', { body: 'from the API', metaData });
      await heldByBob(targetId);
      const echo = await eventOf(chats.world.receiver, targetId);
      const meta = { fromAI: true, userId: 7, raw: metaData };
      expect(echo).to.deep.include({ event: 'message.sent', fromMe: true, meta });
      const event = await chats.fromBob(side, { reaction: { messageId: targetId, emoji: '👍' } });
      expect(event.reaction).to.deep.equal({ targetId, targetFromMe: true, emoji: '👍' });
      if (!side.orgId) continue;
      const row = await chats.row(side, targetId);
      expect(row).to.include({ fromAi: true, fromMe: true, body: 'from the API' });
      expect(row?.extras).to.deep.equal({ meta, reactions: { [lidOf(chats.bob)]: '👍' } });
    }
  });

  it('changes made through the API are delivered and stored too', async () => {
    for (const side of sides()) {
      const targetId = await send(side, '/send-message', { body: 'helo' });
      const reactionId = await send(side, '/send-reaction', {
        messageId: targetId,
        emoji: '👍',
        targetFromMe: true,
      });
      const editId = await send(side, '/edit-message', { messageId: targetId, body: 'hello' });
      const told = async (id: string) => eventOf(chats.world.receiver, id);
      expect((await told(reactionId)).reaction).to.deep.equal({ targetId, targetFromMe: true, emoji: '👍' });
      expect((await told(editId)).edit).to.deep.equal({ targetId, body: 'hello' });
      if (!side.orgId) continue;
      const row = await chats.row(side, targetId);
      expect(row).to.include({ body: 'hello' });
      expect(row?.extras).to.deep.include({ edited: true, reactions: { [lidOf(side.phone)]: '👍' } });
    }
  });

  it('a message that a stop interrupted is recorded once, and delivered again', async () => {
    const { world, hosted } = chats;
    world.receiver.respond(silent);
    const { messageId } = await world.phones.write(BOB.number, {
      to: hosted.phone.number,
      text: 'in flight at the stop',
    });
    await eventOf(world.receiver, messageId);
    await world.stopDaemon();
    world.receiver.respond(answering(200));
    await world.startDaemon();
    await reached(world, 'hosted', 'connected');
    await chats.fromBob(hosted, { text: 'after the start' });
    expect(eventsOf(world.receiver, messageId)).to.have.length(2);
    const rows = (await chats.history(hosted)).filter((row) => row.messageId === messageId);
    expect(rows).to.have.length(1);
  });

  it('reading a room sets its unread count to 0', async () => {
    const { chatRoomId } = chats.hosted;
    const unread = async () => (await chats.world.api.get('/chatrooms?clientId=hosted')).body;
    await chats.fromBob(chats.hosted, { text: 'unread' });
    expect(await unread())
      .to.have.nested.property('chatRooms[0].unreadCount')
      .that.is.greaterThan(0);
    const { status, body } = await chats.world.api.post(`/chatrooms/${chatRoomId}/read`);
    expect({ status, body }).to.deep.equal({ status: 200, body: { status: 'ok' } });
    const named = await chats.world.api.post(`/chatrooms/${chatRoomId}/read`, { clientId: 'hosted' });
    expect(named.status, 'clientId in the body').to.equal(200);
    const other = await chats.world.api.post(`/chatrooms/${chatRoomId}/read`, { clientId: 'another' });
    expect(other.status, 'clientId of another session').to.equal(400);
    expect(await unread()).to.have.nested.property('chatRooms[0].unreadCount', 0);
  });

  it('the history is read in pages, backwards, and its limits are validated', async () => {
    const { chatRoomId } = chats.hosted;
    const path = `/chatrooms/${chatRoomId}/messages`;
    const all = await chats.history(chats.hosted);
    const [, second, third] = all.slice(-3);
    const { body } = await chats.world.api.get(`${path}?limit=1&before=${third?.messageId}`);
    expect(body).to.deep.equal({ messages: [second] });
    const status = async (query: string) => (await chats.world.api.get(`${path}?${query}`)).status;
    expect(await status('limit=0')).to.equal(400);
    expect(await status('limit=201')).to.equal(400);
    expect(await status('page=2')).to.equal(400);
    expect(await status('before=nothing')).to.equal(404);
    expect(await status('clientId=hosted')).to.equal(200);
    expect(await status('clientId=plain')).to.equal(400);
  });

  it('rooms belong to their sessions', async () => {
    const { api } = chats.world;
    expect((await api.get('/chatrooms')).status).to.equal(400);
    expect((await api.get('/chatrooms?clientId=nobody')).status).to.equal(404);
    for (const room of ['hosted-1-2', 'nobody-1-2', 'hosted', '%2d']) {
      expect((await api.get(`/chatrooms/${room}/messages`)).status, room).to.equal(404);
      expect((await api.post(`/chatrooms/${room}/read`)).status, room).to.equal(404);
    }
    const secret = 'a secret of its own';
    await api.post('/set-api-secret', { clientId: 'plain', secret });
    const plain = api.as(secret);
    expect((await plain.get('/chatrooms?clientId=plain')).status).to.equal(200);
    expect((await plain.get('/chatrooms?clientId=hosted')).status).to.equal(403);
    expect((await plain.get(`/chatrooms/${chats.hosted.chatRoomId}/messages`)).status).to.equal(403);
    expect((await plain.post(`/chatrooms/${chats.hosted.chatRoomId}/read`)).status).to.equal(403);
  });
});

function encoded(content: proto.IMessage): string {
  return Buffer.from(proto.Message.encode(content).finish()).toString('base64');
}

/** More than the calls that one receiver gets at the same time. */
const CROWD = 40;

describe('a receiver that is slow, down, or answers garbage', () => {
  let world: World;
  let slow: TestReceiver;
  let garbage: GarbageReceiver;
  before(async () => {
    world = await startWorld({ overrides: { stopGraceMs: 100 } });
    await world.phones.addPhone(BOB);
    slow = await startReceiver(silent);
    garbage = await startGarbageReceiver();
  });
  after(async () => {
    await world.stop();
    await slow.stop();
    await garbage.stop();
  });

  it('delays no other session', async () => {
    const down = await startReceiver();
    await down.stop();
    const bad = [
      { clientId: 'slow', number: '+15550000011', url: slow.url },
      { clientId: 'down', number: '+15550000012', url: down.url },
      { clientId: 'garbage', number: '+15550000013', url: garbage.url },
    ];
    for (const { clientId, number, url } of bad) {
      const settings = { webhookUrl: url, pollLookupUrl: slow.url };
      await linkSession(world, clientId, { number, name: clientId }, settings);
    }
    const good = '+15550000014';
    await linkSession(world, 'good', { number: good, name: 'good' });
    const crowd = bad.flatMap(({ number }) => Array.from({ length: CROWD }, () => number));
    await Promise.all(crowd.map((to) => world.phones.write(BOB.number, { to, text: 'into the void' })));
    await slow.received(1);
    await garbage.reached;
    for (let index = 0; index < 5; index++) {
      const { messageId } = await world.phones.write(BOB.number, { to: good, text: `message ${index}` });
      expect(await eventOf(world.receiver, messageId)).to.include({
        clientId: 'good',
        body: `message ${index}`,
      });
      expect(eventsOf(world.receiver, messageId)).to.have.length(1);
    }
    // the deliveries of the slow session are still open
    expect((await openJournals(world)).slow).to.be.greaterThan(0);
  });
});

async function openJournals(world: World): Promise<Record<string, number>> {
  const { body } = await world.api.get('/health/clients');
  const clients: unknown = body.clients;
  if (!Array.isArray(clients)) throw new Error('clients is a list');
  return Object.fromEntries(clients.map(({ clientId, openJournal }) => [clientId, openJournal]));
}

interface GarbageReceiver {
  url: string;
  /** Resolves with the first call. */
  reached: Promise<unknown>;
  stop(): Promise<void>;
}

/** Answers with bytes that are no HTTP. */
async function startGarbageReceiver(): Promise<GarbageReceiver> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.once('data', () => socket.end(randomBytes(1_000)));
  });
  const reached = once(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    reached,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
