import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { reason, toFields } from '../../../../src/domain/reasons.js';
import { DaemonClient } from '../../../../src/terminal/cli/client.js';
import { createInboxModel } from '../../../../src/terminal/cli/inbox/inbox.js';
import type { InboxModel } from '../../../../src/terminal/cli/inbox/model.js';
import { makeTempDir } from '../../../support/temp-dir.js';
import { statusEvent, textEvent } from '../support/entries.js';
import { FakeDaemon } from '../support/fake-daemon.js';
import { FakeHistory } from './support/fake-history.js';
import { bodies, found, shown, until } from './support/watched.js';

describe('the inbox model, live', () => {
  let daemon: FakeDaemon;
  let history: FakeHistory;
  let model: InboxModel;
  let chatRoomId: string;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    history = new FakeHistory(daemon, ['acme', 'beta']);
    chatRoomId = history.addRoom('200', 3);
    model = createInboxModel(new DaemonClient({ url: daemon.url, token: 't' }), { clientId: 'acme' });
  });
  afterEach(async () => {
    model.close();
    await daemon.stop();
  });

  const ready = () =>
    until(model, ({ rooms, sessions, connection }) => {
      return rooms.length > 0 && sessions.length > 0 && connection.state === 'open';
    });
  const open = async () => {
    await ready();
    model.openRoom(chatRoomId);
    await until(model, ({ conversation }) => conversation?.loading === false);
  };

  it('loads a room a few times for thousands of signals, and shows every message', async () => {
    await open();
    const path = `/chatrooms/${chatRoomId}/messages`;
    const before = { rooms: daemon.callsOf('/chatrooms').length, messages: daemon.callsOf(path).length };
    for (let count = 0; count < 3_000; count += 1) {
      const { messageId } = history.add(chatRoomId);
      daemon.signal({ clientId: 'acme', chatRoomId, messageId });
    }
    await shown(model, 'm3003');
    await until(model, ({ rooms }) => rooms[0]?.lastMessage === 'message 3003');
    expect(daemon.callsOf('/chatrooms').length - before.rooms).to.be.lessThan(50);
    expect(daemon.callsOf(path).length - before.messages).to.be.lessThan(100);
    expect(model.state.conversation?.messages.length).to.be.at.most(2_000);
  });

  it('saves a file for its owner only, replaces no file, and leaves nothing of an interrupted download', async () => {
    const folder = await makeTempDir();
    const files = createServer((request, response) => {
      response.writeHead(200, { 'content-length': 4 });
      if (request.url === '/whole') response.end('text');
      else response.write('te', () => response.destroy());
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    const address = files.address();
    const url = `http://127.0.0.1:${address instanceof Object ? address.port : 0}`;
    const path = join(folder.path, 'saved');
    try {
      expect(await model.saveFile(`${url}/broken`, path)).to.equal(false);
      expect(await readdir(folder.path)).to.deep.equal([]);
      expect(await model.saveFile(`${url}/whole`, path)).to.equal(true);
      expect((await stat(path)).mode & 0o777).to.equal(0o600);
      expect(await model.saveFile(`${url}/whole`, path)).to.equal(false);
      expect(model.state.notice?.text).to.contain('exists already');
      expect(await readFile(path, 'utf8')).to.equal('text');
      expect(await readdir(folder.path)).to.deep.equal(['saved']);
    } finally {
      files.closeAllConnections();
      files.close();
      await folder.remove();
    }
  });

  it('shows the link of a file where no desktop can open it, such as through SSH', async () => {
    const { SSH_CONNECTION: before } = process.env;
    process.env.SSH_CONNECTION = '192.0.2.1 50000 192.0.2.2 22';
    try {
      await model.openFile(`${daemon.url}/media/abc/photo.jpg`);
    } finally {
      if (before === undefined) delete process.env.SSH_CONNECTION;
      else process.env.SSH_CONNECTION = before;
    }
    const url = `${daemon.url}/media/abc/photo.jpg`;
    expect(model.state.notice).to.include({ level: 'warning', text: url, link: url });
  });

  it('loads nothing for rooms of other sessions, and no messages of closed rooms', async () => {
    await open();
    const path = `/chatrooms/${chatRoomId}/messages`;
    const other = history.addRoom('300', 1);
    const [messages, rooms] = [daemon.callsOf(path).length, daemon.callsOf('/chatrooms').length];
    daemon.signal({ clientId: 'beta', chatRoomId: 'beta-100-200', messageId: 'x' });
    daemon.signal({ clientId: 'acme', chatRoomId: other, messageId: 'm1' });
    await until(model, (state) => state.rooms.length === 2);
    expect(daemon.callsOf(path)).to.have.lengthOf(messages);
    // one load can be in flight
    expect(daemon.callsOf('/chatrooms').length).to.be.within(rooms + 1, rooms + 2);
  });

  it('shows a last message without text, and loads it once', async () => {
    const path = `/chatrooms/${chatRoomId}/messages`;
    const media = {
      mimeType: 'application/pdf',
      mediaType: 'document',
      fileName: 'menu\u001b[2J.pdf',
      fileSize: 35_000,
    };
    await ready();
    const file = history.add(chatRoomId, { body: '', messageType: 'document', media });
    daemon.signal({ clientId: 'acme', chatRoomId, messageId: file.messageId });
    const { last } = await found(model, ({ rooms }) => rooms.find((room) => room.last));
    expect(last?.attachment).to.include({ mediaType: 'document', fileName: 'menu[2J.pdf' });
    const read = daemon.callsOf(path).length;
    daemon.signal({ clientId: 'acme', chatRoomId: history.addRoom('300', 1), messageId: 'm1' });
    await until(model, ({ rooms }) => rooms.length === 2 && rooms.some((room) => room.last));
    expect(daemon.callsOf(path)).to.have.lengthOf(read);
    history.messages(chatRoomId).splice(-1, 1, { ...file, deleted: true });
    daemon.signal({ clientId: 'acme', chatRoomId, messageId: file.messageId });
    await until(model, ({ rooms }) => rooms.some((room) => room.last?.deleted));
  });

  it('shows the phone number of a LID once an event or a group message contains it', async () => {
    await ready();
    expect(model.state.rooms[0]).to.include({ to: '200@lid', phone: '' });
    daemon.publish(textEvent({ remoteJid: '200@lid', remotePhone: '+15550000002' }));
    await until(model, ({ rooms }) => rooms[0]?.phone === '+15550000002');
    expect(model.findRooms('+15550000002')).to.have.lengthOf(1);
    const group = { participant: '300@lid', participantPhone: '+15550000003' };
    history.add(chatRoomId, { extras: { group } });
    daemon.signal({ clientId: 'acme', chatRoomId: history.addRoom('300', 1), messageId: 'm1' });
    model.openRoom(chatRoomId);
    await until(model, ({ rooms }) => rooms[1]?.phone === '+15550000003');
  });

  it('reconnects, and shows what it missed', async () => {
    await open();
    await daemon.stop();
    const { connection } = await until(model, (state) => state.connection.state === 'reconnecting');
    expect(connection).to.have.property('reason').that.is.not.equal('');
    history.add(chatRoomId, { body: 'while you were away' });
    await daemon.listen();
    await until(model, (state) => bodies(state).includes('while you were away'));
    const { rooms } = await until(model, (state) => state.rooms[0]?.lastMessage === 'while you were away');
    expect(rooms[0]).to.include({ unreadCount: 0 });
    expect(model.state.connection).to.deep.equal({ state: 'open' });
  });

  it('clears the notice of a failure after the next action', async () => {
    await open();
    daemon.on('POST /send-message', { messageId: 'm9' });
    expect(await model.sendFile('/there/is/no/such/file')).to.equal(false);
    expect(model.state.notice?.text).to.contain('cannot be read');
    expect(await model.send('something else')).to.equal(true);
    expect(model.state.notice).to.equal(undefined);
  });

  it('reports that the daemon is unavailable until it is back', async () => {
    await open();
    await daemon.stop();
    await until(model, ({ connection }) => connection.state === 'reconnecting');
    expect(await model.send('hello?')).to.equal(false);
    expect(model.state.notice?.text).to.contain('cannot be reached');
    await daemon.listen();
    await until(model, ({ connection, notice }) => connection.state === 'open' && notice === undefined);
  });

  it('shows the newly selected session after a reconnect', async () => {
    const other = history.addRoom('900', 1, 'beta');
    await open();
    await daemon.stop();
    await until(model, ({ connection }) => connection.state === 'reconnecting');
    model.selectSession('beta');
    expect(model.state).to.deep.include({
      clientId: 'beta',
      rooms: [],
      loadingRooms: true,
      conversation: undefined,
    });
    await daemon.listen();
    const room = await found(model, ({ rooms }) => rooms[0]);
    expect(room.chatRoomId).to.equal(other);
    expect(model.state.notice).to.equal(undefined);
  });

  it('connects once an absent daemon starts', async () => {
    model.close();
    await daemon.stop();
    model = createInboxModel(new DaemonClient({ url: daemon.url, token: 't' }));
    await until(model, ({ connection }) => connection.state === 'reconnecting');
    await daemon.listen();
    await ready();
    expect(model.state.clientId).to.equal('acme');
  });

  it('reports why the token is refused', async () => {
    await ready();
    daemon.token = 'another';
    daemon.cutStreams();
    const notice = await found(model, (state) => state.notice);
    expect(notice).to.include({ level: 'error', text: 'no or wrong token' });
    expect(notice.suggestions).to.not.deep.equal([]);
  });

  it('shows changes of sessions as they happen', async () => {
    await ready();
    daemon.publish(statusEvent('reconnecting', 'connected', 'the network\u001b[31m cannot be reached'));
    const session = await found(model, ({ sessions }) =>
      sessions.find(({ status }) => status === 'reconnecting'),
    );
    expect(session).to.include({ clientId: 'acme', reason: 'the network[31m cannot be reached' });
  });

  it('names commands, not routes, in the reason of a session', async () => {
    await ready();
    daemon.publish(statusEvent('initializing', 'qr', toFields(reason('qr_expired'), 'acme')));
    const session = await found(model, ({ sessions }) =>
      sessions.find(({ status }) => status === 'initializing'),
    );
    expect(session.reason).to.contain('Run `switchboard pair acme` for new QR codes.');
  });

  it('shows another session when the shown one is deleted', async () => {
    await ready();
    daemon.on('GET /clients', {
      clients: [{ clientId: 'beta', jid: '100@lid', orgId: 'w', status: 'connected' }],
    });
    daemon.on('GET /chatrooms', ({ query }) => {
      if (query.get('clientId') === 'beta') return { body: { chatRooms: [] } };
      return { status: 404, body: { error: 'unknown clientId acme' } };
    });
    daemon.signal({ clientId: 'acme', chatRoomId: '' });
    const state = await until(model, ({ clientId, loadingRooms }) => clientId === 'beta' && !loadingRooms);
    expect(state.rooms).to.deep.equal([]);
  });

  it('follows a room that gets another id', async () => {
    await open();
    const moved = history.addRoom('201', 0);
    for (const row of history.messages(chatRoomId)) history.add(moved, { body: row.body });
    daemon.signal({ clientId: 'acme', chatRoomId: moved, formerId: chatRoomId });
    const { messageId } = history.add(moved, { body: 'in the new room' });
    await shown(model, messageId);
    expect(model.state.conversation?.chatRoomId).to.equal(moved);
    daemon.on('POST /send-message', ({ body }) => ({ body: { status: 'sent', messageId: String(body.to) } }));
    await until(model, ({ rooms }) => rooms.some((room) => room.chatRoomId === moved));
    await model.send('hello');
    expect(daemon.callsOf('/send-message')[0]?.body.to).to.equal('201@lid');
  });

  it('retries after a lost answer, with the same key', async () => {
    await open();
    let calls = 0;
    daemon.on('POST /send-message', () => {
      calls += 1;
      if (calls === 1) daemon.cutConnections();
      return { body: { status: 'sent', messageId: 'own' } };
    });
    const sending = model.send('only once');
    expect(model.state.outgoing).to.have.lengthOf(1);
    expect(await sending).to.equal(true);
    const keys = daemon.callsOf('/send-message').map(({ headers }) => headers['idempotency-key']);
    expect(keys).to.have.lengthOf(2);
    expect(new Set(keys).size).to.equal(1);
  });

  it('reuses the key for the same text after a lost answer', async () => {
    await open();
    daemon.on('POST /send-message', () => {
      daemon.cutConnections();
      return { body: {} };
    });
    expect(await model.send('perhaps')).to.equal(false);
    expect(model.state.notice?.text).to.contain('may have been sent');
    daemon.on('POST /send-message', { status: 'sent', messageId: 'own' });
    expect(await model.send('perhaps')).to.equal(true);
    expect(await model.send('perhaps')).to.equal(true);
    const keys = daemon.callsOf('/send-message').map(({ headers }) => headers['idempotency-key']);
    expect(keys.slice(0, 3)).to.deep.equal([keys[0], keys[0], keys[0]]);
    expect(keys[3]).to.not.equal(keys[0]);
  });

  it('notifies no listener after close', async () => {
    await open();
    let told = 0;
    model.subscribe(() => {
      told += 1;
    });
    const { state } = model;
    model.close();
    daemon.signal({ clientId: 'acme', chatRoomId: '' });
    expect(await model.send('too late')).to.equal(false);
    expect(daemon.callsOf('/send-message')).to.deep.equal([]);
    expect(told).to.equal(0);
    expect(model.state).to.equal(state);
  });
});
