import { expect } from 'chai';
import { DaemonClient } from '../../../src/cli/client.js';
import { createInboxModel } from '../../../src/cli/inbox/create-inbox-model.js';
import type { InboxModel } from '../../../src/cli/inbox/model.js';
import { FakeDaemon } from '../support/fake-daemon.js';
import { FakeHistory } from './support/fake-history.js';
import { bodies, shown, until } from './support/watched.js';

describe('the terminal inbox with long conversations', () => {
  let daemon: FakeDaemon;
  let history: FakeHistory;
  let model: InboxModel;
  let chatRoomId: string;

  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    history = new FakeHistory(daemon);
  });
  afterEach(async () => {
    model.close();
    await daemon.stop();
  });

  const open = async (count: number) => {
    chatRoomId = history.addRoom('200', count);
    model = createInboxModel(new DaemonClient({ url: daemon.url, token: 't' }));
    await until(model, ({ rooms, connection }) => rooms.length > 0 && connection.state === 'open');
    model.openRoom(chatRoomId);
    await until(model, ({ conversation }) => conversation?.loading === false);
  };
  const reads = () => daemon.callsOf(`/chatrooms/${chatRoomId}/messages`);
  const write = () => {
    const row = history.add(chatRoomId);
    daemon.signal({ clientId: 'acme', chatRoomId, messageId: row.messageId });
    return row;
  };
  const conversation = () => {
    if (!model.state.conversation) throw new Error('no conversation is open');
    return model.state.conversation;
  };

  it('pages back to the beginning', async () => {
    await open(350);
    expect(bodies(model.state)[0]).to.equal('message 251');
    expect(conversation().hasOlder).to.equal(true);
    const both = [model.loadOlder(), model.loadOlder()];
    expect(conversation().loading).to.equal(true);
    expect(await Promise.all(both)).to.deep.equal([true, true]);
    expect(bodies(model.state)[0]).to.equal('message 51');
    expect(await model.loadOlder()).to.equal(true);
    expect(conversation()).to.include({ hasOlder: false, loading: false });
    expect(bodies(model.state)).to.deep.equal(history.messages(chatRoomId).map(({ body }) => body));
    expect(await model.loadOlder()).to.equal(false);
  });

  it('reads one page for a new message, however far it was paged back', async () => {
    await open(350);
    await model.loadOlder();
    const before = reads().length;
    await shown(model, write().messageId);
    expect(reads()).to.have.lengthOf(before + 1);
    expect(conversation().messages).to.have.lengthOf(301);
    expect(bodies(model.state)[0]).to.equal('message 51');
  });

  it('shows what becomes of an old message', async () => {
    await open(350);
    await model.loadOlder();
    const old = history.messages(chatRoomId)[60];
    expect(old?.messageId).to.equal('m61');
    Object.assign(old ?? {}, { body: 'edited', extras: { edited: true } });
    daemon.signal({ clientId: 'acme', chatRoomId, messageId: 'm61' });
    await shown(model, 'm61', ({ body, edited }) => body === 'edited' && edited);
    expect(new Set(bodies(model.state)).size).to.equal(conversation().messages.length);
  });

  it('makes up for a gap of any length', async () => {
    await open(350);
    for (let count = 0; count < 450; count += 1) history.add(chatRoomId);
    daemon.cutStreams();
    const { connection } = await until(model, (state) => state.connection.state === 'reconnecting');
    expect(connection).to.deep.include({ delayMs: 500 });
    await shown(model, 'm800');
    const all = history.messages(chatRoomId).map(({ body }) => body);
    expect(bodies(model.state)).to.deep.equal(all.slice(-bodies(model.state).length));
    expect(bodies(model.state)).to.include('message 251');
  });

  it('takes messages of the past in that come below what is shown', async () => {
    await open(20);
    expect(conversation().hasOlder).to.equal(false);
    const sentAt = new Date(Date.UTC(2025, 0, 1)).toISOString();
    const rows = history.messages(chatRoomId);
    rows.unshift({ ...history.add(chatRoomId), messageId: 'past', body: 'long ago', sentAt });
    rows.pop();
    daemon.signal({ clientId: 'acme', chatRoomId, messageId: 'past' });
    await shown(model, 'past');
    expect(bodies(model.state)[0]).to.equal('long ago');
  });

  it('keeps the newest 2,000 messages of a conversation that is left open', async () => {
    await open(100);
    for (let round = 0; round < 5; round += 1) {
      for (let count = 0; count < 450; count += 1) history.add(chatRoomId);
      await shown(model, write().messageId);
    }
    expect(conversation().messages).to.have.lengthOf(2_000);
    expect(conversation().hasOlder).to.equal(true);
    expect(bodies(model.state).at(-1)).to.equal('message 2355');
  });

  it('finds messages from the newest to the oldest, and pages back for them', async () => {
    await open(350);
    for (const [index, body] of [
      [10, 'the Ärger is old'],
      [340, 'an ARGER of today'],
    ] as const) {
      Object.assign(history.messages(chatRoomId)[index] ?? {}, { body });
    }
    daemon.signal({ clientId: 'acme', chatRoomId });
    await shown(model, 'm341', ({ body }) => body.startsWith('an'));
    const newest = await model.findMessage('ärger');
    expect(newest?.messageId).to.equal('m341');
    const older = await model.findMessage('arger', { before: newest?.messageId });
    expect(older?.messageId).to.equal('m11');
    expect(conversation().messages.some(({ messageId }) => messageId === 'm11')).to.equal(true);
    expect(await model.findMessage('arger', { before: older?.messageId })).to.equal(undefined);
  });

  it('says so when a conversation cannot be read, and tries again by itself', async () => {
    await open(10);
    const page = { status: 503, body: { error: 'the store cannot be reached' } };
    daemon.on(`GET /chatrooms/${chatRoomId}/messages`, () => page);
    write();
    await until(model, ({ notice }) => notice?.text === 'the store cannot be reached');
    daemon.on(`GET /chatrooms/${chatRoomId}/messages`, {
      messages: history.messages(chatRoomId),
    });
    await shown(model, 'm11');
  });
});
