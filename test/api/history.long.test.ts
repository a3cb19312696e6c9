import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { ChatRoom, StoredMessage } from '../../src/contract/index.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, nextQr, reached, startWorld, type World } from '../support/world.js';

/** More than one part of a history holds. */
const MANY = 600;
/** Milliseconds between two polls of the history import, which emits no event. */
const COMPLETE = 100;
const SECOND_MS = 1_000;

interface Health {
  clientId: string;
  openJournal: number;
  history?: { progress: number; messages: number };
}

/** Milliseconds that a time lock of the account lasts. */
const LOCK_MS = 600_000;
/** The tokens of the past are read within some milliseconds after the link is up. */

describe('the history of a paired phone, through the API', () => {
  let world: World;
  let clients = 0;

  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await world.phones.addPhone(CAROL);
  });
  after(() => world.stop());

  /** A new number, with a phone that holds nothing yet. */
  async function person(): Promise<string> {
    const number = `+1555100${String(++clients).padStart(4, '0')}`;
    await world.phones.addPhone({ number, name: ALICE.name });
    return number;
  }

  async function begin(clientId: string, orgId: string): Promise<void> {
    const settings = { webhookUrl: world.receiver.url, webhookToken: 'receiver-token' };
    expect((await world.api.post(`/start?clientId=${clientId}`, settings)).status).to.equal(200);
    if (orgId) expect((await world.api.post('/set-org-id', { clientId, orgId })).status).to.equal(200);
  }

  async function pair(clientId: string, number: string, orgId: string): Promise<void> {
    await begin(clientId, orgId);
    await world.phones.scan(number, await nextQr(world, clientId));
    await reached(world, clientId, 'connected');
  }

  async function health(clientId: string): Promise<Health> {
    const { clients } = (await world.api.get('/health/clients')).body;
    const rows: Health[] = Array.isArray(clients) ? clients : [];
    const row = rows.find((each) => each.clientId === clientId);
    if (!row) throw new Error(`${clientId} has no row`);
    return row;
  }

  const imported = (clientId: string, holds: (history: Health['history']) => boolean) =>
    until('the import of the history', async () => holds((await health(clientId)).history));
  const taken = (clientId: string) => imported(clientId, (history) => history?.progress === COMPLETE);

  async function roomsOf(clientId: string): Promise<ChatRoom[]> {
    const { chatRooms: rooms } = (await world.api.get(`/chatrooms?clientId=${clientId}`)).body;
    return Array.isArray(rooms) ? rooms : [];
  }

  async function messagesOf(chatRoomId: string, query = ''): Promise<StoredMessage[]> {
    const { messages } = (await world.api.get(`/chatrooms/${chatRoomId}/messages${query}`)).body;
    return Array.isArray(messages) ? messages : [];
  }

  async function write(from: string, to: string, text: string): Promise<string> {
    const { messageId } = await world.phones.write(from, { to, text });
    await world.phones.waitForMessage(to, (message) => message.messageId === messageId);
    return messageId;
  }

  const told = (clientId: string) =>
    world.tail.entries.filter(
      (entry) => entry.kind === 'event' && entry.clientId === clientId && 'messageId' in entry.event,
    );

  it('the history appears in the inbox with its later changes, when the workspace was set before the pairing', async () => {
    const alice = await person();
    const asked = await write(BOB.number, alice, 'How are you?');
    await world.phones.read(alice, [asked]);
    const answered = await write(alice, BOB.number, 'Fine');
    await world.phones.write(BOB.number, { to: alice, reaction: { messageId: answered, emoji: '👍' } });
    await world.phones.waitForChange(alice, ({ targetId }) => targetId === answered);
    const gone = await write(CAROL.number, alice, 'Oops');
    await world.phones.write(CAROL.number, { to: alice, revoke: { messageId: gone } });
    await world.phones.waitForChange(alice, ({ targetId }) => targetId === gone);
    const open = await write(CAROL.number, alice, 'Anybody?');

    await pair('past1', alice, 'workspace1');
    await taken('past1');

    const [bob, carol] = await Promise.all([BOB, CAROL].map(({ number }) => world.phones.phone(number)));
    const rooms = await roomsOf('past1');
    expect(rooms.map(({ clientLid }) => `${clientLid}@lid`)).to.have.members([bob?.lid, carol?.lid]);
    const withBob = rooms.find(({ remoteJid }) => remoteJid === bob?.lid);
    const withCarol = rooms.find(({ remoteJid }) => remoteJid === carol?.lid);
    expect(withBob).to.include({ name: 'Bob', lastMessage: 'Fine', lastMessageFromMe: true, unreadCount: 0 });
    expect(withCarol).to.include({ name: 'Carol', lastMessage: 'Anybody?', unreadCount: 2 });
    const talk = await messagesOf(withBob?.chatRoomId ?? '');
    expect(talk.map(({ messageId, body, fromMe }) => [messageId, body, fromMe])).to.deep.equal([
      [asked, 'How are you?', false],
      [answered, 'Fine', true],
    ]);
    const shown = await messagesOf(withBob?.chatRoomId ?? '', '?status=true');
    expect(shown.map(({ status }) => status)).to.deep.equal([undefined, 'delivered']);
    expect(talk[0]).to.include({ pushname: 'Bob', messageType: 'chat', clientId: 'past1' });
    expect(talk[1]?.extras).to.deep.equal({ reactions: { [bob?.lid.split('@')[0] ?? '']: '👍' } });
    const calls = await messagesOf(withCarol?.chatRoomId ?? '');
    expect(calls.map(({ messageId, body, deleted }) => [messageId, body, deleted])).to.deep.equal([
      [gone, '', true],
      [open, 'Anybody?', false],
    ]);
    expect((await health('past1')).history).to.deep.equal({ progress: COMPLETE, messages: 4 });
  });

  it('the history is never sent to receivers, and each later message is delivered once', async () => {
    const alice = await person();
    await write(BOB.number, alice, 'before');
    await pair('past2', alice, 'workspace1');
    await taken('past2');
    const messageId = await write(BOB.number, alice, 'after');
    await world.tail.next(
      (entry) => entry.kind === 'attempt' && entry.clientId === 'past2' && entry.messageId === messageId,
    );
    expect(told('past2')).to.have.length(1);
    const [room] = await roomsOf('past2');
    expect((await messagesOf(room?.chatRoomId ?? '')).map(({ body }) => body)).to.deep.equal([
      'before',
      'after',
    ]);
    expect(room).to.include({ lastMessage: 'after', unreadCount: 2 });
  });

  it('the history is ignored without a workspace, also when one is set later', async () => {
    const alice = await person();
    await write(BOB.number, alice, 'before');
    await pair('past3', alice, '');
    await world.api.post('/set-org-id', { clientId: 'past3', orgId: 'workspace1' });
    const messageId = await write(BOB.number, alice, 'after');
    await world.tail.next(
      (entry) => entry.kind === 'attempt' && entry.clientId === 'past3' && entry.messageId === messageId,
    );
    const [room] = await roomsOf('past3');
    expect((await messagesOf(room?.chatRoomId ?? '')).map(({ body }) => body)).to.deep.equal(['after']);
    expect(await health('past3')).to.not.have.property('history');
  });

  it('provides tokens to a session without a workspace, so that restricted accounts reach old chats', async () => {
    const alice = await person();
    const friends = [BOB.number, await person(), await person()];
    for (const friend of friends) await write(friend, alice, 'before');
    await pair('past7', alice, '');
    await world.phones.fault({ kind: 'reachout-lock', number: alice, ms: LOCK_MS });
    const send = (to: string) =>
      world.api.post('/send-message', { clientId: 'past7', to, body: 'still here?' });
    await until('the token of Bob', async () => (await send(BOB.number)).status === 200);
    for (const friend of friends) expect((await send(friend)).status).to.equal(200);
    const refusal = await send(CAROL.number);
    expect(refusal.status).to.equal(502);
    expect(refusal.headers.get('x-sn-error')).to.equal('send_rejected');
    expect(refusal.body.error).to.match(/\(463\): it has restricted this account .* until \d{4}-\d\d-\d\dT/);
    await world.phones.clearFaults();
  });

  it('resumes with the same part when the daemon restarts in the middle', async () => {
    const alice = await person();
    const texts = Array.from({ length: MANY }, (_, index) => `no ${index}`);
    for (const text of texts.slice(0, -2)) await world.phones.write(alice, { to: BOB.number, text });
    // of more than 200 messages in one second the newest one is not known, because a history has whole seconds
    await pause(SECOND_MS - (Date.now() % SECOND_MS));
    for (const text of texts.slice(-2)) await write(BOB.number, alice, text);
    await pair('past4', alice, 'workspace1');
    await imported('past4', (history) => (history?.messages ?? 0) > 0);
    await world.restartDaemon();
    await reached(world, 'past4', 'connected');
    await taken('past4');
    const [room] = await roomsOf('past4');
    expect(room).to.include({ lastMessage: texts.at(-1), unreadCount: 2 });
    const bodies: string[] = [];
    for (let page = await messagesOf(room?.chatRoomId ?? ''); page.length > 0; ) {
      bodies.unshift(...page.map(({ body }) => body));
      page = await messagesOf(room?.chatRoomId ?? '', `?before=${page[0]?.messageId}`);
    }
    expect(bodies).to.have.length(MANY);
    expect(bodies).to.have.members(texts);
    expect(told('past4')).to.deep.equal([]);
  });

  it('adds only the missing messages when a number is linked again', async () => {
    const alice = await person();
    await write(BOB.number, alice, 'first');
    await pair('past5', alice, 'workspace1');
    await taken('past5');
    const [room] = await roomsOf('past5');
    await world.api.post(`/chatrooms/${room?.chatRoomId}/read`);
    await world.phones.unlink(alice);
    await reached(world, 'past5', 'logged_out');
    await write(BOB.number, alice, 'second');
    await pair('past5', alice, '');
    await taken('past5');
    const bodies = (await messagesOf(room?.chatRoomId ?? '')).map(({ body }) => body);
    expect(bodies).to.deep.equal(['first', 'second']);
    expect((await roomsOf('past5'))[0]).to.include({ unreadCount: 1 });
    expect((await health('past5')).history).to.deep.equal({ progress: COMPLETE, messages: 1 });
  });

  it('is no longer imported once the session is disconnected', async () => {
    const alice = await person();
    for (let index = 0; index < MANY / 2; index++) {
      await world.phones.write(alice, { to: BOB.number, text: `no ${index}` });
    }
    await pair('past6', alice, 'workspace1');
    await imported('past6', (history) => (history?.messages ?? 0) > 0);
    expect((await world.api.post('/disconnect?clientId=past6', {})).status).to.equal(200);
    expect((await world.api.get('/chatrooms?clientId=past6')).status).to.equal(404);
    await begin('past6', 'workspace1');
    expect(await roomsOf('past6')).to.deep.equal([]);
  });
});
