import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { WriteRequest } from '../../../../src/client/sandbox/client.js';
import type { RawSettings } from '../../../../src/gateway/config/schema.js';
import { DaemonClient } from '../../../../src/terminal/cli/client.js';
import { createInboxModel } from '../../../../src/terminal/cli/inbox/inbox.js';
import type { InboxModel, MessageItem } from '../../../../src/terminal/cli/inbox/model.js';
import {
  ALICE,
  BOB,
  CAROL,
  linkSession,
  nextQr,
  startWorld,
  TOKEN,
  type World,
} from '../../../support/world.js';
import { bodies, found, shown, until } from './support/watched.js';

describe('the inbox model', () => {
  /** A restarted daemon comes back at the address that it had. */
  const settings: RawSettings = {};
  let world: World;
  let model: InboxModel;

  before(async () => {
    world = await startWorld({ settings });
    settings.port = Number(new URL(world.daemon.url).port);
    await world.phones.addPhone(BOB);
    await world.phones.addPhone(CAROL);
    await linkSession(world, 'acme', ALICE);
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
    await fromBob({ text: 'the first word' });
    model = createInboxModel(new DaemonClient({ url: world.daemon.url, token: TOKEN }));
  });
  after(async () => {
    model.close();
    await world.stop();
  });

  const fromBob = (wish: Omit<WriteRequest, 'to'>) =>
    world.phones.write(BOB.number, { ...wish, to: ALICE.number });
  const roomOf = (name: string) => found(model, ({ rooms }) => rooms.find((room) => room.name === name));
  const open = async (name: string) => {
    model.openRoom((await roomOf(name)).chatRoomId);
    await until(model, ({ conversation }) => conversation?.loading === false);
  };
  const own = (body: string, fits: (message: MessageItem) => boolean = () => true) =>
    found(model, ({ conversation }) =>
      conversation?.messages.find((message) => message.fromMe && message.body === body && fits(message)),
    );
  const bobHolds = (text: string) =>
    world.phones.waitForMessage(BOB.number, (message) => message.text === text);

  it('shows the sessions, and the rooms of one that is connected', async () => {
    const state = await until(model, ({ loadingRooms, rooms }) => !loadingRooms && rooms.length > 0);
    expect(state.connection).to.deep.equal({ state: 'open' });
    expect(state.clientId).to.equal('acme');
    expect(state.sessions).to.have.lengthOf(1);
    expect(state.sessions[0]).to.include({ status: 'connected', reason: '', orgId: 'workspace1' });
    expect(state.rooms[0]).to.include({
      name: 'Bob',
      isGroup: false,
      lastMessage: 'the first word',
      unreadCount: 1,
    });
  });

  it('opens a conversation, and resets its unread count here and in the store', async () => {
    await open('Bob');
    expect(bodies(model.state)).to.deep.equal(['the first word']);
    const [message] = model.state.conversation?.messages ?? [];
    expect(message).to.deep.include({
      type: 'chat',
      fromMe: false,
      author: 'Bob',
      tick: undefined,
      reactions: [],
    });
    await until(model, ({ rooms }) => rooms[0]?.unreadCount === 0);
    await world.tail.until(
      () => true,
      async () =>
        JSON.stringify((await world.api.get('/chatrooms?clientId=acme')).body).includes('"unreadCount":0'),
    );
    expect(model.state.conversation?.hasOlder).to.equal(false);
  });

  it('shows arriving messages in the conversation and in the room', async () => {
    const { messageId } = await fromBob({ text: 'line one\nline two\u001b[2J\u202e' });
    expect((await shown(model, messageId)).body).to.equal('line one\nline two[2J');
    await until(model, ({ rooms }) => rooms[0]?.lastMessage === 'line one ⏎ line two[2J');
  });

  it('shows a sent text at once, then as a message with its status', async () => {
    const sending = model.send('on its way');
    expect(model.state.outgoing.map(({ label }) => label)).to.deep.equal(['on its way']);
    expect(await sending).to.equal(true);
    await until(model, ({ outgoing }) => outgoing.length === 0);
    await own('on its way');
    await bobHolds('on its way');
  });

  it('shows the status of an own message', async () => {
    await model.send('did you get this?');
    const { messageId } = await own('did you get this?');
    await bobHolds('did you get this?');
    await shown(model, messageId, ({ tick }) => tick === 'delivered');
    await world.phones.read(BOB.number, [messageId]);
    await shown(model, messageId, ({ tick }) => tick === 'read');
  });

  it('sends several texts in the order in which they were written', async () => {
    await Promise.all(['one', 'two', 'three'].map((text) => model.send(text)));
    await until(model, ({ outgoing }) => outgoing.length === 0);
    expect(bodies(model.state).slice(-3)).to.deep.equal(['one', 'two', 'three']);
  });

  it('replies, and names the quoted person', async () => {
    const { messageId } = await fromBob({ text: 'lunch?' });
    await shown(model, messageId);
    expect(await model.send('at noon', { quotedMessageId: messageId })).to.equal(true);
    const reply = await own('at noon');
    expect(reply.quoted).to.deep.equal({ author: 'Bob', body: 'lunch?' });
    const answer = await fromBob({ text: 'fine', quotedMessageId: reply.messageId });
    expect((await shown(model, answer.messageId)).quoted).to.deep.equal({ author: 'You', body: 'at noon' });
  });

  it('reacts, and removes the reaction', async () => {
    const { messageId } = await fromBob({ text: 'good news' });
    await shown(model, messageId);
    expect(await model.react(messageId, '🎉')).to.equal(true);
    await shown(model, messageId, ({ reactions }) =>
      reactions.some(({ emoji, mine }) => emoji === '🎉' && mine),
    );
    expect(await model.react(messageId, '')).to.equal(true);
    await shown(model, messageId, ({ reactions }) => reactions.length === 0);
  });

  it('shows reactions of others', async () => {
    await model.send('how is this?');
    const { messageId } = await own('how is this?');
    await bobHolds('how is this?');
    await fromBob({ reaction: { messageId, emoji: '👍' } });
    const { reactions } = await shown(model, messageId, (message) => message.reactions.length > 0);
    expect(reactions).to.deep.equal([{ emoji: '👍', count: 1, mine: false }]);
  });

  it('edits an own message, and shows edits of others', async () => {
    await model.send('tpyo');
    const { messageId } = await own('tpyo');
    expect(await model.edit(messageId, 'typo')).to.equal(true);
    await shown(model, messageId, ({ body, edited }) => body === 'typo' && edited);
    const theirs = await fromBob({ text: 'at nine' });
    await shown(model, theirs.messageId);
    await fromBob({ edit: { messageId: theirs.messageId, text: 'at ten' } });
    await shown(model, theirs.messageId, ({ body, edited }) => body === 'at ten' && edited);
  });

  it('deletes an own message for everyone, and a message of another person for the own account', async () => {
    await model.send('not for you');
    const { messageId } = await own('not for you');
    expect(await model.remove(messageId)).to.equal(true);
    await shown(model, messageId, ({ deleted }) => deleted);
    await world.phones.waitForMessage(
      BOB.number,
      (message) => message.messageId === messageId && message.revoked,
    );
    const theirs = await fromBob({ text: 'spam' });
    await shown(model, theirs.messageId);
    expect(await model.remove(theirs.messageId)).to.equal(true);
    await until(model, (state) => !bodies(state).includes('spam'));
  });

  it('sends a file with its progress', async () => {
    const path = join(world.dataDir, 'the menu.pdf');
    await writeFile(path, Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(300_000)]));
    const seen: number[] = [];
    const end = model.subscribe(() =>
      seen.push(...model.state.outgoing.map(({ progress }) => progress?.sent ?? 0)),
    );
    expect(await model.sendFile(path, { caption: 'today' })).to.equal(true);
    end();
    expect(Math.max(...seen)).to.equal(300_009);
    const { attachment } = await own('today', (message) => message.attachment?.url !== '');
    expect(attachment).to.include({ mediaType: 'document', fileName: 'the menu.pdf', size: 300_009 });
    await until(model, ({ outgoing }) => outgoing.length === 0);
  });

  it('reports a missing file, and sends nothing', async () => {
    expect(await model.sendFile('/nowhere/x.pdf')).to.equal(false);
    expect(model.state.notice).to.deep.include({ level: 'error', text: '/nowhere/x.pdf cannot be read' });
    expect(model.state.outgoing).to.deep.equal([]);
    model.dismissNotice();
    expect(model.state.notice).to.equal(undefined);
  });

  it('reports a text that could not be sent', async () => {
    await world.phones.fault({ kind: 'reject-sends', count: 1 });
    expect(await model.send('refused')).to.equal(false);
    expect(model.state.outgoing).to.deep.equal([]);
    expect(model.state.notice?.level).to.equal('error');
    expect(model.state.notice?.suggestions).to.not.deep.equal([]);
  });

  it('shows polls, locations and contacts as text', async () => {
    const ids = await Promise.all([
      fromBob({ poll: { name: 'Lunch?', options: ['Soup', 'Salad'] } }),
      fromBob({ location: { latitude: 52.5, longitude: 13.4, name: 'Office', address: 'Main St 1' } }),
      fromBob({ contact: { displayName: 'Ada', phone: '+15550009999' } }),
    ]);
    const texts = await Promise.all(ids.map(async ({ messageId }) => (await shown(model, messageId)).body));
    expect(texts).to.deep.equal([
      'Lunch?\n○ Soup\n○ Salad',
      'Office\nMain St 1\n52.5, 13.4',
      'Ada +15550009999',
    ]);
  });

  it('sends read receipts on request', async () => {
    const { messageId } = await fromBob({ text: 'read me' });
    await shown(model, messageId);
    expect(await model.markRead()).to.equal(true);
    await world.phones.waitForMessage(
      BOB.number,
      (message) => message.messageId === messageId && Object.values(message.receipts).includes('read'),
    );
  });

  it('starts a conversation by its first message, and opens it', async () => {
    expect(await model.startChat(CAROL.number, 'hello Carol')).to.equal(true);
    await until(model, (state) => bodies(state).includes('hello Carol'));
    expect(model.state.rooms[0]).to.include({ lastMessage: 'hello Carol', lastMessageFromMe: true });
    await world.phones.waitForMessage(CAROL.number, (message) => message.text === 'hello Carol');
  });

  it('finds rooms by any of their words, whatever their case', async () => {
    expect(model.findRooms('HELLO carol').map(({ lastMessage }) => lastMessage)).to.deep.equal([
      'hello Carol',
    ]);
    expect(model.findRooms('bób').map(({ name }) => name)).to.deep.equal(['Bob']);
    expect(model.findRooms('nobody')).to.deep.equal([]);
  });

  it('shows groups without events, and the authors of their messages', async () => {
    const group = await world.phones.groups.create(BOB.number, {
      subject: 'The team',
      participants: [ALICE.number, CAROL.number],
    });
    await world.phones.write(CAROL.number, { to: group.jid, text: 'hello team' });
    await open('The team');
    const { messageId } = await world.phones.write(BOB.number, { to: group.jid, text: 'welcome' });
    expect(await shown(model, messageId)).to.include({ body: 'welcome', author: 'Bob' });
    expect(model.state.conversation?.messages[0]).to.include({ body: 'hello team', author: 'Carol' });
  });

  it('misses no message while the daemon is restarted', async () => {
    await open('Bob');
    await world.stopDaemon();
    await until(model, ({ connection }) => connection.state === 'reconnecting');
    expect(await model.send('nobody there')).to.equal(false);
    expect(model.state.notice?.suggestions.join()).to.contain('switchboard start');
    const { messageId } = await fromBob({ text: 'while you were away' });
    await world.startDaemon();
    await shown(model, messageId);
    await until(model, ({ sessions }) => sessions[0]?.status === 'connected');
    expect(model.state.connection).to.deep.equal({ state: 'open' });
    expect(await model.send('back again')).to.equal(true);
    await bobHolds('back again');
  });

  it('shows a session that is paired by another client, and hides its rooms without a workspace', async () => {
    const dave = { number: '+15550000004', name: 'Dave' };
    await world.phones.addPhone(dave);
    await world.api.post('/start?clientId=newone');
    const qr = await nextQr(world, 'newone');
    await until(model, ({ sessions }) => sessions.some(({ status }) => status === 'qr'));
    await world.phones.scan(dave.number, qr);
    const session = await found(model, ({ sessions }) =>
      sessions.find(({ clientId, jid, status }) => clientId === 'newone' && jid && status === 'connected'),
    );
    expect(session).to.include({ status: 'connected', orgId: '' });
    model.selectSession('newone');
    expect(model.state).to.include({ clientId: 'newone', loadingRooms: true, conversation: undefined });
    expect((await until(model, ({ loadingRooms }) => !loadingRooms)).rooms).to.deep.equal([]);
    expect(await model.keepHistory('newone', 'workspace2')).to.equal(true);
    expect(model.state.sessions.find(({ clientId }) => clientId === 'newone')?.orgId).to.equal('workspace2');
    await world.phones.write(BOB.number, { to: dave.number, text: 'are you there?' });
    expect(await roomOf('Bob')).to.include({ lastMessage: 'are you there?' });
  });

  it('shows only its own session with an API secret', async () => {
    const secret = 'a-secret-of-at-least-16';
    await world.api.post('/set-api-secret', { clientId: 'newone', secret });
    const guest = createInboxModel(new DaemonClient({ url: world.daemon.url, token: secret }));
    const { sessions, clientId } = await until(guest, ({ rooms }) => rooms.length > 0);
    expect(sessions.map((session) => session.clientId)).to.deep.equal(['newone']);
    expect(clientId).to.equal('newone');
    const arrived = until(guest, ({ rooms }) => rooms[0]?.lastMessage === 'a guest is here');
    await world.phones.write(BOB.number, { to: '+15550000004', text: 'a guest is here' });
    await arrived;
    expect(guest.state.notice).to.equal(undefined);
    guest.close();
  });
});
