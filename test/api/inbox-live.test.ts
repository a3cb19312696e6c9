import { expect } from 'chai';
import type { RoomSignal, TailEntry } from '../../src/contract/events/stream-entry.js';
import type { StoredMessage } from '../../src/contract/index.js';
import { TailReader } from '../support/tail-reader.js';
import { BOB, Conversations, lidOf, TOKEN } from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };

describe('the live stream of the hosted inbox', () => {
  let chats: Conversations;
  let live: TailReader<TailEntry | RoomSignal>;

  before(async () => {
    chats = await Conversations.start();
    await chats.world.phones.addPhone(DAVE);
  });
  after(() => chats.stop());
  beforeEach(async () => {
    live = await new TailReader<TailEntry | RoomSignal>().open(chats.world.daemon.url, TOKEN, '?rooms=true');
  });
  afterEach(() => live.close());

  const signal = (fits: (told: RoomSignal) => boolean) =>
    live.next((entry) => entry.kind === 'room' && fits(entry));
  const ofMessage = (messageId: string, chatRoomId = chats.hosted.chatRoomId) =>
    signal((told) => told.messageId === messageId && told.chatRoomId === chatRoomId);
  const signals = () => live.entries.flatMap((entry) => (entry.kind === 'room' ? entry : []));

  async function send(clientId: string, to = BOB.number): Promise<string> {
    const { status, body } = await chats.world.api.post('/send-message', { clientId, to, body: 'hello' });
    expect(status, JSON.stringify(body)).to.equal(200);
    return String(body.messageId);
  }
  async function rows(chatRoomId: string, query = '?status=true'): Promise<StoredMessage[]> {
    const { messages } = (await chats.world.api.get(`/chatrooms/${chatRoomId}/messages${query}`)).body;
    return Array.isArray(messages) ? messages : [];
  }
  /** Resolves when a stored message has that status; each step is signalled. */
  async function came(
    messageId: string,
    status: string,
    chatRoomId = chats.hosted.chatRoomId,
  ): Promise<void> {
    await live.until(
      (entry) => entry.kind === 'room',
      async () =>
        (await rows(chatRoomId)).some((row) => row.messageId === messageId && row.status === status),
    );
  }
  async function group(): Promise<{ jid: string; chatRoomId: string }> {
    const { hosted, world } = chats;
    const participants = [hosted.phone.number, DAVE.number];
    const { jid } = await world.phones.groups.create(BOB.number, { subject: 'Friends', participants });
    return { jid, chatRoomId: `hosted-${lidOf(hosted.phone)}-${jid.split('@')[0]}` };
  }

  it('starts with a signal for all rooms', async () => {
    await signal(({ clientId, chatRoomId }) => clientId === '' && chatRoomId === '');
  });

  it('signals inbound and own messages, with their kinds', async () => {
    const { messageId } = await chats.fromBob(chats.hosted, { text: 'hello' });
    const told = await ofMessage(messageId);
    expect(told).to.have.all.keys('kind', 'at', 'clientId', 'chatRoomId', 'messageId');
    expect(told).to.include({ kind: 'room', clientId: 'hosted' });
    const own = await send('hosted');
    await ofMessage(own);
    live.entries.length = 0;
    const { chatRoomId } = chats.hosted;
    const deletion = { clientId: 'hosted', to: BOB.number, messageId, fromMe: false, mode: 'me', chatRoomId };
    expect((await chats.world.api.post('/delete-message', deletion)).status).to.equal(200);
    await ofMessage(messageId);
  });

  it('signals messages that cause no other event', async () => {
    const { jid, chatRoomId } = await group();
    const { messageId } = await chats.world.phones.write(BOB.number, { to: jid, text: 'hello all' });
    await ofMessage(messageId, chatRoomId);
    const events = live.entries.filter((entry) => entry.kind === 'event' && 'messageId' in entry.event);
    expect(events).to.deep.equal([]);
  });

  it('signals a room when it is marked as read', async () => {
    await chats.fromBob(chats.hosted, { text: 'hello' });
    const { chatRoomId } = chats.hosted;
    await chats.world.api.post(`/chatrooms/${chatRoomId}/read`);
    await signal((told) => told.chatRoomId === chatRoomId && told.messageId === undefined);
  });

  it('signals changes of messages', async () => {
    const { messageId } = await chats.fromBob(chats.hosted, { text: 'hello' });
    await ofMessage(messageId);
    live.entries.length = 0;
    await chats.world.phones.write(BOB.number, {
      to: chats.hosted.phone.number,
      reaction: { messageId, emoji: '👍' },
    });
    await ofMessage(messageId);
  });

  it('signals nothing for a session without a workspace, except message statuses', async () => {
    const messageId = await send('plain');
    await live.next(
      (entry) =>
        entry.kind === 'event' &&
        entry.event.event === 'message.status' &&
        entry.event.messageId === messageId &&
        entry.event.status === 'delivered',
    );
    expect(signals().filter(({ clientId }) => clientId === 'plain')).to.deep.equal([]);
  });

  it("signals a session's secret its own rooms only", async () => {
    const own = new TailReader<TailEntry | RoomSignal>();
    await own.open(chats.world.daemon.url, TOKEN, '?rooms=true&clientId=plain');
    await own.next((entry) => entry.kind === 'room' && entry.clientId === 'plain' && entry.chatRoomId === '');
    const { messageId } = await chats.fromBob(chats.hosted, { text: 'hello' });
    await ofMessage(messageId);
    expect(own.entries.filter(({ clientId }) => clientId === 'hosted')).to.deep.equal([]);
    await own.close();
  });

  describe('message statuses', () => {
    it('validates the parameter that requests statuses', async () => {
      const { chatRoomId } = chats.hosted;
      const answer = await chats.world.api.get(`/chatrooms/${chatRoomId}/messages?status=perhaps`);
      expect(answer.status).to.equal(400);
      expect(answer.body.error).to.include('status');
    });

    it('returns statuses on request, and signals each one', async () => {
      const messageId = await send('hosted');
      await came(messageId, 'delivered');
      live.entries.length = 0;
      await chats.world.phones.read(BOB.number, [messageId]);
      await ofMessage(messageId);
      await came(messageId, 'read');
      const [plain] = (await rows(chats.hosted.chatRoomId, '')).filter((row) => row.messageId === messageId);
      expect(plain).to.not.have.property('status');
      const { messageId: his } = await chats.fromBob(chats.hosted, { text: 'hello' });
      const [other] = (await rows(chats.hosted.chatRoomId)).filter((row) => row.messageId === his);
      expect(other).to.include({ body: 'hello' }).and.not.have.property('status');
    });

    it('returns the furthest status of any member in a group', async () => {
      const { jid, chatRoomId } = await group();
      const messageId = await send('hosted', jid);
      await came(messageId, 'delivered', chatRoomId);
      await chats.world.phones.read(DAVE.number, [messageId]);
      await came(messageId, 'read', chatRoomId);
    });

    it('returns statuses of messages written on the phone too', async () => {
      const { messageId } = await chats.fromOwner(chats.hosted, { text: 'from the phone' });
      expect(['sent', 'delivered']).to.include(
        (await rows(chats.hosted.chatRoomId)).find((row) => row.messageId === messageId)?.status,
      );
    });
  });
});
